"""dwb verify P.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.output import print_told
from workbench.cli.passphrases import passphrase_of
from workbench.core.errors import UserProblem

_MOST_DAYS = 100_000
HELP = "Check the journal's chain and every row and signature against it. Exit 1 if anything was changed."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument(
        "--accept", action="store_true", help="go by this file's history from now on, whatever you saw before"
    )
    parser.add_argument(
        "--confirm",
        default="",
        metavar="FINGERPRINT",
        help="say that you asked the owner of a key that replaced another",
    )
    parser.add_argument(
        "--against", type=file_path, metavar="FILE", help="compare with a log of `dwb witness` or a report in JSON"
    )
    parser.add_argument(
        "--younger", type=_days, metavar="DAYS", help="with a log: its newest line may be at most so many days old"
    )


def _days(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _MOST_DAYS:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of days")
    return int(text)


def run(args: argparse.Namespace) -> int:
    from workbench.review.file_care import Elsewhere, verify

    if args.younger is not None and args.against is None:
        raise UserProblem("--younger needs a log to look at", "younger", "Name it with --against FILE")
    found = verify(
        args.project,
        passphrase_of(args.project),
        accept=args.accept,
        confirms=args.confirm,
        elsewhere=None if args.against is None else Elsewhere(args.against, args.younger),
    )
    return print_told(found, as_json=args.json)

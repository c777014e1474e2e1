"""dwb verify P.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.output import print_told
from workbench.cli.passphrases import passphrase_of

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


def run(args: argparse.Namespace) -> int:
    from workbench.review.file_care import verify

    found = verify(args.project, passphrase_of(args.project), accept=args.accept, confirms=args.confirm)
    return print_told(found, as_json=args.json)

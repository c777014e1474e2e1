"""dwb merge INTO.dwb FROM.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import person
from workbench.cli.output import print_told
from workbench.cli.passphrases import OTHER, passphrase_of

HELP = "Bring the votes of another copy of a project into this one. Anything else that parted the copies is refused."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("into", type=file_path, metavar="INTO.dwb")
    parser.add_argument("other", type=file_path, metavar="FROM.dwb")
    parser.add_argument("--by", metavar="NAME", help="who merges (default: the login name)")


def run(args: argparse.Namespace) -> int:
    from workbench.review.file_care import merge

    told = merge(
        args.into,
        args.other,
        passphrase=passphrase_of(args.into),
        other_passphrase=passphrase_of(args.other, variable=OTHER),
        person=args.by or person(),
    )
    return print_told(told, as_json=args.json)

"""dwb decrypt P.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import person
from workbench.cli.output import print_told
from workbench.cli.passphrases import passphrase_of

HELP = "Decrypt an encrypted project."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")


def run(args: argparse.Namespace) -> int:
    from workbench.review.file_care import decrypt

    return print_told(decrypt(args.project, passphrase_of(args.project), person=person()), as_json=args.json)

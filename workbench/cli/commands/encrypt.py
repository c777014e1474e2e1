"""dwb encrypt P.dwb [--change]"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import person
from workbench.cli.output import print_told
from workbench.cli.passphrases import NEW, PROJECT, new_passphrase, passphrase_of

HELP = "Encrypt a project with a passphrase (DWB_PASSPHRASE, DWB_PASSPHRASE_FILE or a prompt), or change it."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("--change", action="store_true", help="give an encrypted project a new passphrase")


def run(args: argparse.Namespace) -> int:
    from workbench.review.file_care import change_passphrase, encrypt

    path, who = args.project, person()
    if args.change:
        told = change_passphrase(path, passphrase_of(path), new_passphrase(NEW, "New passphrase"), person=who)
    else:
        told = encrypt(path, new_passphrase(PROJECT, "Passphrase"), person=who)
    return print_told(told, as_json=args.json)

"""dwb witness P.dwb --log FILE"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import person
from workbench.cli.output import print_told
from workbench.cli.passphrases import passphrase_of
from workbench.cli.signing import keyring_of

HELP = "Write down the head of a project's journal, signed, in a file kept elsewhere; `verify --against` compares it."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("--log", type=file_path, required=True, metavar="FILE", help="the log; a line is added to it")
    parser.add_argument("--as", dest="name", default="", metavar="NAME", help="who signs (default: the login name)")


def run(args: argparse.Namespace) -> int:
    from workbench.review.witness import witness

    name = args.name or person()
    secret = passphrase_of(args.project)
    signer = keyring_of(name).signer_of(name)
    assert signer is not None  # it was just unlocked
    return print_told(witness(args.project, args.log, signer, passphrase=secret), as_json=args.json)

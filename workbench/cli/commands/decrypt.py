"""dwb decrypt P.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import person
from workbench.cli.output import print_json
from workbench.cli.passphrases import passphrase_of

HELP = "Write an encrypted project in clear again."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")


def run(args: argparse.Namespace) -> int:
    from workbench.project.file.encryption_change import decrypt

    decrypt(args.project, passphrase_of(args.project), person=person())
    if args.json:
        print_json({"project": args.project.as_posix(), "encrypted": False})
    else:
        print(f"{args.project.name} is no longer encrypted: whoever has the file can read it.")
    return 0

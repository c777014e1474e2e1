"""dwb encrypt P.dwb [--change]"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import person
from workbench.cli.output import print_json
from workbench.cli.passphrases import NEW, PROJECT, new_passphrase, passphrase_of

HELP = "Encrypt a project with a passphrase (DWB_PASSPHRASE, DWB_PASSPHRASE_FILE or a prompt), or change it."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("--change", action="store_true", help="give an encrypted project a new passphrase")


def run(args: argparse.Namespace) -> int:
    from workbench.project.file.encryption_change import change_passphrase, clear_copies, encrypt

    who, path = person(), args.project
    if args.change:
        old = passphrase_of(path)
        change_passphrase(path, old, new_passphrase(NEW, "New passphrase"), person=who)
        copies = clear_copies(path.resolve())
    else:
        copies = encrypt(path, new_passphrase(PROJECT, "Passphrase"), person=who)
    if args.json:
        print_json({"project": path.as_posix(), "encrypted": True, "copies_in_clear": list(copies)})
        return 0
    print(f"{path.name} is encrypted. Without the passphrase nobody can open it, and nobody can bring it back.")
    for copy in copies:
        print(f"Still in clear: {copy}. Delete it where you no longer need it.")
    print("A disk may keep traces of the file as it was before; encrypt the disk too where that matters.")
    return 0

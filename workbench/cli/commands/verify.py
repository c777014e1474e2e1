"""dwb verify P.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.output import print_json
from workbench.cli.passphrases import passphrase_of
from workbench.core.quantities import agreeing
from workbench.project.history.verify import verify

HELP = "Walk the journal's chain, check every row and signature against it. Exit 1 where something was changed."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")


def run(args: argparse.Namespace) -> int:
    result = verify(args.project, passphrase=passphrase_of(args.project))
    if args.json:
        print_json(result)
    else:
        for remark in (*result.problems, *result.warnings):
            print(remark)
        print(
            f"{args.project.name}: {result.entries} journal {agreeing(result.entries, 'entry', 'entries')}, "
            f"{'all well' if result.ok else 'NOT as written'}"
        )
        if result.signed or result.unsigned:
            print(f"Votes, decisions and exceptions: {result.signed} signed, {result.unsigned} not signed")
        if result.head:
            print(f"Head of the journal, to be kept elsewhere and compared: {result.head}")
    return 0 if result.ok else 1

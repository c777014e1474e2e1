"""dwb export P.dwb RELEASE -o TABLE.csv"""

from __future__ import annotations

import argparse
import hashlib

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import Terminal, print_json

HELP = "Write the released table of an approved release as CSV."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    parser.add_argument("-o", "--output", type=file_path, required=True, metavar="TABLE.csv")


def run(args: argparse.Namespace) -> int:
    terminal = Terminal()
    with opened(args.project, person()) as workspace:
        workspace.export(args.release, {}, table=args.output, actor=person(), context=terminal)
    terminal.done()
    if args.json:
        written = hashlib.sha256(args.output.read_bytes()).hexdigest()
        print_json({"release_id": args.release, "file": args.output.as_posix(), "sha256": written})
    else:
        print(args.output)
    return 0

"""dwb verify P.dwb"""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.output import print_json
from workbench.project.verify import verify

HELP = "Walk the journal's chain and check every row against it. Exit 1 where something was changed."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="P.dwb")


def run(args: argparse.Namespace) -> int:
    result = verify(args.project)
    if args.json:
        print_json({"ok": result.ok, "problems": list(result.problems), "entries": result.entries})
    else:
        for problem in result.problems:
            print(problem)
        print(f"{args.project.name}: {result.entries} journal entries, {'all well' if result.ok else 'NOT as written'}")
    return 0 if result.ok else 1

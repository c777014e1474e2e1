"""dwb releases P.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json

HELP = "List the releases of a project with their state."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")


def run(args: argparse.Namespace) -> int:
    with opened(args.project, person()) as workspace:
        rows = workspace.view().releases
    if args.json:
        print_json([{"release_id": row.id, **_facts(row)} for row in rows])
        return 0
    for row in rows:
        print(f"{row.id}  {row.state:<18} {row.epsilon:<8} {row.title} ({row.age})")
    if not rows:
        print("The project holds no release yet.")
    return 0


def _facts(row: object) -> dict[str, object]:
    return {name: getattr(row, name) for name in ("title", "state", "product", "preparer", "draws")}

"""dwb verify-report FILE --project P.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.core.plain import plain
from workbench.review.publish.verify_report import verify_report

HELP = "Check a report (JSON, HTML or PDF) against its project. Exit 1 if it is not what the project holds."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("report", type=file_path, metavar="FILE")
    parser.add_argument("--project", type=file_path, required=True, metavar="P.dwb")


def run(args: argparse.Namespace) -> int:
    with opened(args.project, person()) as workspace:
        found = verify_report(args.report, workspace)
    if args.json:
        print_json({"ok": found.ok, **plain(found)})
    else:
        for line in (*found.differences, *found.notes):
            print(line)
        said = "as the project holds it" if found.ok else "not the report that the project holds"
        print(f"{args.report.name}: {found.audience} report of {found.release_id}, {said}")
    return 0 if found.ok else 1

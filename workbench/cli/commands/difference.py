"""dwb difference P.dwb RELEASE [--external FILE …] [--rounded BASE FILE] [--hierarchy COLUMN FILE]"""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.kinds import file_path, whole_number
from workbench.cli.opening import opened, person
from workbench.cli.output import Terminal, finding_json, print_findings, print_json
from workbench.core.findings import Status, worst
from workbench.review.run.differencing import SMALL_GROUP, difference_release
from workbench.review.run.external_tables import read_external, read_hierarchy, read_rounded

HELP = "Find what a release reveals together with approved releases and with tables from outside."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    parser.add_argument(
        "--external", action="append", default=[], type=file_path, metavar="FILE",
        help="a published table as CSV, exact but for suppressed cells (empty, x, *, .., (D)); may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--rounded", action="append", default=[], nargs=2, metavar=("BASE", "FILE"),
        help="a published table whose values are rounded to multiples of BASE",
    )  # fmt: skip
    parser.add_argument("--value", default="", metavar="COLUMN", help="the value column of tables from outside")
    parser.add_argument(
        "--hierarchy", action="append", default=[], nargs=2, metavar=("COLUMN", "FILE"),
        help="which codes of COLUMN belong to which: CSV with one column per level, the coarsest first",
    )  # fmt: skip
    parser.add_argument(
        "--few", type=whole_number(str(SMALL_GROUP)), default=SMALL_GROUP, metavar="N",
        help=f"a group below N is small (default {SMALL_GROUP})",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    external = [read_external(path, value=args.value) for path in args.external]
    external += [read_rounded(Path(path), base, value=args.value) for base, path in args.rounded]
    hierarchies = [read_hierarchy(column, Path(path)) for column, path in args.hierarchy]
    terminal = Terminal()
    with opened(args.project, person()) as workspace:
        found = difference_release(
            workspace.project, args.release, external, hierarchies=hierarchies, few=args.few, actor=person(),
            context=terminal,
        )  # fmt: skip
    terminal.done()
    if args.json:
        print_json(
            {
                "release_id": args.release,
                "external": [{"name": each.table.name, "sha256": each.sha256} for each in external],
                "findings": [{**finding_json(finding), "tables": finding.tables} for finding in found],
            }
        )
    else:
        print_findings(found)
        for table in (table for finding in found for table in finding.tables):
            print(f"\n{table.title} ({'; '.join(table.columns)})")
            for row in table.rows:
                print("  " + "; ".join("" if cell is None else str(cell) for cell in row))
    return 1 if worst(found) is Status.FAIL else 0

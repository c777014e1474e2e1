"""dwb evaluate FINDINGS.toml [--jobs N] [--page FILE]"""

from __future__ import annotations

import argparse
from dataclasses import replace

from workbench.cli.kinds import file_path, whole_number
from workbench.cli.output import SIGNS, Terminal, finding_json, print_json
from workbench.core.errors import UserProblem
from workbench.core.files import write_text
from workbench.core.findings import Finding
from workbench.products.employment_tables.paper.plan import FindingsPlan, read_findings_plan

HELP = "Measure the paper's findings on a synthetic twin: its calibrations beside the tight ones."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", type=file_path, metavar="FINDINGS.toml")
    parser.add_argument(
        "--jobs", type=whole_number("100000"), metavar="N", help="size of the twin, instead of the plan's"
    )
    parser.add_argument("--trials", type=whole_number("20"), metavar="N", help="trials, instead of the plan's")
    parser.add_argument("--page", type=file_path, metavar="FILE.md", help="write the tables as a page, too")


def run(args: argparse.Namespace) -> int:
    from workbench.products.employment_tables.paper.study import study_findings
    from workbench.products.employment_tables.paper.words import findings_of, page_of

    plan = _changed(read_findings_plan(args.plan), args)
    terminal = Terminal()
    study = study_findings(plan, terminal)
    terminal.done()
    findings = findings_of(study)
    if args.page is not None:
        write_text(args.page, page_of(study))
    if args.json:
        told = [{**finding_json(finding), "tables": finding.tables} for finding in findings]
        print_json({"jobs": plan.twin.jobs, "findings": told})
        return 0
    for finding in findings:
        _print(finding)
    return 0


def _changed(plan: FindingsPlan, args: argparse.Namespace) -> FindingsPlan:
    from workbench.core.params import problems_of

    twin = plan.twin if args.jobs is None else replace(plan.twin, jobs=args.jobs)
    grid = plan.grid if args.trials is None else replace(plan.grid, trials=args.trials)
    problems = (*problems_of(twin), *problems_of(grid))
    if problems:
        raise UserProblem.of(problems)
    return replace(plan, twin=twin, grid=grid)


def _print(finding: Finding) -> None:
    print(f"\n{SIGNS[finding.status]} {finding.title}: {finding.sentence}")
    for table in finding.tables:
        widths = [max(len(str(cell)) for cell in column) for column in zip(table.columns, *table.rows, strict=True)]
        for row in (table.columns, *table.rows):
            print("  " + "  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())

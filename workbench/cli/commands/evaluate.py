"""dwb evaluate STUDY.toml [--set SECTION.NAME=VALUE] [--jobs N] [--page FILE]

A page's figures are written as SVG into a folder beside it; `--json` prints their data with every finding.
"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.output import SIGNS, Terminal, finding_json, print_json, print_table
from workbench.cli.settings import settings_from
from workbench.core.findings import Finding
from workbench.review.studies import refuse_no_page, run_study, short_settings, write_page

HELP = "Run a study on synthetic data, for example the findings of a paper, and print what it measures."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", type=file_path, metavar="STUDY.toml")
    parser.add_argument(
        "--set", action="append", default=[], metavar="SECTION.NAME=VALUE", help="a setting, instead of the file's"
    )
    for name in short_settings():
        parser.add_argument(f"--{name}", metavar="N", help=f"{name} of the study, instead of the file's")
    parser.add_argument("--page", type=file_path, metavar="FILE.md", help="write tables and figures as a page, too")


def run(args: argparse.Namespace) -> int:
    if args.page is not None:
        refuse_no_page(args.page)
    short = {name: value for name in short_settings() if (value := getattr(args, name)) is not None}
    terminal = Terminal()
    studied = run_study(args.study, {**settings_from(args.set), **short}, terminal)
    terminal.done()
    if args.page is not None:
        write_page(args.page, studied)
    if args.json:
        told = [
            {**finding_json(finding), "tables": finding.tables, "figures": finding.figures}
            for finding in studied.findings
        ]
        print_json({**studied.facts, "findings": told})
        return 0
    for finding in studied.findings:
        _print(finding)
    return 0


def _print(finding: Finding) -> None:
    print(f"\n{SIGNS[finding.status]} {finding.title}: {finding.sentence}")
    for table in finding.tables:
        print_table(table)

"""dwb tabulate PLAN.toml [--engine NAME]"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from workbench.cli.output import Terminal, print_json
from workbench.cli.outside import add_option, ask_about_outside
from workbench.core.quantities import counted
from workbench.review.plan.plan_text import read_plan

HELP = "Tabulate a plan's data without drawing or storing anything; print a digest by which engines can be compared."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", type=Path, metavar="PLAN.toml")
    parser.add_argument(
        "--engine", choices=("auto", "memory", "duckdb", "spark"), help="who reads the rows, instead of the plan's"
    )
    add_option(parser)


def run(args: argparse.Namespace) -> int:
    from workbench.review.run.tabulated import tabulate

    plan = read_plan(args.plan)
    if args.engine:
        plan = replace(plan, engine=plan.engine.of_kind(args.engine))
    ask_about_outside(plan, args.plan.parent, allowed=args.allow_outside)
    terminal = Terminal()
    made = tabulate(plan, base=args.plan.parent, context=terminal)
    terminal.done()
    if args.json:
        print_json(made)
        return 0
    cells = "" if made.cells is None else f", {counted(made.cells, 'cell')}"
    print(f"{counted(made.rows, 'row')}{cells}, read by the engine {made.engine}.")
    print(made.reason)
    print(f"Content fingerprint (version 2): {made.fingerprint}")
    print(f"Digest of the confidential aggregates: {made.digest}")
    print("Both are internal: an attacker who knows all records but one can try the last until they fit.")
    return 0

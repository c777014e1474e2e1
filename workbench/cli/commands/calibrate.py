"""dwb calibrate MECHANISM [--calibration C] --set epsilon=2 … [--count n --largest x] [--case NAME=VALUE …]
or: dwb calibrate MECHANISM --table
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from workbench.cli.output import print_json, print_table
from workbench.cli.settings import settings_from
from workbench.core.errors import UserProblem
from workbench.core.params import parse
from workbench.core.quantities import show
from workbench.review.budget.calibration import calibrated, case_of, settings_table

HELP = "Show what a mechanism would do to one case: noise scale, expected error, privacy loss actually spent."

_NUMBERS = ("scale", "expected_absolute_error", "spent_epsilon", "spent_delta", "notes")
_SHORT = ("count", "largest")  # what most cases have, also without --case


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mechanism", metavar="MECHANISM")
    parser.add_argument("--calibration", metavar="C", help="short for --set calibration=C")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the mechanism")
    parser.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a number of the case (dwb list mechanisms)",
    )
    for name, letter in zip(_SHORT, "NX", strict=True):
        parser.add_argument(f"--{name}", metavar=letter, help=f"short for --case {name}={letter}")
    parser.add_argument("--table", action="store_true", help="which settings are possible together, instead of a case")


def run(args: argparse.Namespace) -> int:
    if args.table:
        return _table(args)
    settings = settings_from(args.set if args.calibration is None else [*args.set, f"calibration={args.calibration}"])
    case = _case(args)
    try:
        found = calibrated(args.mechanism, settings, case)
    except UserProblem as wrong:
        if args.json:
            print_json({"feasible": False, "why": str(wrong), **dict.fromkeys((*_NUMBERS, "claim"))})
        raise
    claim, result = found.claim, found.numbers
    if args.json:
        print_json({"feasible": True, "why": "", **_numbers(result), "claim": claim})
        return 0
    print(claim.sentence)
    print(f"noise scale {show(result.scale)}, expected absolute error {show(result.expected_absolute_error)}")
    print(f"ε claimed {show(claim.epsilon)}, spent {show(result.spent_epsilon)}; δ spent {show(result.spent_delta)}")
    for note in result.notes:
        print(note)
    return 0


def _table(args: argparse.Namespace) -> int:
    table = settings_table(args.mechanism)
    if args.json:
        print_json({"table": table})
        return 0
    print(table.title)
    print_table(table)
    if table.note:
        print(table.note)
    return 0


def _case(args: argparse.Namespace) -> Any:
    """The case as the mechanism describes one. What is wrong is told at the option that was written."""
    case = case_of(args.mechanism)
    short = [f"{name}={value}" for name in _SHORT if (value := getattr(args, name)) is not None]
    try:
        return parse(case, settings_from([*short, *args.case], "--case"))
    except UserProblem as wrong:
        raise UserProblem.of(
            replace(problem, where=f"--{problem.where}") if problem.where in _SHORT else problem.at("--case")
            for problem in wrong.problems
        ) from None


def _numbers(result: object) -> dict[str, object]:
    return {name: getattr(result, name) for name in _NUMBERS}

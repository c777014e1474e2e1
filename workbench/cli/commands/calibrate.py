"""dwb calibrate MECHANISM [--calibration C] --set epsilon=2 … [--count n --largest x]"""

from __future__ import annotations

import argparse
from typing import Any, cast

from workbench.cli.commands.list import known
from workbench.cli.kinds import number
from workbench.cli.output import print_json
from workbench.cli.settings import settings_from
from workbench.core.errors import UserProblem
from workbench.core.params import parse
from workbench.core.quantities import show
from workbench.core.specs import find
from workbench.mechanisms.contract import AnyMechanism

HELP = "Show what a mechanism would do to one cell: noise scale, expected error, privacy loss actually spent."

_NUMBERS = ("scale", "expected_absolute_error", "spent_epsilon", "spent_delta", "notes")
_MOST_JOBS = 10**12
# Here --largest is not part of the cell: all jobs of an establishment of which the cell counts some, or support points.
_LARGEST_OF_MORE = ("block-gamma", "block-laplace", "synthetic-residences")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mechanism", metavar="MECHANISM")
    parser.add_argument("--calibration", metavar="C", help="short for --set calibration=C")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the mechanism")
    parser.add_argument("--count", type=number("120"), metavar="N", help="jobs in the cell")
    parser.add_argument("--largest", type=number("40"), metavar="X", help="jobs of its largest establishment")


def run(args: argparse.Namespace) -> int:
    mechanism = cast(AnyMechanism, find(known("mechanisms"), args.mechanism, "mechanism"))
    settings = settings_from(args.set if args.calibration is None else [*args.set, f"calibration={args.calibration}"])
    _require_possible(mechanism.id, args.count, args.largest)
    try:
        params: Any = parse(mechanism.params, settings, mechanism.id)
        result = mechanism.calibrate(params, args.count, args.largest)
        claim = mechanism.claim(None, params)
    except UserProblem as wrong:
        if args.json:
            print_json({"feasible": False, "why": str(wrong), **dict.fromkeys((*_NUMBERS, "claim"))})
        raise
    if args.json:
        print_json({"feasible": True, "why": "", **_numbers(result), "claim": claim})
        return 0
    print(claim.sentence)
    print(f"noise scale {show(result.scale)}, expected absolute error {show(result.expected_absolute_error)}")
    print(f"ε claimed {show(claim.epsilon)}, spent {show(result.spent_epsilon)}; δ spent {show(result.spent_delta)}")
    for note in result.notes:
        print(note)
    return 0


def _require_possible(mechanism: str, count: float | None, largest: float | None) -> None:
    """Refuse a cell that cannot be: fewer jobs than none, or fewer than those of one establishment in it."""
    for name, jobs in (("--count", count), ("--largest", largest)):
        if jobs is not None and not 0 <= jobs <= _MOST_JOBS:
            raise UserProblem(f"{name} is {show(jobs)} but must be a number of jobs", name, f"Give 0 to {_MOST_JOBS:,}")
    if mechanism in _LARGEST_OF_MORE or count is None or largest is None or largest <= count:
        return
    size = f"{show(largest)} {'job' if largest == 1 else 'jobs'}"
    what = f"The largest establishment has {size} but its cell only {show(count)}"
    raise UserProblem(what, "--largest", f"Give at most {show(count)}, or a larger --count")


def _numbers(result: object) -> dict[str, object]:
    return {name: getattr(result, name) for name in _NUMBERS}

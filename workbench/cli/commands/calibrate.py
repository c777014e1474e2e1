"""dwb calibrate MECHANISM [--calibration C] --set epsilon=2 … [--count n --largest x]"""

from __future__ import annotations

import argparse
from typing import Any, cast

from workbench.cli.commands.list import known
from workbench.cli.output import print_json
from workbench.cli.settings import settings_from
from workbench.core.errors import UserProblem
from workbench.core.params import parse
from workbench.core.quantities import show
from workbench.core.specs import find
from workbench.mechanisms.contract import AnyMechanism

HELP = "Show what a mechanism would do to one cell: noise scale, expected error, privacy loss actually spent."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mechanism", metavar="MECHANISM")
    parser.add_argument("--calibration", metavar="C", help="short for --set calibration=C")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the mechanism")
    parser.add_argument("--count", type=float, metavar="N", help="jobs in the cell")
    parser.add_argument("--largest", type=float, metavar="X", help="jobs of its largest establishment")


def run(args: argparse.Namespace) -> int:
    mechanism = cast(AnyMechanism, find(known("mechanisms"), args.mechanism, "mechanism"))
    settings = settings_from(args.set)
    if args.calibration is not None:
        settings["calibration"] = args.calibration
    try:
        params: Any = parse(mechanism.params, settings, mechanism.id)
    except UserProblem as wrong:
        if args.json:
            print_json({"feasible": False, "why": str(wrong)})
        raise
    result = mechanism.calibrate(params, args.count, args.largest)
    claim = mechanism.claim(None, params)
    if args.json:
        print_json({"feasible": True, "why": "", **_numbers(result), "claim": claim})
        return 0
    print(claim.sentence)
    print(f"noise scale {show(result.scale)}, expected absolute error {show(result.expected_absolute_error)}")
    print(f"ε claimed {show(claim.epsilon)}, spent {show(result.spent_epsilon)}; δ spent {show(result.spent_delta)}")
    for note in result.notes:
        print(note)
    return 0


def _numbers(result: object) -> dict[str, object]:
    names = ("scale", "expected_absolute_error", "spent_epsilon", "spent_delta", "notes")
    return {name: getattr(result, name) for name in names}

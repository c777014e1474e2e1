"""dwb list products|mechanisms|baselines|checks|measures|explorations"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import one_of
from workbench.cli.output import print_json
from workbench.core.params import fields_of, joined, outline_of
from workbench.core.specs import described_by_every_name, other_names
from workbench.review.plan.offers import all_of

HELP = (
    "List the products, mechanisms, baselines, checks, measures or explorations the program knows, with their settings."
)

_LISTS = ("products", "mechanisms", "baselines", "checks", "measures", "explorations")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=_LISTS, type=one_of(_LISTS))


def run(args: argparse.Namespace) -> int:
    specs = all_of(args.what)
    if args.json:
        print_json([row for spec in specs for row in described_by_every_name(spec)])
        return 0
    for spec in specs:
        names = " or ".join((spec.id, *other_names(spec)))
        print(f"{names} (version {spec.version}): {spec.title}. {spec.summary}")
        for path, field in outline_of(spec.params):
            bounds = f" ({field.range_words()})" if field.range_words() else ""
            default = "" if field.group or field.rows else f" = {field.default}"
            print(f"    {joined(path)}{default}{bounds}: {field.help}")
        for field in fields_of(spec.case) if hasattr(spec, "case") else ():
            print(f"    --case {field.name}: {field.label}. {field.help}")
    return 0

"""dwb init DATAFILE [--out DIR] [--product ID]"""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.kinds import file_path, one_of
from workbench.cli.output import Terminal, print_json
from workbench.cli.settings import settings_from
from workbench.core.params import parse
from workbench.core.quantities import joined
from workbench.review.plan.offers import products

HELP = "Write a plan and a data dictionary to begin with, from what a look at a data file tells."


def arguments(parser: argparse.ArgumentParser) -> None:
    known = tuple(product.id for product in products())
    parser.add_argument("file", type=file_path, metavar="DATAFILE")
    parser.add_argument("--product", choices=known, type=one_of(known), default=known[0], help="what is published")
    parser.add_argument("--out", type=file_path, default=None, metavar="DIR", help="folder; none: beside the data")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="how to read the file")
    parser.add_argument("--overwrite", action="store_true", help="replace a plan and a dictionary that are there")


def run(args: argparse.Namespace) -> int:
    from workbench.review.plan.plan import DataPlan
    from workbench.review.plan.starting import start

    terminal = Terminal()
    options = parse(type(DataPlan().options), settings_from(args.set), "--set")
    folder: Path = args.out or args.file.parent
    made = start(args.file, folder, options, terminal, product=args.product, overwrite=args.overwrite)
    terminal.done()
    files = [path for path in (made.plan, made.dictionary) if path is not None]
    if args.json:
        roles = [{"column": name, "role": role, "reason": reason} for name, role, reason in made.roles]
        print_json({"files": [path.as_posix() for path in files], "roles": roles, "missing": list(made.missing_codes)})
        return 0
    for path in files:
        print(path)
    for name, role, reason in made.roles:
        print(f"  {name}: {role} ({reason})")
    if made.missing_codes:
        codes = joined([f"“{code}”" for code in made.missing_codes])
        print(f"Counted as missing: {codes}. Correct it under [data.options] if that is wrong.")
    if made.gaps:
        print(f"Rows without a value: {', '.join(f'{name} ({count:,})' for name, count in made.gaps.items())}.")
        print(f"Before you use one of these columns, {made.answer}.")
    print("Check the roles and choose what is published under [product].")
    if made.dictionary is not None:
        print("The dictionary holds the values that occur in the data and says so. Compare it with a public list; then")
        print("write “public” instead of “taken from the data” for each column. Until then no claim is proved by it.")
    return 0

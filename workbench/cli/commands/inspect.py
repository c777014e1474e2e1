"""dwb inspect DATAFILE [--product ID]"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.output import Terminal, print_json
from workbench.cli.settings import settings_from
from workbench.core.params import parse
from workbench.core.quantities import counted, joined

HELP = "Show a data file's columns, types, distinct and missing values, and suggest a role for each."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=file_path, metavar="DATAFILE")
    parser.add_argument("--product", default="", metavar="ID", help="suggest the roles of this product's data")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="how to read the file")


def run(args: argparse.Namespace) -> int:
    from workbench.review.plan.plan import DataPlan
    from workbench.review.run.data_view import look_at

    options = parse(type(DataPlan().options), settings_from(args.set), "--set")
    terminal = Terminal()
    found = look_at(args.file, options, terminal, product=args.product)
    terminal.done()
    names = ("name", "type", "distinct", "missing", "role", "reason")
    columns = [{name: getattr(column, name) for name in names} for column in found.columns]
    if args.json:
        seen = {"rows": found.rows, "read_as": list(found.found), "missing_codes": list(found.missing_codes)}
        print_json({"file": args.file.name, **seen, "columns": columns})
        return 0
    print(f"{args.file.name}: {counted(found.rows, 'row')}, {counted(len(columns), 'column')}")
    for note in found.found:
        print(f"  {note}")
    for info in found.columns:
        counts = f", {info.distinct:,} distinct, {info.missing:,} missing" if info.distinct is not None else ""
        print(f"  {info.name}: {info.type}{counts}; suggested role: {info.role} ({info.reason})")
    if found.missing_codes:
        codes = joined([f"“{code}”" for code in found.missing_codes])
        print(f"Perhaps missing-value codes: {codes}. List those that are under missing in the plan's [data.options].")
    print("Roles are suggestions. Confirm them in the plan's [data.roles] or in the window.")
    return 0

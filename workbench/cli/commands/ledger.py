"""dwb ledger P.dwb"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json

HELP = "Show what approved releases have spent on each data set, per privacy definition, and what remains."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")


def run(args: argparse.Namespace) -> int:
    from workbench.review.budget.ledger_book import books
    from workbench.review.budget.ledger_facts import ledger_facts
    from workbench.review.budget.ledger_words import ledger_lines

    with opened(args.project, person()) as workspace:
        found = books(workspace)
    if args.json:
        print_json(ledger_facts(found))
        return 0
    print("\n".join(line for book in found for line in ledger_lines(book)) or "No data set has been used yet.")
    return 0

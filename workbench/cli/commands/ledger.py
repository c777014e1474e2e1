"""dwb ledger P.dwb"""

from __future__ import annotations

import argparse
from decimal import Decimal
from pathlib import Path

from workbench.accounting.ledger import balances, remaining, uncounted
from workbench.accounting.wording import exact
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.project.records import DatasetRecord, LedgerRecord

HELP = "Show what approved releases have spent on each data set, per privacy definition, and what remains."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="P.dwb")


def run(args: argparse.Namespace) -> int:
    with opened(args.project, person()) as workspace:
        datasets = workspace.project.datasets()
        books = [(dataset, workspace.project.ledger(dataset.id)) for dataset in datasets]
    if args.json:
        print_json(_json(books))
        return 0
    for dataset, entries in books:
        cap = "no cap" if dataset.cap is None else f"cap {exact(dataset.cap)}"
        print(f"{dataset.name} (content {dataset.content[:12]}…), {cap}")
        for balance in balances(entries, dataset.cap):
            left = "" if balance.remaining is None else f" {exact(balance.remaining)} remain."
            print(f"  {balance.total.sentence()}{left}")
        for entry in entries:
            print(f"    {entry.entered_at[:10]} {entry.release_id}: {entry.sentence}")
        if uncounted(entries):
            print(f"  {uncounted(entries)} releases without a formal promise are not counted.")
    if not books:
        print("No data set has been used yet.")
    return 0


def _json(books: list[tuple[DatasetRecord, tuple[LedgerRecord, ...]]]) -> dict[str, object]:
    """Totals at the top are those of the data set that has spent most: a script that looks at one number sees it."""
    sets = [_dataset_json(dataset, entries) for dataset, entries in books]
    spent = max(sets, key=lambda one: Decimal(str(one["total_epsilon"])), default=None)
    top = {key: spent[key] if spent else None for key in ("total_epsilon", "total_delta", "remaining_epsilon")}
    return {"entries": [entry for one in sets for entry in one["entries"]], **top, "datasets": sets}  # type: ignore[attr-defined]


def _dataset_json(dataset: DatasetRecord, entries: tuple[LedgerRecord, ...]) -> dict[str, object]:
    found = balances(entries, dataset.cap)
    most = max(found, key=lambda balance: balance.total.epsilon, default=None)
    total = most.total.epsilon if most else Decimal(0)
    return {
        "name": dataset.name,
        "content": dataset.content,
        "cap_epsilon": dataset.cap,
        "total_epsilon": total,
        "total_delta": most.total.delta if most else Decimal(0),
        "remaining_epsilon": remaining(total, dataset.cap),
        "by_definition": [
            {
                "definition": balance.total.definition,
                "epsilon": balance.total.epsilon,
                "delta": balance.total.delta,
                "remaining_epsilon": balance.remaining,
                "releases": balance.total.releases,
            }
            for balance in found
        ],
        "entries": [
            {
                "release_id": entry.release_id,
                "definition": entry.definition,
                "epsilon": entry.epsilon,
                "delta": entry.delta,
                "alpha": entry.alpha,
                "rule": entry.rule,
                "sentence": entry.sentence,
                "entered_at": entry.entered_at,
            }
            for entry in entries
        ],
    }

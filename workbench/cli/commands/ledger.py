"""dwb ledger P.dwb"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from workbench.accounting.ledger import Balance, Total, balances, implied_totals, remaining, uncounted
from workbench.accounting.limits import Limits
from workbench.accounting.totals import Rule
from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.core.quantities import agreeing, counted, exact
from workbench.project.records import DatasetRecord, LedgerRecord

HELP = "Show what approved releases have spent on each data set, per privacy definition, and what remains."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Book:
    """One data set with its entries and what may be spent on it."""

    about: DatasetRecord
    entries: tuple[LedgerRecord, ...]
    limits: Limits

    def balances(self) -> tuple[Balance, ...]:
        return balances(self.entries, self.limits)

    def implied(self) -> tuple[Total, ...]:
        return implied_totals(self.entries, self.limits)

    def other_names(self) -> list[str]:
        return list(dict.fromkeys(alias.name for alias in self.about.aliases if alias.name != self.about.name))


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")


def run(args: argparse.Namespace) -> int:
    with opened(args.project, person()) as workspace:
        project = workspace.project
        books = [
            _Book(about=each, entries=project.ledger(each.id), limits=project.limits(each.id))
            for each in project.datasets()
        ]
    if args.json:
        print_json(_json(books))
        return 0
    for book in books:
        _print(book)
    if not books:
        print("No data set has been used yet.")
    return 0


def _print(book: _Book) -> None:
    about = book.about
    cap = "no budget of its own" if about.cap is None else f"budget {exact(about.cap)}"
    print(f"{about.name} (content {about.content[:12]}…), {cap}")
    if book.other_names():
        print(f"  The same data also came as {', '.join(book.other_names())}: one data set, one budget.")
    for balance in book.balances():
        print(f"  {balance.total.sentence()}{_left(balance)}")
    for total in book.implied():
        print(f"  Implied, all definitions that cover it together: {total.sentence()}")
    for entry in book.entries:
        what = f"{entry.release_id}, {entry.part}" if entry.part else entry.release_id
        print(f"    {entry.entered_at[:10]} {what} ({entry.rule}): {entry.workings or entry.sentence}")
    if uncounted(book.entries):
        left = uncounted(book.entries)
        print(f"  {counted(left, 'release')} without a formal promise {agreeing(left, 'is', 'are')} not counted.")


def _left(balance: Balance) -> str:
    words = ""
    if balance.remaining is not None and balance.cap is not None:
        words = f" {_rest(balance.remaining)} {exact(balance.cap)}."
    if balance.remaining_delta is not None and balance.delta_cap is not None and balance.total.delta:
        words += f" δ: {_rest(balance.remaining_delta)} {exact(balance.delta_cap)}."
    return words


def _rest(left: Decimal) -> str:
    return f"{exact(left)} remain of" if left >= 0 else f"{exact(-left)} above the cap of"


def _json(books: Sequence[_Book]) -> dict[str, object]:
    """Totals at the top are those of the data set that has spent most: a script that looks at one number sees it."""
    sets = [_dataset_json(book) for book in books]
    spent = max(sets, key=lambda one: Decimal(str(one["total_epsilon"])), default=None)
    top = {key: spent[key] if spent else None for key in ("total_epsilon", "total_delta", "remaining_epsilon")}
    return {"entries": [entry for one in sets for entry in one["entries"]], **top, "datasets": sets}  # type: ignore[attr-defined]


def _dataset_json(book: _Book) -> dict[str, object]:
    found = book.balances()
    most = max(found, key=lambda balance: balance.total.epsilon, default=None)
    total = most.total.epsilon if most else Decimal(0)
    return {
        "name": book.about.name,
        "content": book.about.content,
        "other_names": book.other_names(),
        "cap_epsilon": book.about.cap,
        "total_epsilon": total,
        "total_delta": most.total.delta if most else Decimal(0),
        "remaining_epsilon": most.remaining if most else remaining(total, book.about.cap),
        "by_definition": [_balance_json(balance) for balance in found],
        "implied": [_total_json(implied) for implied in book.implied()],
        "entries": [_entry_json(entry) for entry in book.entries],
    }


def _balance_json(balance: Balance) -> dict[str, object]:
    return {
        **_total_json(balance.total),
        "cap_epsilon": balance.cap,
        "remaining_epsilon": balance.remaining,
        "cap_delta": balance.delta_cap,
        "remaining_delta": balance.remaining_delta,
    }


def _total_json(total: Total) -> dict[str, object]:
    return {
        "definition": total.definition,
        "epsilon": total.epsilon,
        "delta": total.delta,
        "alpha": total.alpha,
        "releases": total.releases,
        "tighter": None if total.tight.rule is Rule.SEQUENTIAL else total.tight,
    }


def _entry_json(entry: LedgerRecord) -> dict[str, object]:
    return {
        "release_id": entry.release_id,
        "part": entry.part,
        "definition": entry.definition,
        "unit": entry.unit,
        "epsilon": entry.epsilon,
        "delta": entry.delta,
        "alpha": entry.alpha,
        "rule": entry.rule,
        "sentence": entry.sentence,
        "workings": entry.workings,
        "by_exception": bool(entry.exception_id),
        "entered_at": entry.entered_at,
    }

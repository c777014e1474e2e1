"""The ledger for programs: entries, totals and what remains, data set by data set."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from workbench.accounting.ledger import Balance, Total, remaining
from workbench.accounting.totals import Rule
from workbench.project.records import LedgerRecord
from workbench.review.budget.ledger_book import Book


def ledger_facts(books: Sequence[Book]) -> dict[str, object]:
    """Totals at the top are those of the data set that has spent most: a script that looks at one number sees it."""
    sets = [_dataset(book) for book in books]
    spent = max(sets, key=lambda one: Decimal(str(one["total_epsilon"])), default=None)
    top = {key: spent[key] if spent else None for key in ("total_epsilon", "total_delta", "remaining_epsilon")}
    return {"entries": [entry for one in sets for entry in one["entries"]], **top, "datasets": sets}  # type: ignore[attr-defined]


def _dataset(book: Book) -> dict[str, object]:
    found = book.balances
    most = max(found, key=lambda balance: balance.total.epsilon, default=None)
    total = most.total.epsilon if most else Decimal(0)
    return {
        "name": book.about.name,
        "content": book.about.content,
        "other_names": list(book.other_names),
        "shared_with": list(book.shared_with),
        "separated": list(book.separated),
        "programmes": list(book.programmes),
        "cap_epsilon": book.about.cap,
        "total_epsilon": total,
        "total_delta": most.total.delta if most else Decimal(0),
        "remaining_epsilon": most.remaining if most else remaining(total, book.about.cap),
        "by_definition": [_balance(balance) for balance in found],
        "together": [
            {"definition": each.definition, "bound": each.total is not None, "sentence": each.sentence()}
            | (_total(each.total) if each.total is not None else {})
            for each in book.together
        ],
        "entries": [_entry(entry) for entry in book.entries],
    }


def _balance(balance: Balance) -> dict[str, object]:
    return {
        **_total(balance.total),
        "cap_epsilon": balance.cap,
        "remaining_epsilon": balance.remaining,
        "cap_delta": balance.delta_cap,
        "remaining_delta": balance.remaining_delta,
        "share": None
        if balance.share is None
        else {
            "used": balance.share.used,
            "budget": balance.share.rule.budget,
            "order": balance.share.rule.order,
            "promise": balance.share.promise(),
            "who_moves": balance.share.movers(),
        },
        "programme": None if balance.programme is None else balance.programme.words(),
    }


def _total(total: Total) -> dict[str, object]:
    return {
        "definition": total.definition,
        "epsilon": total.epsilon,
        "delta": total.delta,
        "alpha": total.alpha,
        "releases": total.releases,
        "tighter": None if total.tight.rule is Rule.SEQUENTIAL else total.tight,
    }


def _entry(entry: LedgerRecord) -> dict[str, object]:
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
        "read_only": None
        if entry.coverage is None
        else {"attribute": entry.coverage.attribute, "values": list(entry.coverage.values)},
        "by_exception": bool(entry.exception_id),
        "entered_at": entry.entered_at,
    }

"""Formally private tables that tell of the same cells: nothing follows exactly, but their ε adds up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.accounting.entries import Entry, counted_under
from workbench.accounting.implied import read_under, silent_under
from workbench.accounting.ledger import holds_something, total_under
from workbench.audit.differencing.cells import dimension_of, is_total
from workbench.audit.differencing.tables import Hierarchy, Protection, PublishedTable
from workbench.core.progress import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What another table tells of the one under review: how many of its cells again, or sums over which columns."""

    table: PublishedTable
    same_cells: int
    shared: tuple[str, ...]  # dimensions both tables have

    @property
    def again(self) -> bool:
        return self.same_cells > 0


def overlaps(
    under_review: PublishedTable, others: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy], context: Context
) -> tuple[Overlap, ...]:
    """Every other table, with what it shares with the one under review."""
    names = _dimensions(under_review, hierarchies)
    numbered = _numbered((under_review, *others), hierarchies, context)
    return tuple(
        Overlap(
            table=other,
            same_cells=int(np.isin(numbered[0], cells).sum()),
            shared=tuple(name for name in names if name in _dimensions(other, hierarchies)),
        )
        for other, cells in zip(others, numbered[1:], strict=True)
    )


def _dimensions(table: PublishedTable, hierarchies: Sequence[Hierarchy]) -> tuple[str, ...]:
    return tuple(dimension_of(column, hierarchies) for column in table.columns)


def _numbered(
    tables: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy], context: Context
) -> list[NDArray[np.int64]]:
    """For each table one number per row that has a value: the same cell has the same number in every table.

    A cell is its codes; the order of columns does not matter, and a total is as good as a column that is not there.
    """
    names = list(dict.fromkeys(name for table in tables for name in _dimensions(table, hierarchies)))
    given = [np.ones(table.rows, bool) if table.suppressed is None else ~table.suppressed for table in tables]
    numbers = [np.zeros(int(rows.sum()), dtype=np.int64) for rows in given]
    for done, name in enumerate(names):
        context.step(done / len(names), f"comparing the cells by {name}")
        places = _places(tables, hierarchies, name)
        numbers = [each * (1 + max(int(p.max(initial=0)) for p in places)) + place[rows]
                   for each, place, rows in zip(numbers, places, given, strict=True)]  # fmt: skip
        _, small = np.unique(np.concatenate(numbers), return_inverse=True)  # so that they never outgrow 64 bits
        numbers = np.split(small.astype(np.int64), np.cumsum([len(each) for each in numbers])[:-1])
    return numbers


def _places(
    tables: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy], name: str
) -> list[NDArray[np.int64]]:  # fmt: skip
    """Each row's code of one dimension as a number; 0 is the total, or a table that does not have the dimension."""
    known: dict[str, int] = {}
    found = []
    for table in tables:
        columns = [keys for keys, own in zip(table.keys, _dimensions(table, hierarchies), strict=True) if own == name]
        place = np.zeros(table.rows, dtype=np.int64)
        for column in columns:
            codes = {
                code: 0 if is_total(code) else known.setdefault(code.strip(), len(known) + 1) for code in set(column)
            }
            fresh = np.fromiter((codes[code] for code in column), dtype=np.int64, count=table.rows)
            place = np.where(fresh > 0, fresh, place)
        found.append(place)
    return found


def composed(tables: Sequence[PublishedTable]) -> dict[str, Decimal | None]:
    """ε of all releases together, for each definition in use: each read under it and added. None: no bound is left."""
    random = (Protection.FORMAL, Protection.NOISY)
    releases = {
        table.name: Entry(
            definition=counted_under(table.definition, formal=table.protection is Protection.FORMAL),
            unit="",
            epsilon=table.epsilon,
            formal=table.protection is Protection.FORMAL,
        )
        for table in tables
        if table.protection in random and table.epsilon and table.definition
    }
    entries = tuple(releases.values())
    found: dict[str, Decimal | None] = {}
    for definition in dict.fromkeys(entry.definition for entry in entries):
        silent = silent_under(definition, entries) if holds_something(definition) else ()
        found[definition.value] = None if silent else total_under(definition, read_under(definition, entries)).epsilon
    return found

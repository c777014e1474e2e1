"""Formally private tables that tell of the same cells: nothing follows exactly, but their ε adds up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from workbench.audit.differencing.cells import dimension_of, is_total
from workbench.audit.differencing.tables import Hierarchy, Protection, PublishedTable

Cell = frozenset[tuple[str, str]]


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
    under_review: PublishedTable, others: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy]
) -> tuple[Overlap, ...]:
    """Every other table, with what it shares with the one under review."""
    own = cells_of(under_review, hierarchies)
    names = _dimensions(under_review, hierarchies)
    return tuple(
        Overlap(
            table=other,
            same_cells=len(own & cells_of(other, hierarchies)),
            shared=tuple(name for name in names if name in _dimensions(other, hierarchies)),
        )
        for other in others
    )


def _dimensions(table: PublishedTable, hierarchies: Sequence[Hierarchy]) -> tuple[str, ...]:
    return tuple(dimension_of(column, hierarchies) for column in table.columns)


def cells_of(table: PublishedTable, hierarchies: Sequence[Hierarchy]) -> set[Cell]:
    """The cells a table gives a value for, each by its codes; the order of columns and totals do not matter."""
    names = _dimensions(table, hierarchies)
    return {
        frozenset((name, code.strip()) for name, code in zip(names, codes, strict=True) if not is_total(code))
        for row, codes in enumerate(zip(*table.keys, strict=True))
        if not table.is_suppressed(row)
    }


def composed(tables: Sequence[PublishedTable]) -> dict[str, Decimal]:
    """ε of all tables together, for each privacy definition: claims under different ones are never added."""
    sums: dict[str, Decimal] = {}
    for table in tables:
        if table.protection in (Protection.FORMAL, Protection.NOISY) and table.epsilon and table.definition:
            sums[table.definition.value] = sums.get(table.definition.value, Decimal(0)) + table.epsilon
    return sums

"""Cells that one table withholds and another prints: an earlier vintage, or another statistic of the same cells.

Unrevised cells are equal in both vintages, so that a revised cell printed today tells its neighbours of yesterday. A
printed count beside a withheld total tells who is alone, and a mean times a count is a total.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.audit.differencing.cells import dimension_of, is_total
from workbench.audit.differencing.tables import Hierarchy, PublishedTable
from workbench.core.findings import Finding, Status, Table
from workbench.core.quantities import agreeing, counted
from workbench.core.value_words import ValueName, declare

declare({"withheld_and_printed": ValueName("Cells withheld in one table and printed in another")})
_MOST_ROWS = 25


def withheld_elsewhere(
    under_review: PublishedTable, others: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy] = ()
) -> Finding | None:
    """Names the cells whose suppression in one table the other undoes; None where every pattern is kept."""
    compared = [
        other for other in others if under_review.algebraic and other.algebraic and not _combined(under_review, other)
    ]
    if not compared:
        return None  # naming a million cells for nobody would hold up the window
    mine = _cells(under_review, hierarchies)
    rows: list[tuple[str, str, str]] = []
    for other in compared:
        theirs = _cells(other, hierarchies)
        for cell, (hidden, words) in mine.items():
            if cell in theirs and hidden != theirs[cell][0]:
                hiding, showing = (under_review, other) if hidden else (other, under_review)
                rows.append((words, hiding.name, showing.name))
    if not rows:
        return None
    return Finding(
        id="differencing.pattern",
        title="One pattern for all versions and statistics",
        status=Status.FAIL,
        sentence=(
            f"{counted(len(rows), 'cell')} withheld in one table {agreeing(len(rows), 'is', 'are')} printed in "
            "another version or with another statistic. Withhold the same cells in both."
        ),
        values={"withheld_and_printed": len(rows)},
        tables=(
            Table(
                title="Cells withheld in one table and printed in another",
                columns=("Cell", "Withheld in", "Printed in"),
                rows=tuple(rows[:_MOST_ROWS]),
            ),
        ),
        does_not_prove="The same pattern in every version can still be too weak; its intervals are bounded apart.",
    )


def _combined(one: PublishedTable, other: PublishedTable) -> bool:
    """The same value of the same data: what follows there is worked out from sums."""
    same_data = not one.population or not other.population or one.population == other.population
    return same_data and one.value_name.strip().casefold() == other.value_name.strip().casefold()


def _cells(
    table: PublishedTable, hierarchies: Sequence[Hierarchy]
) -> dict[frozenset[tuple[str, str]], tuple[bool, str]]:
    """Each cell by its meaning, whether it is withheld, and its codes as the table lists them."""
    names = [dimension_of(column, hierarchies) for column in table.columns]
    cells: dict[frozenset[tuple[str, str]], tuple[bool, str]] = {}
    for row, codes in enumerate(zip(*table.keys, strict=True)):
        named = [(name, code.strip()) for name, code in zip(names, codes, strict=True) if not is_total(code)]
        words = " · ".join(code for _, code in named) or "the total"
        cells[frozenset(named)] = (table.is_suppressed(row), words)
    return cells

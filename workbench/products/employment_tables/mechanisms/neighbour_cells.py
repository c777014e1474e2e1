"""Small prepared tables on which a mechanism can be watched: one cell, repeated many times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.confidential import Confidential
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells, Domain


@dataclass(frozen=True, slots=True, kw_only=True)
class OneCell:
    """What a mechanism may look at in a cell without worker attributes."""

    count: int
    establishments: int
    largest: int
    largest_total: int


def cell_at(cells: Cells, position: int) -> OneCell:
    """The true facts of one cell. Confidential, though plain: keep it inside the function that asked."""
    return OneCell(
        count=int(cells.count.reveal()[position]),
        establishments=int(cells.establishments.reveal()[position]),
        largest=int(cells.largest.reveal()[position]),
        largest_total=int(cells.largest_total.reveal()[position]),
    )


def repeated(cell: OneCell, copies: int) -> Confidential[Cells]:
    """`copies` workplace cells that are all alike, so that one run of a mechanism gives that many draws."""

    def column(value: int) -> Confidential[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        return Confidential(np.full(copies, value, dtype=np.int64))

    domain = Domain(
        workplace=(Attribute(name="copy", values=("the same cell",)),),
        worker=(),
        workplace_cells=np.zeros((copies, 1), dtype=np.int32),
    )
    return Confidential(
        Cells(
            domain=domain,
            count=column(cell.count),
            establishments=column(cell.establishments),
            largest=column(cell.largest),
            largest_total=column(cell.largest_total),
            workplace_largest=column(cell.largest_total),
            jobs=cell.count * copies,
            establishments_total=cell.establishments * copies,
        )
    )


def telling_cells(cells: Cells) -> tuple[tuple[str, int], ...]:
    """(words, position) of the cells worth watching: the largest, the smallest that is not empty, an empty one."""
    count = cells.count.reveal()
    if not len(count):
        return ()
    found: list[tuple[str, int]] = []
    filled = np.flatnonzero(count > 0)
    if len(filled):
        largest = int(filled[np.argmax(count[filled])])
        smallest = int(filled[np.argmin(count[filled])])
        found.append(("the largest cell", largest))
        if smallest != largest:
            found.append(("the smallest cell that is not empty", smallest))
    empty = np.flatnonzero(count == 0)
    if len(empty):
        found.append(("an empty cell", int(empty[0])))
    return tuple(found)

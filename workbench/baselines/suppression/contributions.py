"""Who stands behind each cell: contributions summed per holder, and the largest of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.core.arrays import Floats, Integers


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Contributions:
    """One entry for each cell and holder, sorted by cell and then from the largest down.

    A holder is whoever decides over all its contributions: a firm with several establishments is one holder.
    """

    cells: int
    cell: Integers
    holder: Integers
    amount: Floats

    def starts(self) -> Integers:
        return np.searchsorted(self.cell, np.arange(self.cells + 1)).astype(np.int64)


def summed(cell: Integers, holder: Integers, amount: Floats, *, cells: int) -> Contributions:
    """Contributions summed per cell and holder; nothing is kept where they cancel or are zero."""
    order = np.lexsort((holder, cell))
    cell, holder, amount = cell[order], holder[order], amount[order]
    first = np.ones(len(cell), dtype=bool)
    first[1:] = (cell[1:] != cell[:-1]) | (holder[1:] != holder[:-1])
    total = np.add.reduceat(amount, np.flatnonzero(first)) if len(cell) else amount
    cell, holder = cell[first], holder[first]
    kept = total > 0
    cell, holder, total = cell[kept], holder[kept], total[kept]
    order = np.lexsort((-total, cell))
    return Contributions(cells=cells, cell=cell[order], holder=holder[order], amount=total[order])


def gathered(membership: Any, given: Contributions) -> Contributions:
    """The contributions to sums of cells. `membership` is sparse, sums × cells."""
    from scipy.sparse import csr_array

    holders, place = np.unique(given.holder, return_inverse=True)  # numbers may be far apart, and columns cost memory
    by_holder = csr_array((given.amount, (given.cell, place)), shape=(given.cells, max(len(holders), 1)))
    both = (membership @ by_holder).tocoo()
    who = holders[both.col] if len(holders) else both.col.astype(np.int64)
    return summed(both.row.astype(np.int64), who, both.data.astype(np.float64), cells=membership.shape[0])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Behind:
    """What the primary rules ask of each cell. `largest` holds the largest contributions, the first column first.

    Where a table was given without its contributors, `largest` has a single column.
    """

    total: Floats
    contributors: Integers
    largest: Floats  # cells × kept

    def top(self, many: int) -> Floats:
        """The sum of the `many` largest contributions to each cell."""
        summed_top: Floats = self.largest[:, :many].sum(axis=1)
        return summed_top


def behind(given: Contributions, total: Floats, *, kept: int = 2) -> Behind:
    """The facts of each cell from its contributions."""
    starts = given.starts()
    many = np.diff(starts)
    largest = np.zeros((given.cells, kept))
    for place in range(kept):
        has = many > place
        largest[has, place] = given.amount[starts[:-1][has] + place]
    return Behind(total=total, contributors=many.astype(np.int64), largest=largest)

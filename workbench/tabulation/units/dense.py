"""The quick route: a histogram of unit × row combination per chunk, then sums and maxima per listed combination."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.progress import Context
from workbench.core.together import in_order
from workbench.tabulation.units.arrangement import Contents, Placed
from workbench.tabulation.units.layout import SortedRows, spans
from workbench.tabulation.units.tally import Counted, Fragments, Tally

PRESENT = 32  # bit above every possible number of rows of a chunk, where units are counted alongside


def combined(arranged: SortedRows, rows: slice, placed: Placed) -> NDArray[Any]:
    """Each row's combination of row attributes, the last attribute fastest, in the narrowest integers that do."""
    kind = np.min_scalar_type(-placed.grid.crossings)
    made = np.zeros(rows.stop - rows.start, dtype=kind)
    for number, (name, size) in enumerate(zip(placed.grid.crossed, placed.grid.crossed_sizes, strict=True)):
        if number:
            made *= kind.type(size)
        made += arranged.of_row[name][rows].astype(kind, copy=False)
    return made


def tabulate_dense(contents: Contents, arranged: SortedRows, placed: Placed, *, tally: Tally, context: Context) -> None:
    """Fill the tally. Memory beyond the result: for each core a chunk's units × combinations of row attributes."""
    fragments = Fragments.of(contents, placed.place_of_group, arranged.chunk_start[:-1])
    chunks = (
        partial(_counted, contents, arranged, placed, tally=tally, inside=fragments.within(who), units=who, rows=rows)
        for who, rows in spans(arranged)
    )
    # Without row attributes a chunk is counted already: threads would cost more than they bring.
    counted = in_order(chunks) if placed.grid.crossed else (chunk() for chunk in chunks)
    tally.add_all(counted, np.diff(arranged.row_start), context)


def _counted(
    contents: Contents, arranged: SortedRows, placed: Placed, *, tally: Tally, inside: Fragments, units: slice,
    rows: slice,
) -> Counted:  # fmt: skip
    """One chunk. Of the tally only its layout is looked at: another chunk may be at work beside this one."""
    combinations = placed.grid.crossings
    histogram = _histogram(contents, arranged, placed, units=units, rows=rows)
    summed = np.add.reduceat(histogram | ((histogram > 0).astype(np.int64) << PRESENT), inside.start, axis=1)
    best = (histogram << tally.bits) + contents.total_rank[units]
    best = np.maximum.reduceat(best, inside.start, axis=1)
    cell, summed, best = _merged(inside.cell, summed, best)
    summed, best = summed.T.ravel(), best.T.ravel()
    return Counted(
        cells=(cell[:, None] * combinations + np.arange(combinations)).ravel(),
        count=summed & ((1 << PRESENT) - 1),
        units=summed >> PRESENT,
        best=best,
        entries=None if tally.entries is None else _entries(contents, histogram, inside, units),
    )


def _histogram(
    contents: Contents, arranged: SortedRows, placed: Placed, *, units: slice, rows: slice
) -> NDArray[np.int64]:
    """Rows by combination of row attributes (rows) and unit of the chunk (columns)."""
    width = units.stop - units.start
    combinations = placed.grid.crossings
    if not placed.grid.crossed:
        return contents.total[None, units]
    key = combined(arranged, rows, placed).astype(np.int64)
    key *= width
    key += arranged.unit[rows]
    key -= units.start
    return np.bincount(key, minlength=width * combinations).reshape(combinations, width)


def _merged(cell: Integers, summed: Integers, best: Integers) -> tuple[Integers, Integers, Integers]:
    """Fragments of one cell that are not neighbours, put together."""
    if bool((cell[1:] > cell[:-1]).all()):
        return cell, summed, best
    order = np.argsort(cell, kind="stable")
    cell = cell[order]
    fresh = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    return (
        cell[fresh],
        np.add.reduceat(summed[:, order], fresh, axis=1),
        np.maximum.reduceat(best[:, order], fresh, axis=1),
    )


def _entries(
    contents: Contents, histogram: Integers, inside: Fragments, units: slice
) -> tuple[Integers, NDArray[np.int32], Integers]:
    combination, unit = np.nonzero(histogram)
    cell = inside.each(inside.cell, histogram.shape[1])[unit] * histogram.shape[0] + combination
    return cell, contents.identifier[units][unit], histogram[combination, unit]

"""The route for many combinations of row attributes: only those that occur are held, found by sorting packed keys."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.progress import Context
from workbench.core.together import in_order
from workbench.tabulation.units.arrangement import Contents, Placed
from workbench.tabulation.units.dense import combined
from workbench.tabulation.units.layout import SortedRows, spans
from workbench.tabulation.units.tally import Counted, Fragments, Tally

_BRIEF = 1 << 16


def tabulate_sparse(
    contents: Contents, arranged: SortedRows, placed: Placed, *, tally: Tally, context: Context
) -> None:
    """Fill the tally. Memory beyond the result: for each core a chunk's rows, however many combinations there are."""
    fragments = Fragments.of(contents, placed.place_of_group, arranged.chunk_start[:-1])
    chunks = (
        partial(_counted, contents, arranged, placed, tally=tally, inside=fragments.within(who), units=who, rows=rows)
        for who, rows in spans(arranged)
    )
    tally.add_all(in_order(chunks), np.diff(arranged.row_start), context)


def _counted(
    contents: Contents, arranged: SortedRows, placed: Placed, *, tally: Tally, inside: Fragments, units: slice,
    rows: slice,
) -> Counted:  # fmt: skip
    """One chunk. Of the tally only its layout is looked at: another chunk may be at work beside this one."""
    combinations = placed.grid.crossings
    listed, local = np.unique(inside.cell, return_inverse=True)
    in_place = _placed_briefly if len(listed) * combinations <= _BRIEF else _placed
    where, who, rows_of = in_place(contents, arranged, placed, units=units, rows=rows,
                                   cell=inside.each(local, units.stop - units.start))  # fmt: skip
    first = _changes(where)
    return Counted(
        cells=_cells(where[first], listed, combinations),
        count=np.add.reduceat(rows_of, first),
        units=np.diff(first, append=len(where)),
        best=np.maximum.reduceat((rows_of << tally.bits) + contents.total_rank[units][who], first),
        entries=None
        if tally.entries is None
        else (_cells(where, listed, combinations), contents.identifier[units][who], rows_of),
    )


def _placed(
    contents: Contents, arranged: SortedRows, placed: Placed, *, units: slice, rows: slice, cell: Integers
) -> tuple[Integers, Integers, Integers]:
    """(place, unit, rows) of everything that occurs in a chunk, in order; a place is a cell of the chunk.

    Place and unit in one integer: one plain sort orders both.
    """
    combinations, width = placed.grid.crossings, units.stop - units.start
    bits = (width - 1).bit_length()
    base = (cell * combinations << bits) | np.arange(width)
    kind = np.uint32 if (int(cell.max()) + 1) * combinations << bits <= 2**32 else np.int64
    key = np.repeat(base.astype(kind), contents.total[units])
    key += np.left_shift(combined(arranged, rows, placed).astype(kind), kind(bits))
    key.sort()
    start = _changes(key)
    found = key[start].astype(np.int64)
    return found >> bits, found & ((1 << bits) - 1), np.diff(start, append=len(key))


def _placed_briefly(
    contents: Contents, arranged: SortedRows, placed: Placed, *, units: slice, rows: slice, cell: Integers
) -> tuple[Integers, Integers, Integers]:
    """The same where places fit into 16 bits, for which numpy has a sort that never compares.

    Rows stand by unit already, and the sort keeps the order of equals: only places have to be sorted.
    """
    place = np.repeat((cell * placed.grid.crossings).astype(np.uint16), contents.total[units])
    place += combined(arranged, rows, placed).astype(np.uint16)
    order = np.argsort(place, kind="stable")
    place, who = place[order], arranged.unit[rows][order]
    fresh = np.concatenate([[True], (place[1:] != place[:-1]) | (who[1:] != who[:-1])])
    start = np.flatnonzero(fresh)
    return (
        place[start].astype(np.int64),
        who[start].astype(np.int64) - units.start,
        np.diff(start, append=len(place)),
    )


def _cells(local: Integers, listed: Integers, combinations: int) -> Integers:
    """Cell numbers of the table from those of a chunk."""
    cell, combination = np.divmod(local, combinations)
    return listed[cell] * combinations + combination


def _changes(values: NDArray[np.int64] | NDArray[np.uint32]) -> Integers:
    """Where each run of equal values begins."""
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])).astype(np.int64, copy=False)

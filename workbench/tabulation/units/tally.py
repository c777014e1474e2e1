"""Running results per cell, filled chunk by chunk by whichever route counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import Context, Part
from workbench.core.together import together
from workbench.tabulation.answers import Contributions, UnitCells
from workbench.tabulation.units.arrangement import Arrangement, Contents, Placed

BLOCK = 250_000


Entries = tuple[Integers, NDArray[np.int32], Integers]  # cell, unit and rows of each contribution


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Counted:
    """What one chunk of rows adds: results for cells that are all different."""

    cells: Integers
    count: Integers
    units: Integers
    best: Integers
    entries: Entries | None = None


@dataclass(slots=True, kw_only=True, repr=False)
class Tally:
    """Per cell: rows, units, and the best contribution packed with the rank of its unit's total.

    best = rows · 2^bits + rank, so that one maximum finds the largest contribution and, among equals, the larger
    unit. In a cell without rows the upper part is 0 and the lower one means nothing.
    """

    count: Integers
    units: Integers
    best: Integers
    bits: int
    entries: list[Entries] | None = field(default=None)

    @classmethod
    def empty(cls, cells: int, contents: Contents, *, contributions: bool) -> Tally:
        return cls(
            count=np.zeros(cells, dtype=np.int64),
            units=np.zeros(cells, dtype=np.int64),
            best=np.zeros(cells, dtype=np.int64),
            bits=int(len(contents.distinct_totals) - 1).bit_length(),
            entries=[] if contributions else None,
        )

    def add(self, chunk: Counted) -> None:
        self.count[chunk.cells] += chunk.count
        self.units[chunk.cells] += chunk.units
        self.best[chunk.cells] = np.maximum(self.best[chunk.cells], chunk.best)
        if self.entries is not None and chunk.entries is not None:
            self.entries.append(chunk.entries)

    def add_all(self, chunks: Iterable[Counted], sizes: Integers, context: Context) -> None:
        """Add chunks one after the other; `sizes` are their rows."""
        done = np.cumsum(sizes) / max(1, int(np.sum(sizes)))
        for number, counted in enumerate(chunks):
            self.add(counted)
            context.step(0.95 * float(done[number]), "counting rows")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fragments:
    """Runs of neighbouring units that share a place in the list, cut wherever a chunk begins."""

    start: Integers
    cell: Integers

    @classmethod
    def of(cls, contents: Contents, place_of_group: Integers, cuts: Integers) -> Fragments:
        fresh = np.concatenate([[True], place_of_group[1:] != place_of_group[:-1]])
        run_start, run_cell = contents.group_start[fresh], place_of_group[fresh]
        start = np.union1d(run_start, cuts)
        return cls(start=start, cell=run_cell[np.searchsorted(run_start, start, side="right") - 1])

    def within(self, units: slice) -> Fragments:
        """Those of one chunk, numbered from its first unit."""
        first, last = np.searchsorted(self.start, [units.start, units.stop])
        return Fragments(start=self.start[first:last] - units.start, cell=self.cell[first:last])

    def each(self, values: Integers, units: int) -> Integers:
        """A value per fragment, given to every unit of the chunk."""
        return np.repeat(values, np.diff(self.start, append=units))


def finish(tally: Tally, arrangement: Arrangement, placed: Placed, context: Context) -> UnitCells:
    """Unpack the running results into the cells everybody reads."""
    contents = arrangement.contents.reveal()
    largest, largest_total = tally.best, np.zeros(len(tally.best), dtype=np.int64)

    def unpack(start: int) -> None:
        part = largest[start : start + BLOCK]
        rank = part & ((1 << tally.bits) - 1)
        part >>= tally.bits
        np.multiply(contents.distinct_totals[rank], part > 0, out=largest_total[start : start + BLOCK])

    blocks = [partial(unpack, start) for start in range(0, len(largest), BLOCK)]
    together(blocks, Part(context, 0.95, 1.0), "gathering the cells")
    return UnitCells(
        count=Confidential(tally.count),
        units=Confidential(tally.units),
        largest=Confidential(largest),
        largest_total=Confidential(largest_total),
        listed_largest=Confidential(_listed_largest(contents, placed)),
        contributions=_contributions(tally, arrangement),
    )


def _listed_largest(contents: Contents, placed: Placed) -> Integers:
    largest = np.zeros(placed.grid.places, dtype=np.int64)
    by_place = np.argsort(placed.place_of_group, kind="stable")
    place = placed.place_of_group[by_place]
    fresh = np.flatnonzero(np.concatenate([[True], place[1:] != place[:-1]]))
    of_group = np.maximum.reduceat(contents.total, contents.group_start)
    largest[place[fresh]] = np.maximum.reduceat(of_group[by_place], fresh)
    return largest


def _contributions(tally: Tally, arrangement: Arrangement) -> Confidential[Contributions] | None:
    if tally.entries is None:
        return None
    cells, units, rows = zip(*tally.entries, strict=True)
    return Confidential(
        Contributions(
            cell=np.concatenate(cells),
            unit=np.concatenate(units),
            rows=np.concatenate(rows),
            identifiers=arrangement.identifiers,
        )
    )

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
from workbench.products.employment_tables.tabulation.cells import Cells, Contributions
from workbench.products.employment_tables.tabulation.domain import Placed
from workbench.products.employment_tables.tabulation.index import Contents, JobIndex

BLOCK = 250_000


Entries = tuple[Integers, NDArray[np.int32], Integers]  # cell, establishment and jobs of each contribution


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Counted:
    """What one chunk of jobs adds: results for cells that are all different."""

    cells: Integers
    count: Integers
    establishments: Integers
    best: Integers
    entries: Entries | None = None


@dataclass(slots=True, kw_only=True, repr=False)
class Tally:
    """Per cell: jobs, establishments, and the best contribution packed with the rank of its establishment's total.

    best = jobs · 2^bits + rank, so that one maximum finds the largest contribution and, among equals, the larger
    establishment. In a cell without jobs the upper part is 0 and the lower one means nothing.
    """

    count: Integers
    establishments: Integers
    best: Integers
    bits: int
    entries: list[Entries] | None = field(default=None)

    @classmethod
    def empty(cls, cells: int, contents: Contents, *, contributions: bool) -> Tally:
        return cls(
            count=np.zeros(cells, dtype=np.int64),
            establishments=np.zeros(cells, dtype=np.int64),
            best=np.zeros(cells, dtype=np.int64),
            bits=int(len(contents.distinct_totals) - 1).bit_length(),
            entries=[] if contributions else None,
        )

    def add(self, chunk: Counted) -> None:
        self.count[chunk.cells] += chunk.count
        self.establishments[chunk.cells] += chunk.establishments
        self.best[chunk.cells] = np.maximum(self.best[chunk.cells], chunk.best)
        if self.entries is not None and chunk.entries is not None:
            self.entries.append(chunk.entries)

    def add_all(self, chunks: Iterable[Counted], sizes: Integers, context: Context) -> None:
        """Add chunks one after the other; `sizes` are their jobs."""
        done = np.cumsum(sizes) / max(1, int(np.sum(sizes)))
        for number, counted in enumerate(chunks):
            self.add(counted)
            context.step(0.95 * float(done[number]), "counting jobs")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fragments:
    """Runs of neighbouring establishments that share a workplace cell, cut wherever a chunk begins."""

    start: Integers
    cell: Integers

    @classmethod
    def of(cls, contents: Contents, cell_of_group: Integers, cuts: Integers) -> Fragments:
        fresh = np.concatenate([[True], cell_of_group[1:] != cell_of_group[:-1]])
        run_start, run_cell = contents.group_start[fresh], cell_of_group[fresh]
        start = np.union1d(run_start, cuts)
        return cls(start=start, cell=run_cell[np.searchsorted(run_start, start, side="right") - 1])

    def within(self, establishments: slice) -> Fragments:
        """Those of one chunk, numbered from its first establishment."""
        first, last = np.searchsorted(self.start, [establishments.start, establishments.stop])
        return Fragments(start=self.start[first:last] - establishments.start, cell=self.cell[first:last])

    def each(self, values: Integers, establishments: int) -> Integers:
        """A value per fragment, given to every establishment of the chunk."""
        return np.repeat(values, np.diff(self.start, append=establishments))


def finish(tally: Tally, index: JobIndex, placed: Placed, context: Context) -> Cells:
    """Unpack the running results into the cells everybody reads."""
    contents = index.contents.reveal()
    largest, largest_total = tally.best, np.zeros(len(tally.best), dtype=np.int64)

    def unpack(start: int) -> None:
        part = largest[start : start + BLOCK]
        rank = part & ((1 << tally.bits) - 1)
        part >>= tally.bits
        np.multiply(contents.distinct_totals[rank], part > 0, out=largest_total[start : start + BLOCK])

    blocks = [partial(unpack, start) for start in range(0, len(largest), BLOCK)]
    together(blocks, Part(context, 0.95, 1.0), "gathering the cells")
    return Cells(
        domain=placed.domain,
        count=Confidential(tally.count),
        establishments=Confidential(tally.establishments),
        largest=Confidential(largest),
        largest_total=Confidential(largest_total),
        workplace_largest=Confidential(_workplace_largest(contents, placed)),
        jobs=index.rows,
        establishments_total=index.establishments,
        most_jobs_of_a_worker=index.most_jobs_of_a_worker,
        contributions=_contributions(tally, index),
    )


def _workplace_largest(contents: Contents, placed: Placed) -> Integers:
    largest = np.zeros(len(placed.domain.workplace_cells), dtype=np.int64)
    by_cell = np.argsort(placed.cell_of_group, kind="stable")
    cell = placed.cell_of_group[by_cell]
    fresh = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    of_group = np.maximum.reduceat(contents.total, contents.group_start)
    largest[cell[fresh]] = np.maximum.reduceat(of_group[by_cell], fresh)
    return largest


def _contributions(tally: Tally, index: JobIndex) -> Confidential[Contributions] | None:
    if tally.entries is None:
        return None
    cells, establishments, jobs = zip(*tally.entries, strict=True)
    return Confidential(
        Contributions(
            cell=np.concatenate(cells),
            establishment=np.concatenate(establishments),
            jobs=np.concatenate(jobs),
            identifiers=index.identifiers,
        )
    )

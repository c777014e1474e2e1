"""The quick route: a histogram of establishment × worker cell per chunk, then sums and maxima per workplace cell."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.progress import Context
from workbench.core.together import in_order
from workbench.products.employment_tables.tabulation.domain import Placed
from workbench.products.employment_tables.tabulation.index import Contents
from workbench.products.employment_tables.tabulation.layout import SortedJobs, spans
from workbench.products.employment_tables.tabulation.tally import Counted, Fragments, Tally

PRESENT = 32  # bit above every possible number of jobs of a chunk, where establishments are counted alongside


def combined(jobs: SortedJobs, rows: slice, placed: Placed) -> NDArray[Any]:
    """The worker combination of each job of a chunk, the last attribute fastest, in the narrowest integers that do."""
    kind = np.min_scalar_type(-placed.domain.worker_combinations)
    made = np.zeros(rows.stop - rows.start, dtype=kind)
    for number, attribute in enumerate(placed.domain.worker):
        if number:
            made *= kind.type(len(attribute.values))
        made += jobs.worker[attribute.name][rows].astype(kind, copy=False)
    return made


def tabulate_dense(contents: Contents, jobs: SortedJobs, placed: Placed, *, tally: Tally, context: Context) -> None:
    """Fill the tally. Memory beyond the result: for each core a chunk's establishments × worker combinations."""
    fragments = Fragments.of(contents, placed.cell_of_group, jobs.chunk_start[:-1])
    chunks = (
        partial(
            _counted, contents, jobs, placed, tally=tally, inside=fragments.within(who), establishments=who, rows=rows
        )
        for who, rows in spans(jobs)
    )
    # Without worker attributes a chunk is counted already: threads would cost more than they bring.
    counted = in_order(chunks) if placed.domain.worker else (chunk() for chunk in chunks)
    tally.add_all(counted, np.diff(jobs.job_start), context)


def _counted(
    contents: Contents, jobs: SortedJobs, placed: Placed, *, tally: Tally, inside: Fragments, establishments: slice,
    rows: slice,
) -> Counted:  # fmt: skip
    """One chunk. Of the tally only its layout is looked at: another chunk may be at work beside this one."""
    combinations = placed.domain.worker_combinations
    histogram = _histogram(contents, jobs, placed, establishments=establishments, rows=rows)
    summed = np.add.reduceat(histogram | ((histogram > 0).astype(np.int64) << PRESENT), inside.start, axis=1)
    best = (histogram << tally.bits) + contents.total_rank[establishments]
    best = np.maximum.reduceat(best, inside.start, axis=1)
    cell, summed, best = _merged(inside.cell, summed, best)
    summed, best = summed.T.ravel(), best.T.ravel()
    return Counted(
        cells=(cell[:, None] * combinations + np.arange(combinations)).ravel(),
        count=summed & ((1 << PRESENT) - 1),
        establishments=summed >> PRESENT,
        best=best,
        entries=None if tally.entries is None else _entries(contents, histogram, inside, establishments),
    )


def _histogram(
    contents: Contents, jobs: SortedJobs, placed: Placed, *, establishments: slice, rows: slice
) -> NDArray[np.int64]:
    """Jobs by worker combination (rows) and establishment of the chunk (columns)."""
    width = establishments.stop - establishments.start
    combinations = placed.domain.worker_combinations
    if not placed.domain.worker:
        return contents.total[None, establishments]
    key = combined(jobs, rows, placed).astype(np.int64)
    key *= width
    key += jobs.establishment[rows]
    key -= establishments.start
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
    contents: Contents, histogram: Integers, inside: Fragments, establishments: slice
) -> tuple[Integers, NDArray[np.int32], Integers]:
    combination, establishment = np.nonzero(histogram)
    cell = inside.each(inside.cell, histogram.shape[1])[establishment] * histogram.shape[0] + combination
    return cell, contents.identifier[establishments][establishment], histogram[combination, establishment]

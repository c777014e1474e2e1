"""The route for many worker combinations: only those that occur are ever held, found by sorting packed keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.progress import Context
from workbench.tabulation.cells import Counts
from workbench.tabulation.dense import combined
from workbench.tabulation.domain import Placed
from workbench.tabulation.index import Contents
from workbench.tabulation.layout import SortedJobs, spans
from workbench.tabulation.tally import Fragments, Tally


def tabulate_sparse(contents: Contents, jobs: SortedJobs, placed: Placed, *, tally: Tally, context: Context) -> None:
    """Fill the tally. Memory beyond the result: a chunk's jobs, however many worker combinations there are."""
    fragments = Fragments.of(contents, placed.cell_of_group, jobs.chunk_start[:-1])
    combinations = placed.domain.worker_combinations
    for establishments, rows in spans(jobs):
        context.step(0.95 * rows.start / int(jobs.job_start[-1]), "counting jobs")
        width = establishments.stop - establishments.start
        bits = (width - 1).bit_length()
        inside = fragments.within(establishments)
        listed, local = np.unique(inside.cell, return_inverse=True)
        base = (inside.each(local, width) * combinations << bits) | np.arange(width)
        kind = np.uint32 if (len(listed) * combinations) << bits <= 2**32 else np.int64
        key = np.repeat(base.astype(kind), contents.total[establishments])
        key += np.left_shift(combined(jobs, rows, placed).astype(kind), kind(bits))
        key.sort()
        start = _changes(key)
        jobs_of = np.diff(start, append=len(key))
        found = key[start].astype(np.int64)
        who, where = found & ((1 << bits) - 1), found >> bits
        first = _changes(where)
        tally.add(
            _cells(where[first], listed, combinations),
            count=np.add.reduceat(jobs_of, first),
            establishments=np.diff(first, append=len(where)),
            best=np.maximum.reduceat((jobs_of << tally.bits) + contents.total_rank[establishments][who], first),
        )
        if tally.entries is not None:
            identifier = contents.identifier[establishments][who]
            tally.entries.append((_cells(where, listed, combinations), identifier, jobs_of))


def _cells(local: Counts, listed: Counts, combinations: int) -> Counts:
    """Cell numbers of the table from those of a chunk."""
    cell, combination = np.divmod(local, combinations)
    return listed[cell] * combinations + combination


def _changes(values: NDArray[np.int64] | NDArray[np.uint32]) -> Counts:
    """Where each run of equal values begins."""
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])).astype(np.int64, copy=False)

"""The route for many worker combinations: only those that occur are ever held, found by sorting packed keys."""

from __future__ import annotations

import numpy as np

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
        bits = width.bit_length()
        listed, local_cell = np.unique(fragments.within(establishments).cell_of_each(width), return_inverse=True)
        establishment = jobs.establishment[rows] - establishments.start
        key = local_cell[establishment] * combinations
        key += combined(jobs, rows, placed)
        key <<= bits
        key |= establishment
        key.sort()
        start = _changes(key)
        jobs_of = np.diff(start, append=len(key))
        who, where = key[start] & ((1 << bits) - 1), key[start] >> bits
        first = _changes(where)
        cell, combination = np.divmod(where[first], combinations)
        tally.add(
            listed[cell] * combinations + combination,
            count=np.add.reduceat(jobs_of, first),
            establishments=np.diff(first, append=len(where)),
            best=np.maximum.reduceat((jobs_of << tally.bits) + contents.total_rank[establishments][who], first),
        )
        if tally.entries is not None:
            cell, combination = np.divmod(where, combinations)
            tally.entries.append(
                (listed[cell] * combinations + combination, contents.identifier[establishments][who], jobs_of)
            )


def _changes(values: Counts) -> Counts:
    """Where each run of equal values begins."""
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])).astype(np.int64)

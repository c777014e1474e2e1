"""One person, several jobs: what the column that identifies workers says about the most jobs that are paid for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.errors import Problem
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role, columns_with


def worker_columns(inputs: Inputs) -> list[Problem]:
    """Two columns that identify workers leave open whose jobs are to be counted: a job number looks like a person."""
    named = columns_with(inputs.roles, Role.WORKER)
    if len(named) < 2:
        return []
    do = f"Keep the role “worker” for one of {', '.join(named)}"
    return [Problem("More than one column identifies workers", inputs.microdata.name, do)]


def many_jobs(inputs: Inputs, most: int, counts: Sequence[Integers]) -> list[Problem]:
    """Workers with more jobs than `most`; `counts` are the jobs of each row, once for every set of segments.

    A row that counts twenty jobs of one worker moves twenty jobs with that worker's home, so counts are added up.
    """
    named = [name for name in columns_with(inputs.roles, Role.WORKER) if name in inputs.microdata.columns]
    if not named:
        return []
    codes = inputs.microdata.coded(named[0]).codes.reveal()
    known = codes >= 0
    if all(np.bincount(codes[known], weights=jobs[known], minlength=1).max() <= most for jobs in counts):
        return []
    what = f"Some workers have more than {most} job{'s' if most > 1 else ''}"
    do = "Raise the most jobs of a worker, which raises the release's ε, or keep one job of each"
    return [Problem(what, "jobs_per_worker", do)]

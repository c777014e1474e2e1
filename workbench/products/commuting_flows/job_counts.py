"""Four job counts of every row, as OnTheMap has them: all jobs, primary jobs, private jobs, primary private jobs.

Every job is in exactly one of four classes, primary or not × private or not. The classes divide populations, so one job
moves one class alone and all four counts together cost what one of them costs. The counts are sums of classes: they
nest by construction, JT03 ≤ JT01 ≤ JT00 and JT03 ≤ JT02 ≤ JT00.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.errors import Problem

CLASSES = ("primary private", "primary public", "other private", "other public")
NOTE = (
    "Every job is in one class, primary or not and private or not. So the four job counts cost ε once, all together "
    "and each alone."
)


def classes_of(counts: Sequence[Integers]) -> list[Integers]:
    """Jobs by class from the four counts; negative where they do not nest."""
    every, primary, private, both = counts
    return [both, primary - both, private - both, every - primary - private + both]


def counts_of(classes: Integers) -> Integers:
    """The four counts of each row from its jobs by class (rows × 4)."""
    both, primary, private, neither = classes.T
    return np.stack([both + primary + private + neither, both + primary, both + private, both], axis=1)


def nesting_problems(counts: Sequence[Integers], names: Sequence[str], file: str) -> list[Problem]:
    if all(np.all(jobs >= 0) for jobs in classes_of(counts)):
        return []
    every, primary, private, both = names
    what = (
        f"The job counts do not nest in some rows: “{both}” is part of “{primary}” and of “{private}”, and these of "
        f"“{every}”"
    )
    do = "Choose all, primary, private and primary private jobs in this order, or correct those rows"
    return [Problem(what, file, do)]


def job_count_rules(names: Sequence[str], jobs: str, segments: Sequence[str]) -> list[Problem]:
    """What is wrong with the choice of columns, before any row is read."""
    if not names:
        return []
    found = []
    if len(names) != len(CLASSES) or len(set(names)) != len(CLASSES):
        do = "Choose all jobs, primary jobs, private jobs and primary private jobs, in this order"
        found.append(Problem("Job counts are four different columns", "job_counts", do))
    if segments or jobs:
        do = "Leave this empty, or the job counts"
        found.append(Problem("The job counts count the jobs already", "segments" if segments else "jobs", do))
    return found

"""Whether a characteristic of jobs follows from where workers live: then publishing it would publish their homes.

Jobs that share a home (its block, its tract), or workplace and home, are compared with each other. How many of them do
not have the most frequent value of their group is compared with how many would not if the values were shuffled among
the jobs of every workplace. Shuffling keeps what a workplace alone decides (its sector, its county) and how common
each value is, and breaks every other tie to the home; so neither a trait of workplaces nor a value that nearly all
jobs have looks like a trait of homes. Workplaces too small to be shuffled leave the comparison of homes over all jobs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.randomness import StudyRandom
from workbench.products.commuting_flows.flows.populations import distinct

Numbers = NDArray[np.int64]

_ENOUGH_JOBS = 30  # fewer jobs of shared homes could agree by chance
_AGREE = 0.98  # of the jobs of shared homes; the rest are odd rows
_RARER = 4  # times as rare as by chance must disagreement be
_DEVIATIONS = 3.0
_MOST_JOBS = 500_000  # more are judged by a part of the home tracts
_SEED = 1  # of the shuffle, which nothing published depends on


class Told(Enum):
    """What tells the value of a characteristic. TOO_FEW: hardly any jobs share their home, so nobody can say."""

    NOT = auto()
    BY_HOME = auto()
    BY_HOME_AND_WORK = auto()
    TOO_FEW = auto()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Jobs:
    """One entry a job: number of its workplace, of the home's block and tract, of its value."""

    work: Numbers
    block: Numbers
    tract: Numbers
    value: Numbers


def told_by_home(jobs: Jobs) -> Told:
    """Whether the value follows, but for odd rows, from the home, or from home and workplace together."""
    jobs = _part(jobs)
    if not len(jobs.value) or jobs.value.min() == jobs.value.max():
        return Told.NOT
    by_home = (jobs.block, jobs.tract)
    by_both = [_pairs(jobs.work, home) for home in by_home]
    random = StudyRandom(_SEED).generator
    within = _shuffled(jobs.value, jobs.work, random)
    at_work = _disagreement(jobs.work, jobs.value)
    explained = at_work.jobs >= _ENOUGH_JOBS and at_work.agree >= _AGREE
    overall = within if explained else _shuffled(jobs.value, np.zeros_like(jobs.work), random)
    for home in by_home:
        found = _disagreement(home, jobs.value)
        if any(found.rarer_than(_disagreement(home, chance)) for chance in (within, overall)):
            return Told.BY_HOME
    for both in by_both:
        if _disagreement(both, jobs.value).rarer_than(_disagreement(both, within)):
            return Told.BY_HOME_AND_WORK
    if explained and not at_work.odd:
        return Told.NOT
    few = any(_disagreement(group, jobs.value).jobs < _ENOUGH_JOBS for group in (jobs.block, by_both[0]))
    return Told.TOO_FEW if few else Told.NOT


@dataclass(frozen=True, slots=True)
class _Disagreement:
    """Of the jobs in groups of at least two, how many do not have their group's most frequent value."""

    odd: int
    jobs: int

    @property
    def agree(self) -> float:
        return 1.0 - self.odd / max(self.jobs, 1)

    def rarer_than(self, chance: _Disagreement) -> bool:
        """Whether nearly all agree, and far more than by chance."""
        enough = self.jobs >= _ENOUGH_JOBS and self.agree >= _AGREE and self.odd * _RARER <= chance.odd
        return enough and chance.odd - self.odd >= max(_DEVIATIONS * sqrt(chance.odd), 1.0)


def _disagreement(group: Numbers, value: Numbers) -> _Disagreement:
    values = int(value.max()) + 1
    cell = np.sort(group * values + value)
    first = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    held = np.diff(np.append(first, len(cell)))
    owner = cell[first] // values
    start = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    members, most = np.add.reduceat(held, start), np.maximum.reduceat(held, start)
    shared = members > 1
    return _Disagreement(int((members - most)[shared].sum()), int(members[shared].sum()))


def _shuffled(value: Numbers, within: Numbers, random: np.random.Generator) -> Numbers:
    """The values in another order, each in the group it was in."""
    shuffled = np.empty_like(value)
    shuffled[np.argsort(within, kind="stable")] = value[np.lexsort((random.random(len(value)), within))]
    return shuffled


def _pairs(first: Numbers, second: Numbers) -> Numbers:
    """A small number for every pair that occurs."""
    return _numbered(first * (int(second.max()) + 1) + second)


def _numbered(key: NDArray[Any]) -> Numbers:
    wide = key.astype(np.int64)
    return np.searchsorted(distinct(wide), wide).astype(np.int64)


def _part(jobs: Jobs) -> Jobs:
    """All jobs, or those of every so many-th home tract, so that whoever shares a home stays together."""
    tract = _numbered(jobs.tract)
    chosen = tract % max(1, ceil(len(tract) / _MOST_JOBS)) == 0
    return Jobs(
        work=_numbered(jobs.work[chosen]),
        block=_numbered(jobs.block[chosen]),
        tract=tract[chosen],
        value=_numbered(jobs.value[chosen]),
    )

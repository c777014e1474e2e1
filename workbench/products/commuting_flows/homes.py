"""What divides workers must not tell where they live: characteristics and segments that follow from the home."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.errors import Problem
from workbench.products.commuting_flows.flows.columns import UNKNOWN
from workbench.products.commuting_flows.flows.follows import Jobs, Told, told_by_home
from workbench.products.commuting_flows.flows.structures import Geography, Indices, Level
from workbench.products.commuting_flows.job_counts import classes_of
from workbench.products.commuting_flows.pairs import Pairs
from workbench.products.commuting_flows.params import CommutingFlowsParams
from workbench.products.commuting_flows.segments import lodes_set, sets_of

_MOST_OF_A_ROW = 5  # jobs of one row that are looked at: enough to see that they agree
_MOST_JOBS = 1_000_000_000  # of one row, so that a number stays whole

_FOLLOWS = {
    Told.BY_HOME: "follows from the residence",
    Told.BY_HOME_AND_WORK: "follows from workplace and residence together",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Division:
    """What divides jobs: its columns, and by entry the number of a part with the jobs in it, once or once a part.

    Where a part is not compared with any other (`alone`), nothing can be said about it.
    """

    where: str
    columns: tuple[str, ...]
    parts: Sequence[tuple[NDArray[np.int64], Integers]]
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Why the columns that divide workers are refused, and the columns about which nothing can be said."""

    problems: list[Problem]
    unjudged: tuple[str, ...]


def judge(pairs: Pairs, params: CommutingFlowsParams, geography: Geography, *, home: Indices) -> Judged:
    """`home` is the block of each entry."""
    problems: list[Problem] = []
    unjudged: list[str] = []
    most = _MOST_OF_A_ROW if pairs.counts else _MOST_JOBS
    for division in _divisions(pairs, params):
        told = Told.TOO_FEW
        if not division.alone:
            told = told_by_home(_jobs(division, pairs.codes[params.work], home, geography, most=most))
        if told is Told.TOO_FEW:
            unjudged += division.columns
        elif told is not Told.NOT:
            named = ", ".join(f"“{name}”" for name in division.columns)
            verb = _FOLLOWS[told] if len(division.columns) == 1 else _FOLLOWS[told].replace("follows", "follow", 1)
            what = f"{named} {verb} for nearly every job, so it would be published where workers live"
            do = "Divide workers by what belongs to the worker or the job, not to the home or the way to work"
            problems.append(Problem(what, division.where, do))
    return Judged(problems=problems, unjudged=tuple(dict.fromkeys(unjudged)))


def _divisions(pairs: Pairs, params: CommutingFlowsParams) -> Iterator[_Division]:
    jobs = pairs.counts.get((*params.job_counts, params.jobs)[0], pairs.rows)
    for name in params.characteristics:
        yield _Division(where="characteristics", columns=(name,), parts=[(pairs.codes[name].astype(np.int64), jobs)])
    if params.segments:
        yield from _segments(pairs, params)
    if params.job_counts:
        held = classes_of([pairs.counts[name] for name in params.job_counts])
        parts = [(np.full(len(jobs), part), np.maximum(jobs, 0)) for part, jobs in enumerate(held)]
        yield _Division(where="job_counts", columns=params.job_counts, parts=parts)


def _segments(pairs: Pairs, params: CommutingFlowsParams) -> Iterator[_Division]:
    """Each set of LODES with the jobs in none of its segments; other columns one by one, and all together.

    Columns of other names may overlap, but those of near and far homes, say, together tell where a home is.
    """
    totals = tuple(pairs.totals)
    sets = [members for members in sets_of(params.segments).values() if params.segments[members[0]] not in totals]
    others = [number for members in sets for number in members if not lodes_set(params.segments[number])]
    if len(others) > 1:
        listed = [members for members in sets if totals or members[0] not in others]
        sets = [*listed, others]
    for members in sets:
        held = [pairs.counts[params.segments[number]] for number in members]
        if totals:
            total = np.clip(pairs.totals[totals[0]], 0, _MOST_JOBS).astype(np.int64)
            held.append(np.maximum(total - np.sum(held, axis=0), 0))
        yield _Division(
            where="segments",
            columns=tuple(params.segments[number] for number in members),
            parts=[(np.full(len(jobs), part), jobs) for part, jobs in enumerate(held)],
            alone=len(held) == 1,
        )


def _jobs(division: _Division, work: Indices, home: Indices, geography: Geography, *, most: int) -> Jobs:
    """One entry a job, of those with a known home; where a row counts jobs, only the first few of a part of it."""
    inside = home != UNKNOWN
    rows, values = [], []
    for value, jobs in division.parts:
        rows.append(np.repeat(np.arange(len(home)), np.where(inside, np.minimum(jobs, most), 0)))
        values.append(value[rows[-1]])
    row = np.concatenate(rows)
    return Jobs(
        work=work[row].astype(np.int64),
        block=home[row].astype(np.int64),
        tract=geography.area_of[Level.TRACT][home[row]].astype(np.int64),
        value=np.concatenate(values),
    )

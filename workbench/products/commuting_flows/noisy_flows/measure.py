"""The only step that looks at jobs: exact counts, and the noisy answers that everything published follows from.

One job is one worker in one population at one home: it counts once in the size of its population, once in one cell of
it and, where the population is larger, once in one flow of its work tract. Who is small is decided by the noisy size
(unit "job") or the public one (unit "home"), never by a protected size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import Context, Part
from workbench.core.randomness import UniformWords
from workbench.mechanisms.contract import Answer
from workbench.noise import randomised_response
from workbench.noise.geometric import discrete_laplace
from workbench.products.commuting_flows.flows.structures import SIZES
from workbench.products.commuting_flows.noisy_flows.budget import Budget

TRACT_FLOWS = "flows of work tracts"
CELLS_OF_SMALL, CELLS_OF_LARGER = "cells of small populations", "cells of larger populations"
REPORTS = "reports of workers in small populations"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Shape:
    """How many numbers are asked, public: cells of each population, tracts × points, each population's tract."""

    tract_of: Integers
    tracts: int
    points: int
    listed: Integers  # listed cells of each population

    @property
    def cell_start(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.listed)]).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TrueCounts:
    """Confidential: workers by population, home point and listed cell of the population."""

    population: Integers
    point: Integers
    cell: Integers  # position among the listed cells of its population
    workers: Integers

    def sizes(self, populations: int) -> Integers:
        return np.bincount(self.population, weights=self.workers, minlength=populations).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Measured:
    """What was drawn, and nothing else: covered by the guarantee, like everything that follows from it.

    `cells` holds noisy counts, or numbers of reports where `reported` says so, population after population.
    """

    sizes: Integers  # noisy, or public as they are
    tract_flows: Integers  # tracts × points
    cells: Integers
    reported: Bools  # per population
    budget: Budget
    epsilon: Fraction  # of one report
    replicates: int = 1  # files to be rounded from it

    def small(self) -> Bools:
        return np.asarray(self.sizes <= self.budget.small_limit)

    @property
    def cell_scales(self) -> Floats:
        """Per population."""
        return np.where(self.small(), self.budget.cells_of_small, self.budget.cells_of_larger)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the plan asks: scales, whether workers of small populations report, and how many files are made of it."""

    budget: Budget
    reports: bool
    epsilon: Fraction
    replicates: int = 1


def reporting(shape: Shape, sizes: Integers, asked: Question) -> Bools:
    """Small populations with few enough listed cells, ε ≥ ln K + 1. Sizes are public where reports are allowed."""
    if not asked.reports:
        return np.zeros(len(sizes), dtype=bool)
    few = np.log(np.maximum(shape.listed, 1)) + 1.0 <= float(asked.epsilon)
    return np.asarray((sizes <= asked.budget.small_limit) & few & (shape.listed >= 2))


def measure(
    shape: Shape, truth: TrueCounts, asked: Question, rng: UniformWords, context: Context
) -> tuple[Measured, tuple[Answer, ...]]:
    """Sizes first, then flows and cells, whose scales follow from the sizes that were drawn."""
    context.step(0.0, "counting jobs")
    budget, populations = asked.budget, len(shape.listed)
    exact = truth.sizes(populations)
    sizes, answers = exact, []
    if budget.sizes is not None:
        sizes = noisy(exact, budget.sizes, rng, Part(context, 0.0, 0.1))
        answers.append(Answer(name=SIZES, exact=Confidential(exact), drawn=sizes))
    small = who_is_small(sizes, exact, budget)
    reported = reporting(shape, sizes, asked)
    flows = tract_flows(shape, truth, small)
    drawn = noisy(flows, budget.tract_flows, rng, Part(context, 0.1, 0.4))
    answers.append(Answer(name=TRACT_FLOWS, exact=Confidential(flows), drawn=drawn))
    cells, more = _cells(shape, truth, asked, (small, reported), rng, Part(context, 0.4, 1.0))
    made = Measured(
        sizes=sizes,
        tract_flows=drawn.reshape(shape.tracts, shape.points),
        cells=cells,
        reported=reported,
        budget=budget,
        epsilon=asked.epsilon,
        replicates=asked.replicates,
    )
    return made, (*answers, *more)


def noisy(exact: Integers, scale: float, rng: UniformWords, context: Context) -> Integers:
    """Integers plus exact integer noise, one independent draw each, whatever the integers are."""
    return exact + discrete_laplace(np.full(len(exact), scale), rng, context)


def who_is_small(sizes: Integers, exact: Integers, budget: Budget) -> Bools:
    """By the sizes that are released. The exact ones would let one job change the scale of every cell."""
    del exact
    return np.asarray(sizes <= budget.small_limit)


def tract_flows(shape: Shape, truth: TrueCounts, small: Bools) -> Integers:
    """Workers of larger populations by work tract and home point; small ones spend all of ε on their cells."""
    larger = ~small[truth.population]
    key = shape.tract_of[truth.population[larger]] * shape.points + truth.point[larger]
    return np.bincount(key, weights=truth.workers[larger], minlength=shape.tracts * shape.points).astype(np.int64)


def _cells(
    shape: Shape, truth: TrueCounts, asked: Question, kinds: tuple[Bools, Bools], rng: UniformWords, context: Context
) -> tuple[Integers, list[Answer]]:
    """Counts by listed cell with noise of their population's scale, and numbers of reports where workers report."""
    small, reported = kinds
    start = shape.cell_start
    place = start[truth.population] + truth.cell
    exact = np.bincount(place, weights=truth.workers, minlength=int(start[-1])).astype(np.int64)
    drawn, answers = np.zeros_like(exact), []
    of = np.repeat(np.arange(len(shape.listed)), shape.listed)
    named = (
        (CELLS_OF_SMALL, small & ~reported, asked.budget.cells_of_small),
        (CELLS_OF_LARGER, ~small, asked.budget.cells_of_larger),
    )
    for number, (name, chosen, scale) in enumerate(named):
        mine = np.flatnonzero(chosen[of])
        part = Part(context, 0.4 * number, 0.4 * (number + 1))
        drawn[mine] = noisy(exact[mine], scale, rng, part)
        if len(mine):
            answers.append(Answer(name=name, exact=Confidential(exact[mine]), drawn=drawn[mine]))
    if asked.reports:
        told, seen = _reports(shape, truth, reported, asked.epsilon, rng)
        drawn += np.bincount(start[told.population] + seen, weights=told.workers, minlength=len(exact)).astype(np.int64)
        if len(seen):
            answers.append(Answer(name=REPORTS, exact=Confidential(told.cell), drawn=seen))
    context.step(1.0, "noisy answers drawn")
    return drawn, answers


def _reports(
    shape: Shape, truth: TrueCounts, reported: Bools, epsilon: Fraction, rng: UniformWords
) -> tuple[TrueCounts, Integers]:
    """One report of every worker, in the order of populations with equally many cells; every worker reports once."""
    mine = np.flatnonzero(reported[truth.population])
    mine = mine[np.argsort(shape.listed[truth.population[mine]], kind="stable")]
    each = np.repeat(mine, truth.workers[mine])
    told = replace(
        truth,
        population=truth.population[each],
        point=truth.point[each],
        cell=truth.cell[each],
        workers=np.ones(len(each), dtype=np.int64),
    )
    seen = np.empty(len(each), dtype=np.int64)
    cells = shape.listed[told.population]
    for many in np.unique(cells):
        own = np.flatnonzero(cells == many)
        kept = randomised_response.threshold(epsilon, int(many))
        seen[own] = randomised_response.draw(told.cell[own], int(many), kept, rng)
    return told, seen

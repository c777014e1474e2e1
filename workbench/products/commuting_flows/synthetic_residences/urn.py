"""Pólya's urn: workers drawn from the posterior predictive distribution, exactly, all populations at once.

Law: the residences of m workers drawn one after another, the t-th (from 0) at point i with probability (n_i + α*_i +
draws so far at i)/(N + A* + t), are Dirichlet-multinomial with weights n + α*. With α* = a/2³⁰ that is a uniform
integer u below A + (N + t)·2³⁰: u < A falls on the prior (found in the running sum of a), the next N·2³⁰ on a true
worker, whose point is taken, the last t·2³⁰ on an earlier draw, which is copied. Copies of copies are followed by
doubling the step, so no draw has to wait for another.
Rounding: none. Source: Blackwell and MacQueen (1973); OnTheMap (2008), "Creation of synthetic data".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Integers
from workbench.products.commuting_flows.synthetic_residences.uniform import Words, below
from workbench.products.commuting_flows.synthetic_residences.weights import SHIFT


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Heap:
    """Points with whole weights, those of one population after those of another: where a running sum finds them."""

    place: Integers  # the point of each entry
    running: Integers  # the running sum of weights over all entries
    before: Integers  # per population, the running sum before its first entry
    total: Integers  # per population, the sum of its weights

    @classmethod
    def of(cls, owner: Integers, place: Integers, weight: Integers, populations: int) -> Heap:
        """From entries sorted by their owner, the population's number from 0."""
        running = np.cumsum(weight)
        ends = np.cumsum(np.bincount(owner, minlength=populations))
        up_to = np.concatenate([[0], running])[ends]
        before = np.concatenate([[0], up_to[:-1]])
        return cls(place=place, running=running, before=before, total=up_to - before)

    def at(self, population: Integers, position: Integers) -> Integers:
        """The point whose weight covers `position` of the population's total."""
        found = np.searchsorted(self.running, self.before[population] + position, side="right")
        return self.place[found]


def draw(prior: Heap, truth: Heap, size: Integers, words: Words) -> tuple[Integers, Integers]:
    """For every synthetic worker its population and its point. `truth` weighs in whole workers, `prior` in 1/2³⁰."""
    population = np.repeat(np.arange(len(size)), size)
    turn = np.arange(len(population)) - np.repeat(np.cumsum(size) - size, size)
    from_prior, workers = prior.total[population], truth.total[population]
    ticket = below(from_prior + ((workers + turn) << SHIFT), words)
    beyond = (ticket - from_prior) >> SHIFT  # negative on the prior, else a true worker or an earlier draw
    point = np.empty(len(population), dtype=np.int64)
    fresh = ticket < from_prior
    point[fresh] = prior.at(population[fresh], ticket[fresh])
    known = ~fresh & (beyond < workers)
    point[known] = truth.at(population[known], beyond[known])
    copies = np.flatnonzero(~fresh & ~known)
    point[copies] = point[_sources(copies, beyond[copies] - workers[copies] + copies - turn[copies], len(point))]
    return population, point


def _sources(copies: Integers, copied: Integers, draws: int) -> Integers:
    """For each copy the draw at the end of its chain, which is no copy. Each round doubles the steps taken."""
    source = np.arange(draws)
    source[copies] = copied
    while True:
        further = source[source[copies]]
        if np.array_equal(further, source[copies]):
            return further
        source[copies] = further

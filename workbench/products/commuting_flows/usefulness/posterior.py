"""The posterior of residences on the 29-point grid, in closed form for a given pruning of the prior.

P(point) = (n_i + α*_i)/Σ(n + α*), where α* is the prior that pruning left; within a support point blocks have the
shares of their population, so P(grid) = Σ_i P(point i)·share of point i's people in that part of the grid. Exact once
the pruning is drawn, which a study does with its seed: no worker has to be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.progress import Context
from workbench.products.commuting_flows.flows.distances import totals
from workbench.products.commuting_flows.flows.grid import POINTS, placed, workplaces
from workbench.products.commuting_flows.flows.selection import chosen_populations
from workbench.products.commuting_flows.flows.structures import Level, Numbers, Populations
from workbench.products.commuting_flows.synthetic_residences import SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.weights import ONE, Weights, weights_of
from workbench.products.commuting_flows.usefulness.draws import on_grid
from workbench.products.commuting_flows.usefulness.kl import SMALL

MOST_POPULATIONS = 300  # of each kind: of every measure, so that one thing has one number


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PosteriorGrid:
    """Chosen populations with their true shares and, per kept support point, its share in each part of the grid."""

    sample: Populations
    true: Numbers
    shares: tuple[Numbers, ...]
    weight: Numbers  # per chosen population, its workers times the populations of its kind that it stands for
    whole: int  # how many populations they were chosen from

    def posterior(
        self,
        params: SyntheticResidencesParams,
        rng: np.random.Generator,
        searched: SyntheticResidencesParams | None = None,
    ) -> Numbers:
        """P(grid) of every chosen population (populations × 29) after one drawn pruning.

        `searched` are the settings that the least prior is found with, where a study asks for others.
        """
        likelihood = self.sample.likelihood.reveal()
        workers = np.diff(np.concatenate([[0], np.cumsum(likelihood.workers)])[likelihood.start])
        weights = weights_of(self.sample, searched or params, workers.astype(np.int64))
        found = np.empty((self.sample.populations, POINTS))
        for p, shares in enumerate(self.shares):
            found[p] = self._weight(p, weights, params, rng) @ shares
        return found

    def _weight(self, p: int, weights: Weights, params: SyntheticResidencesParams, rng: np.random.Generator) -> Numbers:
        """n + α* at each kept point of one population."""
        likelihood, tract = self.sample.likelihood.reveal(), self.sample.support_of[p]
        first, last = weights.kept.start[tract], weights.kept.start[tract + 1]
        alfa: Numbers = np.maximum(weights.minimum[p], weights.informative[first:last]) / ONE
        if params.prunes:
            stays = rng.random(last - first) < np.maximum(alfa, float(params.min_p))
            stays[weights.anchor[tract] - first] = True
            alfa = alfa * stays
        entries = slice(likelihood.start[p], likelihood.start[p + 1])
        alfa[weights.kept.number[likelihood.point[entries]] - first] += likelihood.workers[entries]
        return alfa


def posterior_grid(populations: Populations, *, most: int, seed: int, context: Context) -> PosteriorGrid:
    """At most `most` populations of each kind (all, and small ones), chosen at random where there are more."""
    chosen, stands_for = _chosen(populations.size, most, np.random.Generator(np.random.PCG64(seed)))
    sample = chosen_populations(populations, chosen)
    tracts = _TractOrder.of(populations)
    shares: list[Numbers] = []
    known: dict[int, Numbers] = {}
    for p, area in enumerate(sample.area_of.tolist()):
        if not p % 16:
            context.step(p / max(len(chosen), 1), "Finding where the support points lie on the grid")
        if area not in known:
            known.clear()  # populations are in the order of their workplaces
            known[area] = tracts.shares(sample, p)
        shares.append(known[area])
    true = on_grid(sample, sample.flows.reveal())
    weight = sample.size * stands_for
    return PosteriorGrid(sample=sample, true=true, shares=tuple(shares), weight=weight, whole=populations.populations)


def _chosen(size: Integers, most: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], Numbers]:
    """Small and larger populations apart, so that a sample has enough of both; and how many each one stands for."""
    picked, stands_for = [], []
    for group in (np.flatnonzero(size < SMALL), np.flatnonzero(size >= SMALL)):
        few = group if len(group) <= most else rng.choice(group, most, replace=False)
        picked.append(few)
        stands_for.append(np.full(len(few), len(group) / max(len(few), 1)))
    chosen = np.concatenate(picked)
    order = np.argsort(chosen)
    return chosen[order], np.concatenate(stands_for)[order]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _TractOrder:
    """Blocks with their tracts and weights, how many people each tract has, and where the workplaces are."""

    tract: NDArray[np.int64]
    weight: Numbers
    people: Numbers
    latitude: Numbers  # of every workplace
    longitude: Numbers

    @classmethod
    def of(cls, populations: Populations) -> _TractOrder:
        geography = populations.geography
        tract = geography.area_of[Level.TRACT].astype(np.int64)
        weight = geography.population.astype(np.float64)
        people = totals(tract, weight, len(geography.areas[Level.TRACT]))
        latitude, longitude = workplaces(populations)
        return cls(tract=tract, weight=weight, people=people, latitude=latitude, longitude=longitude)

    def shares(self, sample: Populations, population: int) -> Numbers:
        """Per kept support point of a population's work tract the share of its people in each part of the grid."""
        supports, tract = sample.supports, sample.support_of[population]
        points = np.arange(supports.start[tract], supports.start[tract + 1])
        points = points[supports.kept[points]]
        area = sample.area_of[population]
        geography = sample.geography
        _, cell = placed(self.latitude[area], self.longitude[area], geography.latitude, geography.longitude)
        spread = np.bincount(self.tract * POINTS + cell, weights=self.weight, minlength=len(self.people) * POINTS)
        by_tract = spread.reshape(len(self.people), POINTS)
        start, end = supports.member_start[points], supports.member_start[points + 1]
        members = np.concatenate([supports.member_tract[a:b] for a, b in zip(start, end, strict=True)])
        owner = np.repeat(np.arange(len(points)), end - start)
        added = np.zeros((len(points), POINTS))
        np.add.at(added, owner, by_tract[members])
        shares: Numbers = added / np.maximum(added.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        return shares

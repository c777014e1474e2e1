"""What every population gives away: pure loss, nominal loss, loss with pruning, and the chance δ of more.

For a support point with prior α and an outcome with y draws there, the odds between "the worker lives here" and "the
worker lives elsewhere" change by at most 1 + y/α, and with pruning by the price of `dirichlet.pruning`. Without δ y
can be all m draws. With the search, y ≤ (e^ε* − 1)·α except with probability δ. Maxima are over every point of every
population, with the priors as they are drawn from (whole multiples of 2⁻³⁰), so nothing is assumed to be the worst.
Whoever lives at an eliminated point counts at the kept point that stands in for it: every population has all its
workers in the urn, and a worker who moves there is a worker who moves. One without a worker draws from the prior alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.products.commuting_flows.dirichlet.prior_in_force import delta_of_priors
from workbench.products.commuting_flows.dirichlet.pruning import pruning_prices
from workbench.products.commuting_flows.dirichlet.pure import log_ratios
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.commuting_flows.synthetic_residences.params import MinimumPrior, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.search import pruned_parts
from workbench.products.commuting_flows.synthetic_residences.surcharge import headline_price
from workbench.products.commuting_flows.synthetic_residences.weights import ONE, Weights

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Levels:
    """The different priors of every population: whose, how large, at how many of its points."""

    population: Integers
    prior: Floats
    points: Integers

    def of(self, chosen: NDArray[np.bool_]) -> Levels:
        """Those of the chosen populations."""
        some = chosen[self.population]
        return Levels(population=self.population[some], prior=self.prior[some], points=self.points[some])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Losses:
    """Per population. `total` is what it spends: with pruning where there is any, the nominal loss otherwise."""

    draws: Integers
    workers: Integers
    points: Integers
    least_prior: Floats
    pure: Floats
    nominal: Floats
    total: Floats
    headline: Floats
    delta: Floats

    @property
    def worst(self) -> int:
        """The population that spends most, the first of several."""
        return int(np.argmax(self.total)) if len(self.total) else 0


def levels_of(prepared: Populations, weights: Weights) -> Levels:
    """One line for the points at the least prior of each population, and one for each point above it."""
    support = prepared.support_of
    everyone = np.arange(len(support))
    at_least = weights.kept.per_tract[support] - weights.above
    raised = np.repeat(everyone, weights.above)
    turn = np.arange(len(raised)) - np.repeat(np.cumsum(weights.above) - weights.above, weights.above)
    point = weights.ranked[weights.kept.start[support][raised] + turn]
    return Levels(
        population=np.concatenate([everyone[at_least > 0], raised]),
        prior=np.concatenate([weights.minimum[at_least > 0], weights.informative[point]]) / ONE,
        points=np.concatenate([at_least[at_least > 0], np.ones(len(raised), dtype=np.int64)]),
    )


def losses_of(prepared: Populations, weights: Weights, params: SyntheticResidencesParams, workers: Integers) -> Losses:
    """All populations at once; `workers` are their true workers."""
    levels = levels_of(prepared, weights)
    draws = np.asarray(prepared.size, dtype=np.int64)
    points = weights.kept.per_tract[prepared.support_of]
    telling = (draws > 0) & (points > 1) & (workers > 0)
    least = np.full(len(draws), np.inf)
    np.minimum.at(least, levels.population, levels.prior)
    m, n = draws[levels.population], np.maximum(workers[levels.population], 1)
    reach = reached(levels.prior, m, params)
    nominal = log_ratios(levels.prior, reach)
    prices = _prices(levels.prior, (m, n, reach), params) if params.prunes else nominal
    return Losses(
        draws=draws,
        workers=workers,
        points=points,
        least_prior=np.where(points > 0, least, 0.0),
        pure=np.where(telling, log_ratios(least, draws), 0.0),
        nominal=np.where(telling, _largest(nominal, levels, len(draws)), 0.0),
        total=np.where(telling, _largest(prices, levels, len(draws)), 0.0),
        headline=np.where(telling, _largest(nominal, levels, len(draws)) + headline_price(params), 0.0),
        delta=np.where(telling, deltas_of(prepared, weights, params, workers), 0.0),
    )


def reached(prior: Floats, draws: Integers, params: SyntheticResidencesParams) -> Integers:
    """The most draws at one point that are paid for: all of them, or (e^ε* − 1)·α under the search."""
    if params.minimum_prior is not MinimumPrior.SEARCH:
        return draws
    most = np.floor(prior * math.expm1(float(params.epsilon)) * (1.0 + _ROUNDING))
    return np.minimum(most, draws).astype(np.int64)


def deltas_of(
    prepared: Populations, weights: Weights, params: SyntheticResidencesParams, workers: Integers, jobs: int = 1
) -> Floats:
    """The bound on δ of each population with the priors in force, for so many rows of one worker; zero where δ plays no
    part."""
    draws = np.asarray(prepared.size, dtype=np.int64)
    if params.minimum_prior is not MinimumPrior.SEARCH:
        return np.zeros(len(draws))
    levels = levels_of(prepared, weights)
    pruned = (weights.minimum < ONE) & params.prunes
    deltas = np.zeros(len(draws))
    if pruned.any():
        deltas = _pruned_deltas(levels.of(pruned), draws, workers, params, jobs)
    if not pruned.all():
        rest = levels.of(~pruned)
        deltas += delta_of_priors(
            rest.prior, population=rest.population, draws=draws, workers=workers, epsilon=float(params.epsilon),
            cells=rest.points, jobs=jobs,
        )  # fmt: skip
    return deltas


def _pruned_deltas(
    levels: Levels, draws: Integers, workers: Integers, params: SyntheticResidencesParams, jobs: int
) -> Floats:  # fmt: skip
    """The bound of `search` with the priors in force, all prior but a point's own pruned."""
    m, n = draws[levels.population], workers[levels.population]
    empty, excess, anchor = np.zeros(len(m)), np.zeros(len(m)), np.zeros(len(m))
    open_ = np.flatnonzero((reached(levels.prior, m, params) < m) & (n > 0))
    empty[open_], excess[open_], anchor[open_] = _parts(levels.prior[open_], (m[open_], n[open_]), params, jobs)
    added = np.bincount(levels.population, weights=levels.points * empty, minlength=len(draws))
    never_pruned = _largest(anchor, levels, len(draws))  # whichever prior the anchor has
    return np.minimum(added + never_pruned + workers * _largest(excess, levels, len(draws)), 1.0)


def _parts(
    prior: Floats, numbers: tuple[Integers, Integers], params: SyntheticResidencesParams, jobs: int
) -> tuple[Floats, Floats, Floats]:  # fmt: skip
    """As `pruned_parts`, worked out once for what is alike; `numbers` are draws and workers."""
    kinds, which = np.unique(np.stack([prior, *numbers]), axis=1, return_inverse=True)
    growth, least = math.expm1(float(params.epsilon)), float(params.min_p)
    found = pruned_parts(kinds[0], draws=kinds[1], workers=kinds[2], growth=growth, min_p=least, jobs=jobs)
    empty, excess, anchor = (part[which.ravel()] for part in found)
    return empty, excess, anchor


def _prices(prior: Floats, numbers: tuple[Integers, Integers, Integers], params: SyntheticResidencesParams) -> Floats:
    kinds, which = np.unique(np.stack([prior, *numbers]), axis=1, return_inverse=True)
    keep = np.minimum(np.maximum(kinds[0], float(params.min_p)), 1.0)
    priced = pruning_prices(draws=kinds[1], workers=kinds[2], alpha=kinds[0], keep=keep, cell_draws=kinds[3])
    return priced.exact[which.ravel()]


def _largest(values: Floats, levels: Levels, populations: int) -> Floats:
    largest: NDArray[np.float64] = np.zeros(populations)
    np.maximum.at(largest, levels.population, values)
    return largest

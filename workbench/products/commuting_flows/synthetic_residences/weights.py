"""Prior weights as exact integers: α = a/2³⁰, a whole.

alfa = max(min_alfa, f(prior density)), f = min(cap, weight·share of the public prior among the kept points).
Everything here follows from public facts: sizes, support points and the public prior, never from where a worker
lives.
Rounding: every α is rounded up to a multiple of 2⁻³⁰. A larger prior only lowers the loss ln(1 + m/α).
The *anchor* of a work tract is its kept point with the largest public prior (the first of several). It is never
pruned, so that a population always has somewhere to be drawn from, whatever its data.
Source: OnTheMap (2008), "Informative priors".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.products.commuting_flows.dirichlet.prior_in_force import snapped
from workbench.products.commuting_flows.dirichlet.pure import pure_priors
from workbench.products.commuting_flows.flows.structures import Populations, Supports
from workbench.products.commuting_flows.synthetic_residences.params import MinimumPrior, SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.search import least_priors

SHIFT = 30
ONE = 1 << SHIFT  # the weight of one worker
LARGEST_TOTAL = 1 << 62
_SPARED = 0.999  # of δ: rounding priors up raises the chance of telling outcomes by less than the rest
_ROUNDED_UP = 1.0 + 1e-12  # more than double arithmetic can lose in m/(e^ε − 1)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class KeptPoints:
    """The support points that were not eliminated, numbered anew without gaps; those of tract w are start[w] … ."""

    start: Integers
    point: Integers  # its number in `Supports`
    number: Integers  # for every point of `Supports` its number here, −1 where it was eliminated

    @property
    def per_tract(self) -> Integers:
        return np.diff(self.start)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Weights:
    """Integer priors in 1/2³⁰ workers: of population p at kept point q max(minimum[p], informative[q])."""

    kept: KeptPoints
    minimum: Integers  # per population
    informative: Integers  # per kept point
    anchor: Integers  # per work tract, a kept point; −1 where none is kept
    ranked: Integers  # the kept points tract by tract, the largest informative weight first
    above: Integers  # per population, at how many points the informative weight exceeds the minimum
    total: Integers  # per population, the sum over its points before pruning


def kept_points(supports: Supports) -> KeptPoints:
    before = np.concatenate([[0], np.cumsum(supports.kept)])
    number = np.where(supports.kept, before[:-1], -1)
    return KeptPoints(
        start=before[np.asarray(supports.start)].astype(np.int64),
        point=np.flatnonzero(supports.kept).astype(np.int64),
        number=number.astype(np.int64),
    )


def weights_of(prepared: Populations, params: SyntheticResidencesParams, workers: Integers) -> Weights:
    """`workers` are the true workers at kept points of each population, which only the search looks at."""
    kept = kept_points(prepared.supports)
    informative = _informative(prepared.supports, kept, params)
    minimum = units(minimum_prior(prepared.size, workers, kept.per_tract[prepared.support_of], params=params))
    ranked = _ranked(kept, informative)
    anchor = np.where(kept.per_tract > 0, np.append(ranked, -1)[kept.start[:-1]], -1)
    informative[anchor[anchor >= 0]] = np.maximum(informative[anchor[anchor >= 0]], 1)
    descending = informative[ranked]
    above = _above(prepared.support_of, minimum, kept, descending)
    first, points = kept.start[prepared.support_of], kept.per_tract[prepared.support_of]
    running = np.concatenate([[0], np.cumsum(descending)])
    return Weights(
        kept=kept,
        minimum=minimum,
        informative=informative,
        anchor=anchor,
        ranked=ranked,
        above=above,
        total=running[first + above] - running[first] + (points - above) * minimum,
    )


def least_weights(prepared: Populations, params: SyntheticResidencesParams) -> Integers:
    """Per work tract the least weight of its kept points, where the least prior is the same everywhere."""
    kept = kept_points(prepared.supports)
    informative = _informative(prepared.supports, kept, params)
    tract = np.repeat(np.arange(len(kept.start) - 1), kept.per_tract)
    least = np.full(len(kept.start) - 1, LARGEST_TOTAL)
    np.minimum.at(least, tract, informative)
    return np.asarray(np.maximum(least, units(np.array([float(params.fixed_prior)]))))


def minimum_prior(size: Integers, workers: Integers, points: Integers, *, params: SyntheticResidencesParams) -> Floats:
    """min_alfa of each population, worked out once for populations that are alike."""
    if params.minimum_prior is MinimumPrior.FIXED:
        return np.full(len(size), float(params.fixed_prior))
    epsilon = float(params.epsilon)
    if params.minimum_prior is MinimumPrior.PURE:
        return pure_priors(size, epsilon)
    return least_priors(
        np.asarray(size, dtype=np.int64),
        workers,
        points,
        epsilon=epsilon,
        delta=float(params.delta) * _SPARED,
        min_p=float(params.min_p) if params.prunes else None,
    )


def _informative(supports: Supports, kept: KeptPoints, params: SyntheticResidencesParams) -> Integers:
    prior = np.asarray(supports.prior, dtype=np.float64)[kept.point]
    tract = np.repeat(np.arange(len(kept.start) - 1), kept.per_tract)
    whole = np.bincount(tract, weights=prior, minlength=len(kept.start) - 1)[tract]
    share = np.divide(prior, whole, out=np.zeros(len(prior)), where=whole > 0)
    prior = np.minimum(float(params.prior_weight) * share, float(params.prior_cap))
    searched = params.minimum_prior is MinimumPrior.SEARCH
    return units(snapped(prior, epsilon=float(params.epsilon)) if searched else prior)


def units(prior: Floats) -> Integers:
    """Workers in whole multiples of 2⁻³⁰, rounded up."""
    return np.ceil(prior * (ONE * _ROUNDED_UP)).astype(np.int64)


def _ranked(kept: KeptPoints, informative: Integers) -> Integers:
    """The kept points tract by tract, the largest informative weight first."""
    tract = np.repeat(np.arange(len(kept.start) - 1), kept.per_tract)
    return np.lexsort((-informative, tract))


def _above(support_of: NDArray[np.int32], minimum: Integers, kept: KeptPoints, descending: Integers) -> Integers:
    """Per population how many points of its tract have more informative prior than its minimum."""
    above = np.zeros(len(support_of), dtype=np.int64)
    by_tract = np.argsort(support_of, kind="stable")
    edges = np.searchsorted(support_of[by_tract], np.arange(len(kept.start)))
    for t in np.flatnonzero(np.diff(edges)):
        inside = by_tract[edges[t] : edges[t + 1]]
        above[inside] = np.searchsorted(-descending[kept.start[t] : kept.start[t + 1]], -minimum[inside])
    return above

"""The public prior of noisy flows: for every work tract a share of each home point, positive everywhere.

Gravity: bins of distance, g_{T,h} ∝ people_h·f(bin), f = (prior count in bin + ½)/(expected count in bin + ½),
normalised by T, three refits. κ₀ maximises the Dirichlet-multinomial likelihood of the counts c around κ₀·g over 25
values from 10 to 10⁵. q_{T,h} = (c + κ₀·g)/(C_T + κ₀). Without a prior file q is the people's share.
Source: own derivation. No confidential value plays a part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.products.commuting_flows.flows.distances import degrees_of, miles_between, sums_of, totals, unit_vectors
from workbench.products.commuting_flows.flows.geography import centroids
from workbench.products.commuting_flows.flows.structures import Level, Populations

BINS = (
    0.5,
    1.0,
    2.0,
    3.0,
    4.0,
    6.0,
    8.0,
    10.0,
    13.0,
    17.0,
    21.0,
    25.0,
    35.0,
    50.0,
    75.0,
    100.0,
    150.0,
    250.0,
    500.0,
    1000.0,
)
_REFITS = 3
_STRENGTHS = np.geomspace(10.0, 1e5, 25)
_ADDED = 0.5


def distance_bins(populations: Populations, point_of_tract: Integers, points: int) -> NDArray[np.int8]:
    """The bin of distance of every work tract and point."""
    return np.searchsorted(BINS, _miles(populations, point_of_tract, points), side="right").astype(np.int8)


def prior_shares(
    populations: Populations, point_of_tract: Integers, people: Floats, bins: NDArray[np.int8]
) -> Floats:  # fmt: skip
    """q of every work tract and point; `people` are those of each point, none of them zero."""
    share = people / people.sum()
    if not len(populations.prior.count):
        return np.broadcast_to(share, bins.shape).copy()
    place, count = _counts(populations, point_of_tract, len(people))
    gravity = _gravity(bins, share, place, count)
    kappa = _strength(gravity, place, count)
    found = kappa * gravity
    np.add.at(found, place, count)
    found /= found.sum(axis=1, keepdims=True)
    return found


def _miles(populations: Populations, point_of_tract: Integers, points: int) -> Floats:
    """Between the middles of work tracts and points."""
    geography, work = populations.geography, populations.supports.work_tract
    latitude, longitude = centroids(geography, Level.TRACT)
    tract = geography.area_of[Level.TRACT]
    people = totals(tract, np.maximum(geography.population.astype(np.float64), 1e-9), len(latitude))
    middle = degrees_of(sums_of(unit_vectors(latitude, longitude), point_of_tract, points, people))
    return miles_between(latitude[work][:, None], longitude[work][:, None], middle[0][None, :], middle[1][None, :])


def _counts(
    populations: Populations, point_of_tract: Integers, points: int
) -> tuple[tuple[Integers, Integers], Floats]:
    """Prior counts by (position of the work tract, point), each pair once; of tracts that are listed."""
    prior, work = populations.prior, populations.supports.work_tract
    row = np.minimum(np.searchsorted(work, prior.work), len(work) - 1)
    mine = work[row] == prior.work
    key, place = np.unique(row[mine] * points + point_of_tract[prior.home[mine]], return_inverse=True)
    key = key.astype(np.int64)
    return (key // points, key % points), totals(place, prior.count[mine], len(key))


def _gravity(bins: NDArray[np.int8], share: Floats, place: tuple[Integers, Integers], count: Floats) -> Floats:
    classes = len(BINS) + 1
    seen = np.bincount(bins[place], weights=count, minlength=classes)
    total = np.bincount(place[0], weights=count, minlength=len(bins))
    factor = np.ones(classes)
    for _ in range(_REFITS):
        gravity = _normalised(bins, share, factor)
        expected = np.bincount(bins.ravel(), weights=(total[:, None] * gravity).ravel(), minlength=classes)
        factor = factor * (seen + _ADDED) / (expected + _ADDED)
    return _normalised(bins, share, factor)


def _normalised(bins: NDArray[np.int8], share: Floats, factor: Floats) -> Floats:
    weight = share * factor[bins]
    found: Floats = weight / weight.sum(axis=1, keepdims=True)
    return found


def _strength(gravity: Floats, place: tuple[Integers, Integers], count: Floats) -> float:
    """κ₀: ln Γ(κ₀) − ln Γ(κ₀ + C_T) + Σ ln Γ(c + κ₀g) − ln Γ(κ₀g), added up over work tracts, at its largest."""
    from scipy.special import gammaln

    total = np.bincount(place[0], weights=count)
    held = gravity[place]

    def likelihood(kappa: float) -> float:
        whole = len(total) * gammaln(kappa) - gammaln(kappa + total).sum()
        return float(whole + (gammaln(count + kappa * held) - gammaln(kappa * held)).sum())

    return float(max(_STRENGTHS, key=likelihood))

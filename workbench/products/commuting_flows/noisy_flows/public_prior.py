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
from workbench.products.commuting_flows.flows.distances import EARTH_RADIUS, degrees_of, sums_of, totals, unit_vectors
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
_PAIRS_FIRST, _BESIDE = 100_000, 2  # κ₀ is sought on some pairs first, then around the best on all
_AT_ONCE = 65_536


def distance_bins(populations: Populations, point_of_tract: Integers, points: int) -> NDArray[np.int8]:
    """The bin of distance of every work tract and point, between their middles: by squared chords of the globe."""
    geography, work = populations.geography, populations.supports.work_tract
    latitude, longitude = centroids(geography, Level.TRACT)
    tract = geography.area_of[Level.TRACT]
    people = totals(tract, np.maximum(geography.population.astype(np.float64), 1e-9), len(latitude))
    vectors = unit_vectors(latitude, longitude)
    middle = unit_vectors(*degrees_of(sums_of(vectors, point_of_tract, points, people)))
    edges = (2.0 * np.sin(np.array(BINS) / (2.0 * EARTH_RADIUS))) ** 2
    found = np.empty((len(work), points), dtype=np.int8)
    for start in range(0, len(work), step := max(1, _AT_ONCE // points)):
        square = 2.0 - 2.0 * (vectors[work[start : start + step]] @ middle.T)
        found[start : start + step] = np.searchsorted(edges, square, side="right")
    return found


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
    """People's shares times a factor for each bin of distance; a refit needs the bins' shares alone."""
    classes = len(BINS) + 1
    seen = np.bincount(bins[place], weights=count, minlength=classes)
    total = np.bincount(place[0], weights=count, minlength=len(bins))
    by_bin = np.stack([np.bincount(row, weights=share, minlength=classes) for row in bins])
    factor = np.ones(classes)
    for _ in range(_REFITS):
        weight = by_bin * factor
        expected = total @ (weight / weight.sum(axis=1, keepdims=True))
        factor = factor * (seen + _ADDED) / (expected + _ADDED)
    found = factor[bins]
    found *= share
    found /= (by_bin @ factor)[:, None]
    return found


def _strength(gravity: Floats, place: tuple[Integers, Integers], count: Floats) -> float:
    """κ₀: ln Γ(κ₀) − ln Γ(κ₀ + C_T) + Σ ln Γ(c + κ₀g) − ln Γ(κ₀g), added up over work tracts, at its largest."""
    from scipy.special import gammaln

    total = np.bincount(place[0], weights=count)
    held = gravity[place]

    def likelihood(kappa: float, every: int) -> float:
        whole = len(total) * gammaln(kappa) - gammaln(kappa + total).sum()
        some, strength = count[::every], kappa * held[::every]
        return float(whole + every * (gammaln(some + strength) - gammaln(strength)).sum())

    every = max(1, len(count) // _PAIRS_FIRST)
    rough = max(range(len(_STRENGTHS)), key=lambda place: likelihood(float(_STRENGTHS[place]), every))
    near = _STRENGTHS[max(rough - _BESIDE, 0) : rough + _BESIDE + 1] if every > 1 else _STRENGTHS
    return float(max(near.tolist(), key=lambda kappa: likelihood(kappa, 1)))

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
_FEW = 8  # counts up to which a product takes the place of gamma functions
_PAIRS_FIRST, _BESIDE = 100_000, 2  # κ₀ is sought on some pairs first, then around the best on all
_AT_ONCE = 65_536
_COARSE = 16  # bits of a float that its bin seldom needs
_ABOVE_FOUR = (int(np.float32(4.0).view(np.int32)) >> _COARSE) + 2


def distance_bins(populations: Populations, point_of_tract: Integers, points: int) -> NDArray[np.int8]:
    """The bin of distance of every work tract and point, between their middles: by squared chords of the globe."""
    geography, work = populations.geography, populations.supports.work_tract
    latitude, longitude = centroids(geography, Level.TRACT)
    tract = geography.area_of[Level.TRACT]
    people = totals(tract, np.maximum(geography.population.astype(np.float64), 1e-9), len(latitude))
    vectors = unit_vectors(latitude, longitude)
    middle = unit_vectors(*degrees_of(sums_of(vectors, point_of_tract, points, people)))
    edges = (2.0 * np.sin(np.array(BINS) / (2.0 * EARTH_RADIUS))) ** 2
    guide = guide_of(edges)
    found = np.empty((len(work), points), dtype=np.int8)
    for start in range(0, len(work), step := max(1, _AT_ONCE // points)):
        square = 2.0 - 2.0 * (vectors[work[start : start + step]] @ middle.T)
        np.maximum(square, 0.0, out=square)
        found[start : start + step] = bins_of(square, edges, guide)
    return found


def bins_of(square: Floats, edges: Floats, guide: NDArray[np.int8]) -> NDArray[np.int8]:
    """The bin of every squared chord: by its first bits, or by a search where an edge is near."""
    found = guide.take(square.astype(np.float32).view(np.int32) >> _COARSE)
    near = found < 0
    found[near] = np.searchsorted(edges, square[near], side="right")
    return found


def guide_of(edges: Floats) -> NDArray[np.int8]:
    """The bin by the first bits of a positive float of four bytes, −1 where an edge is among them or next to them."""
    begins = np.arange(_ABOVE_FOUR, dtype=np.int32) << _COARSE  # a squared chord of the globe is at most 4
    found = np.searchsorted(edges, begins.view(np.float32).astype(np.float64), side="right").astype(np.int8)
    changes = np.flatnonzero(np.diff(found))
    for beside in (-1, 0, 1):
        found[np.clip(changes + beside, 0, None)] = -1
    return found


def prior_shares(
    populations: Populations, point_of_tract: Integers, people: Floats, bins: NDArray[np.int8]
) -> Floats:  # fmt: skip
    """q of every work tract and point; `people` are those of each point, none of them zero."""
    share = people / people.sum()
    if not len(populations.prior.count):
        return np.broadcast_to(share, bins.shape).copy()
    place, count = _counts(populations, point_of_tract, len(people))
    factor = _gravity(bins, share, place, count)
    kappa = _strength(factor[place[0], bins[place]] * share[place[1]], place[0], count)
    whole = kappa + totals(place[0], count, len(bins))
    factor *= (kappa / whole)[:, None]
    found = np.empty(bins.shape)
    times_bin(factor, bins, np.broadcast_to(share, bins.shape), found)
    found[place] += count / whole[place[0]]
    return found


def times_bin(factor: Floats, bins: NDArray[np.int8], values: Floats, into: Floats) -> None:
    """Write values times the factor of their row's bin; `into` may be the values themselves."""
    rows, points = bins.shape
    step = max(1, _AT_ONCE // points)
    held, classes = np.empty(step * points), factor.shape[1]
    for start in range(0, rows, step):
        place = bins[start : start + step].astype(np.intp)
        place += np.arange(start, start + len(place))[:, None] * classes
        taken = np.take(factor.ravel(), place.ravel(), out=held[: place.size], mode="clip").reshape(place.shape)
        np.multiply(values[start : start + step], taken, out=into[start : start + step])


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
    """What people's shares are multiplied by, work tracts × bins of distance; a refit needs the bins' shares alone."""
    classes = len(BINS) + 1
    seen = np.bincount(bins[place], weights=count, minlength=classes)
    total = np.bincount(place[0], weights=count, minlength=len(bins))
    by_bin = np.stack([np.bincount(row, share, classes) for row in bins])
    factor = np.ones(classes)
    for _ in range(_REFITS):
        weight = by_bin * factor
        expected = total @ (weight / weight.sum(axis=1, keepdims=True))
        factor = factor * (seen + _ADDED) / (expected + _ADDED)
    return np.asarray(factor / (by_bin @ factor)[:, None])


def _strength(held: Floats, tract: Integers, count: Floats) -> float:
    """κ₀: ln Γ(κ₀) − ln Γ(κ₀ + C_T) + Σ ln Γ(c + κ₀g) − ln Γ(κ₀g), added up over work tracts, at its largest.

    `held` is g of each pair with a count.
    """
    from scipy.special import gammaln

    total = np.bincount(tract, weights=count)

    def likelihood(kappa: float, rising: Rising, every: int) -> float:
        whole = len(total) * gammaln(kappa) - gammaln(kappa + total).sum()
        return float(whole + every * rising.of(kappa))

    every = max(1, len(count) // _PAIRS_FIRST)
    some, near = Rising(count[::every], held[::every]), _STRENGTHS
    if every > 1:
        rough = max(range(len(near)), key=lambda place: likelihood(float(near[place]), some, every))
        near, some = near[max(rough - _BESIDE, 0) : rough + _BESIDE + 1], Rising(count, held)
    return float(max(near.tolist(), key=lambda kappa: likelihood(kappa, some, 1)))


class Rising:
    """Σ ln Γ(c + s) − ln Γ(s), s = κ·share: ln s(s + 1) … (s + c − 1) where c is a small whole number, as mostly."""

    def __init__(self, count: Floats, share: Floats) -> None:
        few = np.where((count % 1.0 == 0.0) & (count <= _FEW), count, 0.0).astype(np.int8)
        order = np.argsort(few, kind="stable")
        self.start = np.searchsorted(few[order], np.arange(1, _FEW + 1)).tolist()
        self.share = share[order]
        self.count = count[order][: self.start[0]]

    def of(self, kappa: float) -> float:
        from scipy.special import gammaln

        strength = kappa * self.share
        other = strength[: self.start[0]]
        found = float((gammaln(self.count + other) - gammaln(other)).sum())
        product = strength[self.start[0] :].copy()
        for more in range(1, _FEW):
            product[self.start[more] - self.start[0] :] *= strength[self.start[more] :] + more
        return found + float(np.log(product).sum())

"""Estimates averaged over the sizes of effects that the published values allow, not only the likeliest.

Few institutions say little about how much institutions differ. Taken at its likeliest value such a spread is often near
zero, and the interval that follows from it is far too narrow. So estimates are averaged over all sizes that the
published values allow: at fixed points around the likeliest ones, spread like a t law whose shape is that of the
posterior near its top, each weighted by its posterior density over that of the t law. Sizes that only matter together,
one growing as the other shrinks, move together in it. The points are the same in every run: a lattice, no draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats

_STEP = 0.3  # of a logarithm: for the curvature of the likelihood
_NARROW, _WIDE = 0.05, 1.5  # sds of a logarithm that are believed
_POINTS = 96
_FREEDOM = 4.0  # of the t law: tails that are heavier than those of most posteriors
_LEAST_WEIGHT = 3e-4  # of all points: lighter ones are left out


@dataclass(frozen=True, slots=True)
class Weighted:
    logs: Floats
    weight: float


def likely_sizes(log_posterior: Callable[[Floats], float], best: Floats, low: Floats, high: Floats) -> list[Weighted]:
    """Logarithms of sizes around the likeliest, and their weights; sizes beyond their bounds do not count."""
    axes = _axes(log_posterior, best)
    points, log_law = _lattice(len(best))
    found = []
    for point, law in zip(points, log_law.tolist(), strict=True):
        logs = best + axes @ point
        if (logs >= low).all() and (logs <= high).all():
            found.append((logs, log_posterior(logs), law))
    if not found:
        return [Weighted(best, 1.0)]
    most = max(value - law for _, value, law in found)
    weights = np.array([math.exp(value - law - most) for _, value, law in found])
    weights /= weights.sum()
    kept = [place for place in range(len(found)) if weights[place] > _LEAST_WEIGHT]
    share = weights[kept].sum()
    return [Weighted(found[place][0], float(weights[place] / share)) for place in kept]


def _axes(log_posterior: Callable[[Floats], float], best: Floats) -> Floats:
    """Columns that turn independent points of sd one into points like the posterior, from its curvature at the top."""
    many = len(best)
    top = log_posterior(best)

    def at(*moved: tuple[int, float]) -> float:
        logs = best.copy()
        for place, step in moved:
            logs[place] += step
        return log_posterior(logs)

    plus, minus = ([at((place, step)) for place in range(many)] for step in (_STEP, -_STEP))
    curvature = np.diag((2.0 * top - np.array(plus) - np.array(minus)) / _STEP**2)
    for one in range(many):
        for other in range(one):
            both = at((one, _STEP), (other, _STEP)) + at((one, -_STEP), (other, -_STEP))
            mixed = both - plus[one] - minus[one] - plus[other] - minus[other] + 2.0 * top
            curvature[one, other] = curvature[other, one] = -mixed / (2.0 * _STEP**2)
    values, vectors = np.linalg.eigh(curvature)
    sds = 1.0 / np.sqrt(np.clip(values, 1.0 / _WIDE**2, 1.0 / _NARROW**2))
    axes: Floats = vectors * sds
    return axes


def _lattice(many: int) -> tuple[Floats, Floats]:
    """Points of a t law, one row each, and the logarithm of its density beside that at its top.

    A rank-one lattice whose steps are powers of the root of x^(m + 1) = x + 1 fills a cube of m dimensions evenly; one
    dimension more is for the length, which makes normal points those of a t law.
    """
    from scipy.special import chdtri, ndtri

    root = 1.5
    for _ in range(60):
        root = (1.0 + root) ** (1.0 / (many + 2.0))
    steps = root ** -np.arange(1.0, many + 2.0)
    cube = (0.5 + np.arange(1, _POINTS + 1)[:, None] * steps) % 1.0
    length = np.sqrt(_FREEDOM / chdtri(_FREEDOM, cube[:, -1]))
    points: Floats = ndtri(cube[:, :-1]) * length[:, None]
    return points, -0.5 * (_FREEDOM + many) * np.log1p((points**2).sum(axis=1) / _FREEDOM)


def averaged(parts: list[tuple[float, Floats, Floats]]) -> tuple[Floats, Floats]:
    """Weights, estimates and variances → the estimate and its variance, with what estimates differ by."""
    estimate: Floats = np.sum([weight * value for weight, value, _ in parts], axis=0)
    variance: Floats = np.sum([weight * (own + (value - estimate) ** 2) for weight, value, own in parts], axis=0)
    return estimate, variance

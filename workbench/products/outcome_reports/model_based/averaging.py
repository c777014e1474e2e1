"""Estimates averaged over the sizes of effects that the published values allow, not only the likeliest.

Few institutions say little about how much institutions differ. Taken at its likeliest value such a spread is often near
zero, and the interval that follows from it is far too narrow. So each standard deviation has the same prior chance at
every value (Gelman 2006), and estimates are averaged over what that leaves: over the likeliest sizes and two of each
further off, weighted as the moments of a normal law ask and by how much likelier or less likely they are than by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats

_STEP = 0.4  # of a logarithm: for the curvature of the likelihood
_NARROW, _WIDE = 0.1, 1.5  # sds of a logarithm that are believed


@dataclass(frozen=True, slots=True)
class Weighted:
    logs: Floats
    weight: float


def likely_sizes(log_posterior: Callable[[Floats], float], best: Floats, low: Floats, high: Floats) -> list[Weighted]:
    """Logarithms of sizes around the likeliest, and their weights."""
    top, many = log_posterior(best), len(best)
    reach = math.sqrt(many + 1.0)
    found = [(best, top, 1.0 / (many + 1.0))]
    for place in range(many):
        spread = _spread(log_posterior, best, place, top)
        for side in (-1.0, 1.0):
            logs = best.copy()
            logs[place] = min(max(best[place] + side * reach * spread, low[place]), high[place])
            away = (logs[place] - best[place]) / spread
            found.append((logs, log_posterior(logs) + 0.5 * away * away, 0.5 / (many + 1.0)))
    most = max(value for _, value, _ in found)
    weights = np.array([share * math.exp(value - most) for _, value, share in found])
    weights /= weights.sum()
    return [Weighted(logs, float(weight)) for (logs, _, _), weight in zip(found, weights, strict=True)]


def _spread(log_posterior: Callable[[Floats], float], best: Floats, place: int, top: float) -> float:
    """sd of one logarithm, from the curvature at the top."""
    sides = []
    for side in (-_STEP, _STEP):
        logs = best.copy()
        logs[place] += side
        sides.append(log_posterior(logs))
    curvature = (2.0 * top - sum(sides)) / _STEP**2
    return min(max(1.0 / math.sqrt(curvature), _NARROW), _WIDE) if curvature > 0.0 else _WIDE


def averaged(parts: list[tuple[float, Floats, Floats]]) -> tuple[Floats, Floats]:
    """Weights, estimates and variances → the estimate and its variance, with what estimates differ by."""
    estimate: Floats = np.sum([weight * value for weight, value, _ in parts], axis=0)
    variance: Floats = np.sum([weight * (own + (value - estimate) ** 2) for weight, value, own in parts], axis=0)
    return estimate, variance

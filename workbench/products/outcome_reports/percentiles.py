"""Percentiles from a noisy histogram: the published rules, and the one that beats them.

- `running_sum`: the public PSEO rule. Negative bins stay in the running sum, the count is the sum of noisy bins, and a
  percentile is interpolated linearly in the first bin where the running sum reaches it. No value where the count is
  not positive.
- `clipped`: the same with negative bins set to zero first.
- `projected`: the bins projected onto the simplex of the noisy count, interpolated log-linearly.

The number of bins follows the public planning size: K = 2·(Nε)^0.38, between 5 and 64, at least 20 where ε ≥ 3.
Var(rank noise) = v[(1−τ)²k + τ²(K−k)], v the variance of one bin's noise.
Source: Foote, Machanavajjhala and McKinney (2019) for PSEO; the bin rule was fitted by simulation.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Floats

_EXPONENT = 0.38
_FEWEST, _MOST, _PRECISE = 5, 64, 20
_PRECISE_FROM = 3.0


def lognormal_edges(mean: float, spread: float, bins: int) -> Floats:
    """Inner edges exp(μ + s·Φ⁻¹(i/K)), i = 1 … K − 1."""
    from scipy.special import ndtri

    edges: Floats = np.exp(mean + spread * ndtri(np.arange(1, bins) / bins))
    return edges


def number_of_bins(planned: float, epsilon: float) -> int:
    """K for a cell of so many planned people; never from the data."""
    wanted = round(2.0 * math.pow(max(planned * epsilon, 0.0), _EXPONENT))
    fewest = _PRECISE if epsilon >= _PRECISE_FROM else _FEWEST
    return min(max(wanted, fewest), _MOST)


def running_sum(edges: Floats, counts: Floats, share: float) -> float | None:
    """The public rule: negative bins kept."""
    total = float(counts.sum())
    return None if total <= 0.0 else _reached(edges, counts, share * total)


def clipped(edges: Floats, counts: Floats, share: float) -> float | None:
    """The same on bins without negatives."""
    kept = np.maximum(counts, 0.0)
    return running_sum(edges, kept, share)


def _reached(edges: Floats, counts: Floats, wanted: float) -> float:
    sums = np.cumsum(counts)
    place = int(np.argmax(sums >= wanted - 1e-12 * max(abs(wanted), 1.0)))
    before = float(sums[place - 1]) if place else 0.0
    inside = (wanted - before) / float(counts[place])
    return float(edges[place] + inside * (edges[place + 1] - edges[place]))


def projected(edges: Floats, counts: Floats, share: float) -> float | None:
    """Bins projected onto the simplex of their sum, interpolated linearly in the logarithm."""
    total = float(counts.sum())
    if total <= 0.0:
        return None
    kept = onto_simplex(counts, total)
    sums = np.cumsum(kept)
    place = int(np.argmax(sums >= share * total - 1e-12 * total))
    before = float(sums[place - 1]) if place else 0.0
    inside = (share * total - before) / float(kept[place])
    low, high = max(float(edges[place]), 1.0), float(edges[place + 1])
    return float(math.exp(math.log(low) + inside * (math.log(high) - math.log(low))))


def onto_simplex(counts: Floats, total: float) -> Floats:
    """The nearest non-negative bins with this sum: one constant is taken off, negatives become zero."""
    ordered = np.sort(counts)[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, len(ordered) + 1)
    last = int(np.flatnonzero(ordered > excess)[-1])
    projection: Floats = np.maximum(counts - excess[last], 0.0)
    return projection


def rank_variance(*, bins: int, below: int, share: float, epsilon: float) -> float:
    """Variance, in persons squared, of the rank that noise of discrete Laplace(1/ε) bins shifts."""
    q = math.exp(-epsilon)
    noise = 2.0 * q / (1.0 - q) ** 2
    return noise * ((1.0 - share) ** 2 * below + share**2 * (bins - below))

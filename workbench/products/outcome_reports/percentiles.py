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
from collections.abc import Sequence

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


def planned_edges(median: float, spread: float, bins: int, cap: int) -> Floats:
    """All K + 1 edges from public planning values; whoever is beyond the first or last is in the bin next to it.

    The outer two are where a tenth of an outer bin would lie beyond, and never above the cap.
    """
    from scipy.special import ndtri

    shares = np.concatenate([[0.1 / bins], np.arange(1, bins) / bins, [1.0 - 0.1 / bins]])
    edges = np.exp(math.log(median) + spread * ndtri(shares))
    edges = np.minimum(edges, cap * np.linspace(0.9, 1.0, bins + 1))
    return np.unique(np.maximum(np.rint(edges), np.arange(1, bins + 2)))


def number_of_bins(planned: float, epsilon: float) -> int:
    """K for a cell of so many planned people; never from the data."""
    wanted = round(2.0 * math.pow(max(planned * epsilon, 0.0), _EXPONENT))
    fewest = _PRECISE if epsilon >= _PRECISE_FROM else _FEWEST
    return min(max(wanted, fewest), _MOST)


def running_sum(edges: Floats, counts: Floats, share: float) -> float | None:
    """The public rule: negative bins kept."""
    found = float(running_sums(edges, counts[None, :], share)[0])
    return None if math.isnan(found) else found


def running_sums(edges: Floats, counts: Floats, share: float) -> Floats:
    """The same row by row; not-a-number where the sum of a row is not positive."""
    sums = np.cumsum(counts, axis=1)
    wanted = share * sums[:, -1:]
    at = np.argmax(sums >= wanted - 1e-12 * np.maximum(np.abs(wanted), 1.0), axis=1)[:, None]
    inside = np.take_along_axis(counts, at, axis=1)
    before = np.take_along_axis(sums, at, axis=1) - inside
    with np.errstate(divide="ignore", invalid="ignore"):
        values = edges[at] + (wanted - before) / inside * (edges[at + 1] - edges[at])
    return np.where(sums[:, -1] > 0.0, values[:, 0], np.nan)


def clipped(edges: Floats, counts: Floats, share: float) -> float | None:
    """The same on bins without negatives."""
    kept = np.maximum(counts, 0.0)
    return running_sum(edges, kept, share)


def projected(edges: Floats, counts: Floats, share: float) -> float | None:
    """Bins projected onto the simplex of their sum, interpolated linearly in the logarithm."""
    found = float(interpolated(edges, onto_simplex(counts[None, :]), (share,))[0, 0])
    return None if math.isnan(found) else found


def onto_simplex(counts: Floats) -> Floats:
    """Row by row the nearest non-negative bins with the same sum: one constant is taken off, negatives become zero.

    Not-a-number where the sum is not positive.
    """
    total = counts.sum(axis=1)
    ordered = -np.sort(-counts, axis=1)
    excess = (np.cumsum(ordered, axis=1) - total[:, None]) / np.arange(1, counts.shape[1] + 1)
    last = counts.shape[1] - 1 - np.argmax((ordered > excess)[:, ::-1], axis=1)
    taken = np.take_along_axis(excess, last[:, None], axis=1)
    return np.where((total > 0.0)[:, None], np.maximum(counts - taken, 0.0), np.nan)


def interpolated(edges: Floats, bins: Floats, shares: Sequence[float]) -> Floats:
    """Rows × shares: where the running sum of non-negative bins reaches each share, log-linear within a bin."""
    sums = np.cumsum(bins, axis=1)
    total = sums[:, -1:]
    log_edges = np.log(np.maximum(edges, 1.0))
    found = np.full((len(bins), len(shares)), np.nan)
    known = np.flatnonzero(total[:, 0] > 0.0)
    for place, share in enumerate(shares):
        wanted = share * total[known]
        at = np.argmax(sums[known] >= wanted - 1e-12 * total[known], axis=1)[:, None]
        inside = np.take_along_axis(bins[known], at, axis=1)
        before = np.take_along_axis(sums[known], at, axis=1) - inside
        width = log_edges[at + 1] - log_edges[at]
        found[known, place] = np.exp(log_edges[at] + (wanted - before) / inside * width)[:, 0]
    return found


def rank_variance(*, bins: int, below: int, share: float, epsilon: float) -> float:
    """Variance, in persons squared, of the rank that noise of discrete Laplace(1/ε) bins shifts."""
    q = math.exp(-epsilon)
    noise = 2.0 * q / (1.0 - q) ** 2
    return noise * ((1.0 - share) ** 2 * below + share**2 * (bins - below))

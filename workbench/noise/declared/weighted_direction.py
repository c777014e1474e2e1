"""One coordinate of a direction under the norm N(z) = a‖z‖₁ + b|Σz|, a = 1 − b, in the auditor's own arithmetic.

θ has density ∝ e^(−N(θ)). Given that k of the d coordinates are above zero, l = d − k below, and their sums have P ≥ Q,
N = 2aQ + (P − Q). V = (P − Q)/N is a mixture over i = 0 … k−1 of Beta(i + 1, d − 1 − i) with weights
C(d, k)·C(d−2−i, l−1)·(2a)^(−(d−1−i)); P/N = V + (1 − V)/(2a) is divided evenly at random among the k, and
Q/N = (1 − V)/(2a) among the l. Orthants of one sign have weight 1. So with u = |θ_c|/N(θ)
P(u > y) = Σ weight·E_V[(k/d)·(1 − y/(P/N))₊^(k−1) + (l/d)·(1 − y/(Q/N))₊^(l−1)]. Where a sum has one part only the
power is 0 and the beta law itself gives the term. A rule of Gauss and Legendre over V gives the others. The one
coordinate above zero has the whole of P/N, which for a = ½ is 1 whatever V: `alone` keeps that part apart, so that who
averages over lengths meets no jump.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Floats

_NODES = 400
_KNOTS = 4001


def length_of(block: Floats, totals: float) -> Floats:
    """N of each row."""
    found: Floats = (1.0 - totals) * np.abs(block).sum(axis=1)
    return found + totals * np.abs(block.sum(axis=1)) if totals else found


def largest(totals: float) -> float:
    """The most that one coordinate can be of N: 1/(2a) where the others make the total small again."""
    return max(1.0, 0.5 / (1.0 - totals))


def beyond(y: Floats, cells: int, totals: float) -> Floats:
    """P(u > y and the coordinate is not alone above zero)."""
    knots, tails, _ = _table(cells, totals)
    found: Floats = np.interp(y, knots, tails, right=0.0)
    return found


def density(y: Floats, cells: int, totals: float) -> Floats:
    """Of u, where the coordinate is not alone above zero."""
    knots, _, densities = _table(cells, totals)
    found: Floats = np.interp(y, knots, densities, right=0.0)
    return found


@lru_cache(maxsize=16)
def alone(cells: int, totals: float) -> tuple[Floats, Floats]:
    """Values of u where the coordinate is alone above zero (or below, in the mirror image), and their probabilities."""
    own, (v, width) = 1.0 - totals, _rule()
    weights, one = _weights(cells, own)
    share = weights[0, 0] / cells / (one + weights.sum())
    return v + (1.0 - v) / (2.0 * own), share * _beta(v, 0, cells) * width


@lru_cache(maxsize=16)
def _table(cells: int, totals: float) -> tuple[Floats, Floats, Floats]:
    knots = np.linspace(0.0, largest(totals), _KNOTS)
    tails = _tails(knots, cells, 1.0 - totals)
    densities: Floats = np.maximum(-np.gradient(tails, knots), 0.0)
    return knots, tails, densities


def _rule() -> tuple[Floats, Floats]:
    nodes, widths = np.polynomial.legendre.leggauss(_NODES)
    return 0.5 * (nodes + 1.0), 0.5 * widths


def _weights(d: int, own: float) -> tuple[Floats, float]:
    """The weights for k − 1 (rows) and i (columns), and that of an orthant of one sign, over the largest of them."""
    log = _log_weights(d, own)
    scale = max(float(np.max(log)), 0.0)
    return np.exp(log - scale), math.exp(-scale)


def _tails(y: Floats, d: int, own: float) -> Floats:
    v, width = _rule()
    above, below = v + (1.0 - v) / (2.0 * own), (1.0 - v) / (2.0 * own)
    weights, one = _weights(d, own)
    mass = np.stack([_beta(v, i, d) * width for i in range(d - 1)])
    found = one * np.maximum(1.0 - y, 0.0) ** (d - 1)
    by_above, by_below = (np.maximum(1.0 - y[:, None] / part[None, :], 0.0) for part in (above, below))
    for k in range(1, d):
        weighted, left = weights[k - 1] @ mass, d - k
        if k > 1:
            found += (k / d) * (by_above ** (k - 1) @ weighted)
        found += (left / d) * (weights[k - 1] @ _last(y, d, own) if left == 1 else by_below ** (left - 1) @ weighted)
    tails: Floats = found / (one + weights.sum())
    return tails


def _log_weights(d: int, own: float) -> Floats:
    """ln of the weight for k − 1 (rows) and i (columns); −∞ where there is none."""
    found = np.full((d - 1, d - 1), -math.inf)
    for k in range(1, d):
        for i in range(k):
            left = d - k
            ways = math.lgamma(d + 1) - math.lgamma(k + 1) - math.lgamma(left + 1)
            ways += math.lgamma(d - 1 - i) - math.lgamma(left) - math.lgamma(d - i - left)
            found[k - 1, i] = ways - (d - 1 - i) * math.log(2.0 * own)
    return found


def _beta(v: Floats, i: int, d: int) -> Floats:
    log = math.lgamma(d) - math.lgamma(i + 1) - math.lgamma(d - 1 - i)
    found: Floats = np.exp(log + i * np.log(v) + (d - 2 - i) * np.log1p(-v))
    return found


def _last(y: Floats, d: int, own: float) -> Floats:
    """P(Q/N > y) for each i."""
    from scipy.special import betainc

    i = np.arange(d - 1)[:, None]
    return np.asarray(betainc(i + 1.0, d - 1.0 - i, np.clip(1.0 - 2.0 * own * y, 0.0, 1.0)[None, :]), np.float64)

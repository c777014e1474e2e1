"""Smooth Gamma's privacy loss in closed form: noise with density ∝ 1/(1 + |z|^g), shifted and rescaled.

For two neighbours whose counts differ by `shift` (in units of the smaller noise) and whose noise scales have the ratio
r ≥ 1, the supremum over all outputs and both directions of |ln p/q| is the larger root e of

    (e^{e/(g−1)} − r)^{g−1} · (r − e^{−e}) = shift^g.

(The other direction's equation, (r·e^{e/(g−1)} − 1)^{g−1}·(1 − r·e^{−e}) = shift^g, has the smaller root for g ≥ 2.)
So κ = max over r in {1, 1+α} of [(e^{ε/(g−1)} − r)^{g−1}(r − e^{−ε})]^{−1/g} spends exactly ε: between the ends the
bracket is concave to the power 1/g, so the ends are worst. Feasible iff ε > (g−1)·ln(1+α).
Source: Haney et al. (2017), section 8.2, with the constant made tight by an own derivation.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from workbench.core.arrays import Floats

_MOST_ROUNDS = 60
_CLOSE = 1e-14
UP_ROUND = 1 + 2.0**-50  # rounding a scale must never cost privacy


def pair_loss(shift: Floats, ratio: Floats, exponent: float = 4.0) -> Floats:
    """The largest log ratio over all outputs for each pair (shift in units of the smaller noise, ratio ≥ 1).

    Newton's method on the logarithm of the equation, which is concave and rises: from below it never oversteps.
    """
    root = exponent - 1.0
    found: Floats = root * np.log(ratio)  # without a shift
    at = np.flatnonzero(shift > 0.0)
    d, r = shift[at], ratio[at]
    e = root * np.log(r + d * (d / r) ** (1.0 / root))  # r − e^{−e} taken as r: a lower bound
    target = exponent * np.log(d)
    for _ in range(_MOST_ROUNDS):
        grown, fallen = np.exp(e / root), np.exp(-e)
        left, right = np.maximum(grown - r, 1e-300), r - fallen
        level = root * np.log(left) + np.log(right) - target
        step = -level / (grown / left + fallen / right)
        e += step
        if not len(e) or float(np.max(np.abs(step) / np.maximum(e, 1e-300))) < _CLOSE:
            break
    found[at] = e
    return found


def least_epsilon(alpha: float, exponent: float = 4.0) -> float:
    """The ε that must be exceeded: (g−1)·ln(1+α)."""
    return (exponent - 1.0) * math.log1p(alpha)


def tight_kappa(epsilon: float, alpha: float, exponent: float = 4.0) -> float:
    """The smallest κ whose largest loss is ε; infinite where no κ reaches it."""
    if epsilon <= least_epsilon(alpha, exponent):
        return math.inf
    root = exponent - 1.0
    grown = math.expm1(epsilon / root)  # e^{ε/(g−1)} − 1
    worst = min(math.pow(grown - more, root) * (more - math.expm1(-epsilon)) for more in (0.0, alpha))
    return math.pow(worst, -1.0 / exponent)


def spent(kappa: float, alpha: float, exponent: float = 4.0) -> float:
    """The largest loss over all neighbours that κ allows."""
    ends = np.array([1.0, 1.0 + alpha])
    return float(pair_loss(np.full(2, 1.0 / kappa), ends, exponent).max())


@cache
def worker_move_floor(epsilon: float, alpha: float, exponent: float = 4.0) -> float:
    """The smallest c ≥ 1 such that S = max(αx, c) keeps one worker's move between two establishments within ε.

    A move is one worker less in one cell and one more in another: each may cost ε/2 at most (Definition 4.1).
    """
    kappa = tight_kappa(epsilon, alpha, exponent)

    root = exponent - 1.0
    grown, fallen = math.exp(epsilon / 2.0 / root), math.exp(-epsilon / 2.0)

    def half_kept(floor: float) -> bool:
        """`pair_loss` is at most ε/2: its equation, which rises with the loss, asked at ε/2."""
        level = min(math.pow(max(grown - r, 0.0), root) * (r - fallen) for r in (1.0, 1.0 + alpha / floor))
        return level >= math.pow(kappa * floor, -exponent)

    low, high = 1.0, 1.0
    while not half_kept(high):
        low, high = high, 2.0 * high
    while low < (middle := (low + high) / 2.0) < high and high > 1.0:
        low, high = (low, middle) if half_kept(middle) else (middle, high)
    return high

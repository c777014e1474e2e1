"""Smooth Laplace's exact δ: the hockey-stick divergence of two Laplace laws that differ in place and width.

P = Laplace(0, 1) against Q = Laplace(d, r), r ≥ 1, d ≥ 0 the shift in units of the smaller noise. ln Q/P is piecewise
linear with its least value −ln r − d/r at 0, so both directions have closed forms:

    wider over narrower, ∫(Q − e^ε P)₊: both tails beyond the points where ln Q/P = ε;
    narrower over wider, ∫(P − e^ε Q)₊: the middle where ln Q/P < −ε, if ln r + d/r > ε.

The exact δ of a pair is the larger one. While ln(1+α) + d/(1+α) ≤ ε it is, at r = 1+α,
α(1+α)^{−(1+α)/α} e^{−ε/α} cosh(d/α), from which the tight d = α·arccosh((δ/α)(1+α)^{(1+α)/α} e^{ε/α}) follows.
Source: Haney et al. (2017), section 8.3; own derivation, checked by brute force.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from workbench.core.arrays import Floats

_RATIOS = 65  # between 1 and 1+α: sizes at the edge of α·x = 1 give ratios in between
_MOST_ROUNDS = 60
_CLOSE = 1e-12
_NEAR = 1e-11  # how far the closed form may be off by rounding, as a share


def pair_delta(shift: Floats, ratio: Floats, epsilon: Floats | float) -> Floats:
    """The exact δ at ε of each pair, the larger of the two directions."""
    eps = np.broadcast_to(np.asarray(epsilon, dtype=np.float64), shift.shape)
    larger: Floats = np.maximum(_wider(shift, ratio, eps), _narrower(shift, ratio, eps))
    return np.clip(larger, 0.0, 1.0)


def _wider(d: Floats, r: Floats, eps: Floats) -> Floats:
    """∫(Q − e^ε P)₊. At each end of the region Q = e^ε P, which leaves single exponentials and nothing cancels."""
    slope = np.maximum(1.0 - 1.0 / r, 1e-300)
    height = eps + np.log(r)
    left = np.exp(-((height + d / r) / slope + d) / r) * slope / 2.0
    far = np.maximum((height - d / r) / slope, d)
    right = np.exp(-(far - d) / r) * slope / 2.0
    inside = (height + d / r) / (1.0 + 1.0 / r)  # where the right end lies before d
    near = slope / 2.0 - np.expm1(-np.maximum(d - inside, 0.0) / r) * (1.0 + 1.0 / r) / 2.0
    return np.where(d - np.log(r) >= eps, near, right) + left


def _narrower(d: Floats, r: Floats, eps: Floats) -> Floats:
    """∫(P − e^ε Q)₊ over the middle; 0 where ln Q/P never falls below −ε."""
    slope = np.maximum(1.0 - 1.0 / r, 1e-300)
    depth = np.maximum(np.log(r) + d / r - eps, 0.0)
    left = np.exp(-depth / slope)
    right = np.exp(-depth / (1.0 + 1.0 / r))
    inner = -np.expm1(-depth / (1.0 + 1.0 / r)) - (r - 1.0) * (right - left) / 2.0
    beyond = np.maximum((np.log(r) - d / r - eps) / slope, d)
    outer = -np.expm1(eps) + (r - 1.0) * (left + np.exp(-beyond)) / 2.0
    return np.where(depth > 0.0, np.where(d - np.log(r) >= -eps, inner, outer), 0.0)


def worst_delta(kappa: float, alpha: float, epsilon: float) -> float:
    """The exact δ of noise κ·S over all neighbours: shift 1/κ, every ratio from 1 to 1+α."""
    ratios = np.linspace(1.0, 1.0 + alpha, _RATIOS)
    return float(pair_delta(np.full(_RATIOS, 1.0 / kappa), ratios, epsilon).max())


def worst_epsilon(kappa: float, alpha: float, delta: float, claimed: float) -> float:
    """The smallest ε at which the exact δ over all neighbours is at most δ, searched downward from the claimed one.

    False position (Illinois) on ln δ, which is nearly a straight line in ε.
    """

    def excess(epsilon: float) -> float:
        return math.log(max(worst_delta(kappa, alpha, epsilon), 1e-300) / delta)

    low, high = 0.0, claimed
    while (at_high := excess(high)) > _CLOSE:
        low, high = high, 2.0 * high
    at_low = excess(low)
    if at_low <= 0.0 or at_high > -_CLOSE:
        return low if at_low <= 0.0 else high
    for _ in range(_MOST_ROUNDS):
        middle = min(max(high - at_high * (high - low) / (at_high - at_low), low), high)
        found = excess(middle)
        if found > 0.0:
            low, at_low, at_high = middle, found, at_high / 2.0
        else:
            high, at_high, at_low = middle, found, at_low / 2.0
        if min(high - low, abs(found)) < _CLOSE:
            break
    return high


def least_delta(alpha: float, epsilon: float) -> float:
    """What the change of scale alone costs, however much noise there is: α(1+α)^{−(1+α)/α} e^{−ε/α}."""
    return float(pair_delta(np.zeros(1), np.array([1.0 + alpha]), epsilon)[0])


@cache
def tight_kappa(epsilon: float, alpha: float, delta: float) -> float:
    """The smallest κ whose exact δ is at most δ; infinite where no κ reaches it."""
    if least_delta(alpha, epsilon) >= delta:
        return math.inf

    def kept(shift: float) -> bool:
        return worst_delta(1.0 / shift, alpha, epsilon) <= delta

    low, high = 0.0, 1.0  # d = 1/κ
    near = _closed_shift(epsilon, alpha, delta)
    if near > 0.0 and kept(near * (1.0 - _NEAR)) and not kept(near * (1.0 + _NEAR)):
        low, high = near * (1.0 - _NEAR), near * (1.0 + _NEAR)
    while kept(high):
        low, high = high, 2.0 * high
    while low < (middle := (low + high) / 2.0) < high:
        low, high = (middle, high) if kept(middle) else (low, middle)
    return 1.0 / low if low > 0.0 else math.inf


def _closed_shift(epsilon: float, alpha: float, delta: float) -> float:
    """d = α·arccosh((δ/α)·(1+α)^{(1+α)/α}·e^{ε/α}), the root wherever ln(1+α) + d/(1+α) ≤ ε; 0 where it overflows."""
    log_level = math.log(delta / alpha) + (1.0 + alpha) / alpha * math.log1p(alpha) + epsilon / alpha
    if not 0.0 < log_level < 700.0:
        return 0.0
    return alpha * math.acosh(math.exp(log_level))


def least_epsilon(alpha: float, delta: float) -> float:
    """The ε that must be exceeded for any noise to reach δ, at a change of scale by 1+α."""
    return max(0.0, -alpha * (math.log(delta / alpha) + (1.0 + alpha) / alpha * math.log1p(alpha)))


def least_epsilon_of(kappa_times_epsilon: float, alpha: float, delta: float) -> float:
    """The smallest ε at which noise of κ = `kappa_times_epsilon`/ε has an exact δ of at most δ (Table 2, corrected)."""

    def kept(epsilon: float) -> bool:
        return worst_delta(kappa_times_epsilon / epsilon, alpha, epsilon) <= delta

    low, high = 0.0, 1.0
    while not kept(high):
        low, high = high, 2.0 * high
    while low < (middle := (low + high) / 2.0) < high and high > 1e-9:
        low, high = (low, middle) if kept(middle) else (middle, high)
    return 0.0 if high <= 1e-9 else high


def pair_epsilon(shift: Floats, ratio: Floats, delta: float) -> Floats:
    """The smallest ε at which each pair's exact δ is at most δ: in closed form where that holds, else searched."""
    rest = np.maximum(ratio - 1.0, 1e-300)
    turned = shift / rest
    log_cosh = turned + np.log1p(np.exp(-2.0 * turned)) - math.log(2.0)
    found: Floats = rest * (np.log(np.maximum(rest / ratio, 1e-300) / delta) + log_cosh) - np.log(ratio)
    main = (ratio > 1.0) & (found > 0.0) & (found >= np.log(ratio) + shift / ratio) & (found >= shift - np.log(ratio))
    level = np.flatnonzero(ratio <= 1.0)
    found[level] = np.maximum(shift[level] + 2.0 * math.log1p(-delta), 0.0)
    others = np.flatnonzero(~main & (ratio > 1.0))
    found[others] = _searched_epsilon(shift[others], ratio[others], delta)
    return found


def _searched_epsilon(shift: Floats, ratio: Floats, delta: float) -> Floats:
    """The root of ln δ(ε) = ln δ below the closed form's range, by false position (Illinois), from above."""
    low = np.zeros(len(shift))
    high = np.maximum(np.log(ratio) + shift / ratio, shift - np.log(ratio))
    at_low, at_high = _excess(shift, ratio, low, delta), _excess(shift, ratio, high, delta)
    high = np.where(at_low <= 0.0, 0.0, high)
    found = high
    for _ in range(_MOST_ROUNDS):
        middle = np.clip(high - at_high * (high - low) / np.minimum(at_high - at_low, -1e-300), low, high)
        excess = _excess(shift, ratio, middle, delta)
        above = excess > 0.0
        at_high = np.where(above, at_high / 2.0, excess)
        at_low = np.where(above, excess, at_low / 2.0)
        low, high = np.where(above, middle, low), np.where(above, high, middle)
        found = np.where(np.abs(excess) < _CLOSE, middle, high)
        if not len(high) or float(np.max(np.minimum(high - low, np.abs(excess)))) < _CLOSE:
            break
    return found


def _excess(shift: Floats, ratio: Floats, epsilon: Floats, delta: float) -> Floats:
    excess: Floats = np.log(np.maximum(pair_delta(shift, ratio, epsilon), 1e-300) / delta)
    return excess

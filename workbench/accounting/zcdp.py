"""ρ-zCDP and (ε, δ): one conversion for every release that is accounted for in ρ.

Formula: δ(ρ, ε) = min over a > 1 of e^((a−1)(aρ−ε))/(a−1)·(1 − 1/a)^a. Any a gives a valid δ, so the search may stop
anywhere; what it returns is rounded in the careful direction. A pure ε release has ρ = ε·tanh(ε/2).
Source: Bun and Steinke (2016); Canonne, Kamath and Steinke (2020), Proposition 12.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

_STEPS = 200
_KEPT = 1024  # every draw of a release asks again
_CAREFUL = 1e-12  # relative; far more than the few float operations of one evaluation lose


def delta_of(rho: float, epsilon: float) -> float:
    """The δ at ε of a ρ-zCDP release: an upper bound, never below the minimum of the formula."""
    if rho <= 0.0:
        return 0.0
    # The exponent is smallest at a = (ε + ρ)/(2ρ); the other factors move the best order by little.
    center = max((epsilon + rho) / (2.0 * rho), 1.0)
    lowest, highest = math.log(1e-9), math.log(4.0 * center + 10.0)
    best = _smallest(lambda log: _log_delta(rho, epsilon, math.exp(log)), lowest, highest)
    return min(1.0, math.exp(best) * (1.0 + _CAREFUL * (1.0 + abs(best))))


@lru_cache(maxsize=_KEPT)
def epsilon_of(rho: float, delta: float) -> float:
    """The smallest ε, rounded up, at which ρ keeps δ."""
    low, high = 0.0, rho + 2.0 * math.sqrt(rho * math.log(1.0 / delta)) + 1e-12
    return _boundary(lambda epsilon: delta_of(rho, epsilon) <= delta, bad=low, good=high)


@lru_cache(maxsize=_KEPT)
def rho_of(epsilon: float, delta: float) -> float:
    """The largest ρ, rounded down, that keeps (ε, δ)."""
    high = 1.0
    while delta_of(high, epsilon) <= delta:
        high *= 2.0
    return _boundary(lambda rho: delta_of(rho, epsilon) <= delta, bad=high, good=0.0)


def rho_of_pure(epsilon: float) -> float:
    """ρ of any pure ε release: ε·tanh(ε/2), rounded up; never above ε²/2."""
    return epsilon * math.tanh(epsilon / 2.0) * (1.0 + _CAREFUL)


def _log_delta(rho: float, epsilon: float, above_one: float) -> float:
    """ln of the formula at a = 1 + above_one."""
    order = 1.0 + above_one
    return above_one * (order * rho - epsilon) - math.log(above_one) - order * math.log1p(1.0 / above_one)


def _smallest(function: Callable[[float], float], low: float, high: float) -> float:
    """The smallest value met by golden-section search: the formula has one valley."""
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(_STEPS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return min(at_left, at_right)


def _boundary(holds: Callable[[float], bool], *, bad: float, good: float) -> float:
    """Halves between a number that does not hold and one that does; returns one that does."""
    for _ in range(_STEPS):
        middle = 0.5 * (bad + good)
        if middle in (bad, good):
            break
        bad, good = (bad, middle) if holds(middle) else (middle, good)
    return good

"""Mean absolute errors of integers for thousands of cells and hundreds of settings, at the cost of a table look-up.

E|round(σZ)| depends on σ alone, so for a given law of Z it is tabulated once over ln σ (linear interpolation of E/σ
between 3,000 knots: relative error below 2e-6). For Log-Laplace it depends on c = n + g and l; Euler and Maclaurin's
sum formula, at 0 from c·l = 2 on and after the first twelve terms below it, is right to 1e-6 for l ≤ 1/8 (wider ones
are summed up to c·l = 12, all cells at once):
    Σ f(j+½) = ∫f + f′(0)/24 − 7f‴(0)/5760 + 31f⁗′(0)/967680, f(x) = ½(1+x/c)^(−p) above and ½(1−x/c)^p below, p = 1/l.
Everything else is left to the mechanisms' own formulas, against which the tests hold these.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Floats
from workbench.noise.rounded_error import log_laplace_error, rounded_log_laplace, rounded_power
from workbench.noise.tail_laws import PowerTail

_LOW, _HIGH, _KNOTS = 0.05, 12.0, 3000
_SMOOTH_FROM = 2.0
_TERMS = 12
_THIN_FROM = 8.0  # the power 1/l from which nothing of weight lies near −g
_TAIL_TERMS = 64


def power_mean(scale: Floats, law: PowerTail) -> Floats:
    """E|round(scale·Z)| for Smooth Gamma's law."""
    knots, values = _table(law)
    inside = (scale > _LOW) & (scale < _HIGH)
    error: Floats = scale * np.interp(np.log(scale), knots, values)
    if not np.all(inside):
        error[~inside] = rounded_power(scale[~inside], law)
    return error


@lru_cache(maxsize=16)
def _table(law: PowerTail) -> tuple[Floats, Floats]:
    knots = np.linspace(np.log(_LOW), np.log(_HIGH), _KNOTS)
    scale = np.exp(knots)
    return knots, rounded_power(scale, law) / scale


def log_laplace_mean(count: Floats, *, offset: float, spread: float, unbiased: bool) -> Floats:
    """E|published − n| for Log-Laplace; counts are whole numbers."""
    power = 1.0 / spread
    if unbiased or spread >= 1.0:
        return rounded_log_laplace(count, offset=offset, spread=spread, unbiased=unbiased)
    error = log_laplace_error(count, offset=offset, spread=spread, unbiased=False)
    inverse = 1.0 / (count + offset)
    square = inverse**2
    first, third, fifth = _derivatives(power)
    error += inverse * (first / 24.0 + square * (-7.0 / 5760.0 * third + square * (31.0 / 967_680.0 * fifth)))
    thin = power >= _THIN_FROM
    narrow = np.flatnonzero((count + offset) * spread <= (_SMOOTH_FROM if thin else _HIGH))
    if len(narrow):
        some = count[narrow]
        error[narrow] = _summed(some + offset, power) if thin else _accumulated(some, offset, power)
    return error


def _accumulated(count: Floats, offset: float, power: float) -> Floats:
    """Both sums exactly, for heavy tails: all cells share their terms, (θ+k)^p below and (g+½+k)^(−p) above."""
    whole = count.astype(np.int64)
    last = int(whole.max()) + _TAIL_TERMS
    points = np.arange(last + 1) + offset + 0.5
    beyond = points[-1] + 0.5
    rest = beyond ** (1.0 - power) / (power - 1.0) - power * beyond ** (-power - 1.0) / 24.0
    above = np.cumsum((points**-power)[::-1])[::-1] + rest
    steps = math.floor(offset - 0.5)
    below = np.cumsum((offset - 0.5 - steps + np.arange(last + steps + 1)) ** power)
    centre = count + offset
    total: Floats = above[whole] * centre**power + below[whole + steps] * centre**-power
    return total / 2.0


def _summed(centre: Floats, power: float) -> Floats:
    """The first terms one by one, the rest by the same formula at the edge; for σ below 2."""
    steps = (np.arange(_TERMS) + 0.5)[:, None] / centre
    total: Floats = np.exp(-power * np.log1p(steps)).sum(axis=0)
    total += (np.maximum(1.0 - steps, 0.0) ** power).sum(axis=0)
    edge = _TERMS / centre
    above, below = np.exp(-power * np.log1p(edge)), np.maximum(1.0 - edge, 0.0) ** power
    total += above * (centre * (1.0 + edge) / (power - 1.0) - power / (24.0 * centre * (1.0 + edge)))
    total += below * (centre * np.maximum(1.0 - edge, 0.0) / (power + 1.0))
    total -= np.maximum(1.0 - edge, 0.0) ** (power - 1.0) * power / (24.0 * centre)
    return total / 2.0


def _derivatives(p: float) -> tuple[float, float, float]:
    """f′, f‴ and f⁗′ at 0 of both sides together, times c, c³ and c⁵."""
    third = -0.5 * p * ((p + 1) * (p + 2) + (p - 1) * (p - 2))
    up, down = (p + 1) * (p + 2) * (p + 3) * (p + 4), (p - 1) * (p - 2) * (p - 3) * (p - 4)
    return -p, third, -0.5 * p * (up + down)

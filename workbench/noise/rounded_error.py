"""E|published − true| of integers: what rounding to the nearest integer makes of a closed form.

For K = the nearest integer to n + X, E|K − n| = Σ_{j≥0} P(|X| > j + ½): the midpoint rule for E|X| = ∫P(|X| > x)dx.
Narrow noise is summed term by term with the rest by Euler and Maclaurin; for wide noise their formula at 0 suffices,
E|K − n| ≈ E|X| − p(n)/12 with p(n) the density of the published value at the true count.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Floats
from workbench.noise.tail_laws import PowerTail

_TERMS = 64
_WIDE = 12.0  # in units of the published value; beyond, the next correction is below 1e-6 of the error
_SERIES = 30


def mean_of_power(exponent: float) -> float:
    """E|Z| = 1/(2·cos(π/g)) for density ∝ 1/(1 + |z|^g)."""
    return 1.0 / (2.0 * math.cos(math.pi / exponent))


def rounded_power(scale: Floats, law: PowerTail) -> Floats:
    """E|K − n| for scale·Z, Z with density ∝ 1/(1 + |z|^g)."""
    exponent = float(law.exponent)
    peak = float(law.density(np.zeros(1))[0]) / 2.0
    error: Floats = scale * mean_of_power(exponent) - peak / (12.0 * scale)
    narrow = np.flatnonzero(scale <= _WIDE)
    if len(narrow):
        s = scale[narrow]
        points = (np.arange(_TERMS) + 0.5)[:, None] / s
        error[narrow] = law.survival(points.ravel()).reshape(points.shape).sum(axis=0) + _rest(_TERMS / s, s, law)
    return error


def _rest(z: Floats, scale: Floats, law: PowerTail) -> Floats:
    """Σ of the terms beyond z > 1: scale·∫_z^∞ T + T′(z)/(24·scale)."""
    g = float(law.exponent)
    orders = g * (np.arange(_SERIES) + 1.0)[:, None]
    signs = np.where(np.arange(_SERIES) % 2 == 0, 1.0, -1.0)[:, None]
    peak = float(law.density(np.zeros(1))[0])
    integral: Floats = (signs * z ** (2.0 - orders) / ((orders - 1.0) * (orders - 2.0))).sum(axis=0) * peak
    return scale * integral - law.density(z) / (24.0 * scale)


def rounded_laplace(scale: Floats) -> Floats:
    """E|K − n| for Laplace noise: Σ e^{−(j+½)/scale} = 1/(2·sinh(1/(2·scale)))."""
    error: Floats = 0.5 / np.sinh(0.5 / scale)
    return error


def log_laplace_error(count: Floats, *, offset: float, spread: float, unbiased: bool) -> Floats:
    """E|out − n| before rounding: (n+g)·l/(1−l²); after the unbiased correction (n+g)·l/(1−l)·(1−l²)^{1/l}."""
    if spread >= 1.0:
        return np.full(len(count), math.inf)
    factor = spread / (1.0 - spread**2)
    if unbiased:
        factor = spread / (1.0 - spread) * (1.0 - spread**2) ** (1.0 / spread)
    return (count + offset) * factor


def rounded_log_laplace(count: Floats, *, offset: float, spread: float, unbiased: bool) -> Floats:
    """The same for the published integers."""
    error = log_laplace_error(count, offset=offset, spread=spread, unbiased=unbiased)
    if spread >= 1.0:
        return error
    factor = 1.0 - spread**2 if unbiased else 1.0
    centre = count + offset
    density = factor ** (1.0 / spread) / (2.0 * spread * centre)  # of the value at the true count, which lies above
    error -= density / 12.0
    narrow = np.flatnonzero(centre * spread <= _WIDE)
    if len(narrow):
        error[narrow] = _log_sum(centre[narrow], centre[narrow] * factor, spread)
    return error


def _log_sum(centre: Floats, median: Floats, spread: float) -> Floats:
    """Σ P(out > n+j+½) + P(out < n−j−½), the first terms one by one and the rest as integrals."""
    power = 1.0 / spread
    steps = (np.arange(_TERMS) + 0.5)[:, None]
    total: Floats = _above(centre + steps, median, power).sum(axis=0)
    total += _below(centre - steps, median, power).sum(axis=0)
    far, near = centre + _TERMS, np.maximum(centre - _TERMS, 0.0)
    rest = _above(far, median, power) * (far / (power - 1.0) - power / far / 24.0)
    total += rest + _below(near, median, power) * near / (power + 1.0)
    return total


def _above(point: Floats, median: Floats, power: float) -> Floats:
    ratio = point / median
    beyond: Floats = np.where(ratio >= 1.0, 0.5 * np.maximum(ratio, 1.0) ** -power, 1.0)
    return np.where(ratio >= 1.0, beyond, 1.0 - 0.5 * np.minimum(ratio, 1.0) ** power)


def _below(point: Floats, median: Floats, power: float) -> Floats:
    positive = np.maximum(point, 0.0)
    return np.where(positive > 0.0, 1.0 - _above(positive, median, power), 0.0)

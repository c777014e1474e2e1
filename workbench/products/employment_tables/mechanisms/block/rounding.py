"""Expected absolute value of one coordinate of the block noise after rounding to integers.

With |z| the size of one coordinate and T(y) = P(|z| > y) = E[(1 − y/t)₊^(d−1)] over the radius t,
E|round(σz)| = Σ_{k≥1} T((k − ½)/σ). The first terms are summed; the rest is σ∫T plus the midpoint rule's first
correction (Euler and Maclaurin), which leaves a relative error below 1e-6 for every σ in use. For large σ it is
σ·E t/d. Integrals over the radius are sums over a double-exponential grid (Takahasi and Mori 1974).
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Floats
from workbench.products.employment_tables.mechanisms.block.coordinate_law import coordinate_law
from workbench.products.employment_tables.mechanisms.block.tail import Tail

_TERMS = 16
_MANY = 100
_LARGE = 40.0  # expected errors above this many jobs: rounding changes them by less than 1e-4 of a job
_STEP = 7.6 / 240
_GRID = 0.5 * math.pi * np.sinh(np.arange(-120, 121) * _STEP)
_WEIGHT = np.exp(_GRID) * 0.5 * math.pi * np.cosh(np.arange(-120, 121) * _STEP) * _STEP


def mean_rounded(scale: Floats, tail: Tail) -> Floats:
    """E|round(scale·z)| for each scale (which holds κ already)."""
    unrounded: Floats = scale * tail.error_per_scale / tail.kappa
    small = unrounded <= _LARGE
    unrounded[small] = (_weighted if tail.totals else _summed)(scale[small], tail)
    return unrounded


def _weighted(scale: Floats, tail: Tail) -> Floats:
    """With a weight on the total: the same sum over the table of T, right to about 1e-3."""
    law, whole = coordinate_law(tail), tail.error_per_scale / tail.kappa
    points = np.geomspace(1e-4, 1e5, 6000)
    tails = law.survival(points)
    inside = np.concatenate([[0.0], np.cumsum(0.5 * (tails[1:] + tails[:-1]) * np.diff(points))]) + points[0]
    found: Floats = scale * np.maximum(whole - np.interp(_MANY / scale, points, inside), 0.0)
    for k in range(1, _MANY + 1):
        found += law.survival((k - 0.5) / scale)
    return found


def _summed(scale: Floats, tail: Tail) -> Floats:
    d, edge = tail.cells, _TERMS / scale
    total: Floats = scale * _beyond(edge, d, tail) / d
    for k in range(1, _TERMS + 1):
        total += _beyond((k - 0.5) / scale, d - 1, tail)
    density = (d - 1) * _beyond(edge, d - 2, tail) if d > 1 else np.exp(_log_density(np.log(edge), tail))
    corrected: Floats = total - density / (24.0 * scale)
    return corrected


def _beyond(y: Floats, power: int, tail: Tail) -> Floats:
    """∫ over t > y of (t − y)^power·(1 + t^m)^(−g/m), divided by the same with y = 0 and power = d − 1."""
    radius = y[:, None] + np.exp(_GRID)[None, :]
    found: Floats = np.exp(power * _GRID + _log_density(np.log(radius), tail)) @ _WEIGHT
    return found


def _log_density(log_t: Floats, tail: Tail) -> Floats:
    """ln of (1 + t^m)^(−g/m) over ∫ t^(d−1)(1 + t^m)^(−g/m) = B(a, b)/m."""
    a, b, m = float(tail.core), float(tail.far), tail.sharpness
    log_total = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b) - math.log(m)
    found: Floats = -(a + b) * np.logaddexp(0.0, m * log_t) - log_total
    return found

"""How far one more row can move an estimate of a cell: exactly, and by the corners of the published method.

Adding (x, y) moves θ(p) by h(p, x)(y − θ(x))/(1 + h(x, x)), h(s, t) = 1/n + (s − x̄)(t − x̄)/Sxx. For y at a bound the
move is a ratio of two quadratics in u = x − x̄, so its extremes are at the bounds of x or at the roots of
−n₁q₂u² + 2(n₂q₀ − n₀q₂)u + n₁q₀ = 0 with q₀ = 1 + 1/n, q₂ = 1/Sxx, A = 1/n, B = (p − x̄)/Sxx, C = y − ȳ, D = −b,
n₂ = BD, n₁ = AD + BC, n₀ = AC. For the slope A = 0 and B = 1/Sxx. The corner search looks at the bounds of x alone and
can be too small. Source: Chetty and Friedman (2019) for the corners; the interior extremes are our own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.products.area_estimates.line import Lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Declared bounds of x and y, never read from the data."""

    x_low: float = 0.0
    x_high: float = 1.0
    y_low: float = 0.0
    y_high: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The largest move of every cell, and the added row that reaches it."""

    largest: Floats
    x: Floats
    y: Floats


def of_estimate(lines: Lines, rank: float | None, bounds: Bounds, *, corners: bool = False) -> Sensitivity:
    """Of θ(rank), or of the slope where rank is None, under one added row."""
    level = np.zeros(len(lines.size)) if rank is None else 1.0 / lines.size
    tilt = 1.0 / lines.x_spread if rank is None else (rank - lines.x_mean) / lines.x_spread
    found = Sensitivity(largest=np.full(len(lines.size), -1.0), x=np.zeros_like(tilt), y=np.zeros_like(tilt))
    for y in (bounds.y_low, bounds.y_high):
        candidates = [np.full_like(tilt, bounds.x_low), np.full_like(tilt, bounds.x_high)]
        if not corners:
            candidates += _interior(lines, level, tilt, y, bounds)
        for x in candidates:
            found = _larger(found, _moved(lines, level, tilt, x, y), x, y)
    return found


def _moved(lines: Lines, level: Floats, tilt: Floats, x: Floats, y: float) -> Floats:
    u = x - lines.x_mean
    gap = y - lines.y_mean - lines.slope * u
    moved: Floats = np.abs((level + tilt * u) * gap / (1.0 + 1.0 / lines.size + u * u / lines.x_spread))
    return moved


def _interior(lines: Lines, level: Floats, tilt: Floats, y: float, bounds: Bounds) -> list[Floats]:
    """The two roots where they lie within the bounds; a bound of x where they do not."""
    q0, q2 = 1.0 + 1.0 / lines.size, 1.0 / lines.x_spread
    c, d = y - lines.y_mean, -lines.slope
    n2, n1, n0 = tilt * d, level * d + tilt * c, level * c
    first, second, third = -n1 * q2, 2.0 * (n2 * q0 - n0 * q2), n1 * q0
    root = np.sqrt(np.maximum(second * second - 4.0 * first * third, 0.0))
    # the stable pair of roots: the larger in size first, the other from their product
    sum_ = -0.5 * (second + np.where(second >= 0.0, root, -root))
    with np.errstate(divide="ignore", invalid="ignore"):
        pair = (sum_ / first, third / sum_)
    inside = []
    for u in pair:
        x = u + lines.x_mean
        within = np.isfinite(x) & (x > bounds.x_low) & (x < bounds.x_high)
        inside.append(np.where(within, x, bounds.x_low))
    return inside


def _larger(found: Sensitivity, moved: Floats, x: Floats, y: float) -> Sensitivity:
    better = moved > found.largest
    return Sensitivity(
        largest=np.where(better, moved, found.largest),
        x=np.where(better, x, found.x),
        y=np.where(better, y, found.y),
    )

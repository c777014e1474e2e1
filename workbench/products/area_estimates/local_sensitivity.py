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
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats
from workbench.products.area_estimates.line import Lines

_BLOCK = 16_384


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


@dataclass(frozen=True, slots=True)
class _Cells:
    """What every candidate needs, worked out once: A, B, the slope b, q₀, q₂, u at both bounds of x, and products.

    `ratio` is q₀/q₂, `level_slope` A·b, `tilt_slope` B·b·q₀/q₂.
    """

    level: Floats
    tilt: Floats
    slope: Floats
    q0: Floats
    q2: Floats
    u_low: Floats
    u_high: Floats
    ratio: Floats
    level_slope: Floats
    tilt_slope: Floats

    @classmethod
    def of(cls, lines: Lines, rank: float | None, bounds: Bounds) -> _Cells:
        share, q2 = 1.0 / lines.size, 1.0 / lines.x_spread
        level = np.zeros(len(lines.size)) if rank is None else share
        tilt = q2 if rank is None else (rank - lines.x_mean) * q2
        ends = bounds.x_low - lines.x_mean, bounds.x_high - lines.x_mean
        slope, q0 = lines.product * q2, 1.0 + share
        ratio = q0 * lines.x_spread
        return cls(level, tilt, slope, q0, q2, *ends, ratio, level * slope, tilt * slope * ratio)


def of_estimate(lines: Lines, rank: float | None, bounds: Bounds, *, corners: bool = False) -> Sensitivity:
    """Of θ(rank), or of the slope where rank is None, under one added row; in blocks that stay in the cache."""
    many = len(lines.size)
    if many <= _BLOCK:
        return _of_block(lines, rank, bounds, corners=corners)
    whole = Sensitivity(largest=np.empty(many), x=np.empty(many), y=np.empty(many))
    for start in range(0, many, _BLOCK):
        rows = slice(start, start + _BLOCK)
        block = _of_block(lines.chosen(rows), rank, bounds, corners=corners)
        whole.largest[rows], whole.x[rows], whole.y[rows] = block.largest, block.x, block.y
    return whole


def _of_block(lines: Lines, rank: float | None, bounds: Bounds, *, corners: bool) -> Sensitivity:
    cells = _Cells.of(lines, rank, bounds)
    found = _at_corners(lines, cells, bounds)
    if not corners:
        for y in (bounds.y_low, bounds.y_high):
            turning = np.flatnonzero(_turns(lines, cells, y))
            if len(turning):
                level, tilt = cells.level[turning], cells.tilt[turning]
                _improve(found, turning, lines.chosen(turning), level, tilt, y, bounds)
    return found


def _at_corners(lines: Lines, cells: _Cells, bounds: Bounds) -> Sensitivity:
    """The largest move by a row at a corner; for each x the y farther from the line moves more."""
    middle, half = 0.5 * (bounds.y_low + bounds.y_high), 0.5 * (bounds.y_high - bounds.y_low)
    from_mean = middle - lines.y_mean
    sides = []
    for u in (cells.u_low, cells.u_high):
        below = from_mean - cells.slope * u  # where it is negative, the lower y is farther away
        move = np.abs(cells.level + cells.tilt * u) * (np.abs(below) + half) / (cells.q0 + cells.q2 * u * u)
        sides.append((move, below))
    (low, low_gap), (high, high_gap) = sides
    upper = high > low
    gap = np.where(upper, high_gap, low_gap)
    return Sensitivity(
        largest=np.maximum(low, high),
        x=np.where(upper, float(bounds.x_high), float(bounds.x_low)),
        y=np.where(gap > 0.0, float(bounds.y_high), float(bounds.y_low)),
    )


def _turns(lines: Lines, cells: _Cells, y: float) -> Bools:
    """Where the move has an extreme between the bounds of x: its derivative has another sign there than at x̄.

    The two roots lie on either side of x̄, as their product −q₀/q₂ is negative. The derivative is divided by q₂.
    """
    c = y - lines.y_mean
    first = cells.tilt * c - cells.level_slope
    second = -2.0 * (cells.tilt_slope + cells.level * c)
    at_mean = first * cells.ratio
    inside: Bools = (at_mean + cells.u_low * (second - first * cells.u_low)) * first < 0.0
    inside |= (at_mean + cells.u_high * (second - first * cells.u_high)) * first < 0.0
    return inside


def _improve(
    found: Sensitivity, places: NDArray[np.intp], lines: Lines, level: Floats, tilt: Floats, y: float, bounds: Bounds
) -> None:
    """Put interior extremes in the place of corners where they move more."""
    for x in _interior(lines, level, tilt, y, bounds):
        moved = _moved(lines, level, tilt, x, y)
        better = moved > found.largest[places]
        found.largest[places[better]] = moved[better]
        found.x[places[better]], found.y[places[better]] = x[better], y


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

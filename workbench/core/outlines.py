"""Outlines on a map: which of them hold a point, which rings are holes, how a degree is as wide as it is high.

An area is given by rings. A point lies in it where a line to infinity crosses the rings an odd number of times, so a
ring inside another is a hole and several separate rings are several parts.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.core.errors import UserProblem
from workbench.core.figures import Figure, Ring

_DEGREES = "degrees"
_AT_ONCE = 2_000_000  # sides times points that are worked out together


def inside(rings: tuple[Ring, ...], x: Floats, y: Floats) -> Bools:
    """Which of these points lie in the area: crossings of the half-line to the right, counted over all rings."""
    starts = [np.asarray(ring, dtype=np.float64) for ring in rings if ring]
    if not starts:
        return np.zeros(len(x), dtype=np.bool_)
    ends = np.concatenate([np.roll(corners, -1, axis=0) for corners in starts])
    sides = np.concatenate([np.concatenate(starts), ends], axis=1)
    x1, y1, x2, y2 = sides[sides[:, 1] != sides[:, 3]].T[:, :, None]
    each = max(1, _AT_ONCE // max(1, len(sides)))
    parts = [_odd_crossings(x1, y1, x2, y2, x[at : at + each], y[at : at + each]) for at in range(0, len(x), each)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.bool_)


def _odd_crossings(x1: Floats, y1: Floats, x2: Floats, y2: Floats, x: Floats, y: Floats) -> Bools:
    """Sides down the rows, points along the columns."""
    crossed = ((y1 > y) != (y2 > y)) & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
    odd: Bools = np.bitwise_xor.reduce(crossed, axis=0)
    return odd


def outline_text(corners: Ring) -> str:
    """A polygon as a setting: "-98.1 39.2, -98 39.3, …", x before y, to a hundred-thousandth."""
    return ", ".join(" ".join(f"{part:.5f}".rstrip("0").rstrip(".") for part in corner) for corner in corners)


def outline_of(text: str, where: str) -> Ring:
    """The corners of such a setting. A person typed or drew it, so what is wrong is said in words."""
    try:
        pairs = [tuple(map(float, corner.split())) for corner in text.split(",") if corner.strip()]
    except ValueError:
        pairs = []
    ring = tuple((pair[0], pair[1]) for pair in pairs if len(pair) == 2 and all(map(math.isfinite, pair)))
    if len(ring) != len(pairs) or len(ring) < 3:
        raise UserProblem(
            "A polygon needs at least three corners, each x and y",
            where,
            "Write them like -98.1 39.2, -98 39.3, -97 39",
        )
    return ring


def turned(rings: tuple[Ring, ...]) -> tuple[Ring, ...]:
    """The rings with outer ones against the clock and holes with it: fills by winding number then show the holes."""
    made = []
    for number, ring in enumerate(rings):
        others = rings[:number] + rings[number + 1 :]
        hole = bool(ring) and bool(inside(others, np.array([ring[0][0]]), np.array([ring[0][1]]))[0])
        made.append(ring if (twice_area(ring) > 0) != hole else ring[::-1])
    return tuple(made)


def twice_area(ring: Ring) -> float:
    """Twice the enclosed area, positive against the clock."""
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(ring, (*ring[1:], *ring[:1]), strict=True))


def width_of_degree(figure: Figure) -> float:
    """How wide one unit of x is drawn, in units of y: on maps in degrees the cosine of the middle latitude."""
    if not (figure.x.unit == figure.y.unit == _DEGREES):
        return 1.0
    heights = [y for series in figure.series for y in series.y if math.isfinite(y)]
    middle = (min(heights) + max(heights)) / 2 if heights else 0.0
    return max(math.cos(math.radians(middle)), 0.1)

"""What one person adds to a cell: four fractional sums that add up to one, and a centred square.

X and Y are x and y on a grid of m = 1000. A person adds (m − X)(m − Y), (m − X)Y, X(m − Y) and XY to the four sums of
the cell: exactly m² in L1, whatever x and y are. To the moment of x it adds (2X − m)² − m²/2, at most m²/2 in size; to
that of y, for the pool, the same with Y. From the four sums follow n, Σx, Σy and Σxy, so one noisy table gives every
rank, the slope, the mean and the count. Weights on a public grid multiply all of it.
Source: own derivation; the corners of the unit square make Laplace noise the K-norm mechanism of their hull.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.tabulation.sums import sums

GRID = 1000
SUMS = GRID * GRID  # what one person adds to the four sums, in L1
MOMENT = GRID * GRID // 2  # the most one person adds to a moment, in size


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributions:
    """For each row: four integers that add up to m², the moment of x and the moment of y."""

    sums: Integers  # rows × (low x & low y, low x & high y, high x & low y, high x & high y)
    x_moment: Integers
    y_moment: Integers


def contributions(x: Integers, y: Integers) -> Contributions:
    """Of rows whose x and y are on the grid already, 0 … m."""
    upper_right, upper_left = x * y, x * (GRID - y)
    lower_right = GRID * y - upper_right  # the share of the other is subtracted, never rounded apart
    lower_left = SUMS - upper_right - upper_left - lower_right
    return Contributions(
        sums=np.stack([lower_left, lower_right, upper_left, upper_right], axis=1),
        x_moment=(2 * x - GRID) ** 2 - MOMENT,
        y_moment=(2 * y - GRID) ** 2 - MOMENT,
    )


def totals(values: Integers, place: NDArray[np.integer[Any]], places: int) -> Integers:
    """Exact sums of integers by cell, column by column where there are several."""
    most = int(np.abs(values).max(initial=0))
    if values.ndim == 1:
        return sums(place, values, places, most=most)
    return np.stack([sums(place, column, places, most=most) for column in values.T], axis=1)


def four_sums(n: Integers, x: Integers, y: Integers, xy: Integers) -> Integers:
    """The four sums of each cell from its count, ΣX, ΣY and ΣXY: contributions are linear in these."""
    upper_left, lower_right = GRID * x - xy, GRID * y - xy
    return np.stack([SUMS * n - xy - upper_left - lower_right, lower_right, upper_left, xy], axis=-1)


def moment_sum(n: Integers, x: Integers, xx: Integers) -> Integers:
    """The moment of each cell from its count, ΣX and ΣX²: Σ((2X − m)² − m²/2)."""
    total: Integers = 4 * xx - 4 * GRID * x + MOMENT * n
    return total

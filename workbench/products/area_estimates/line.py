"""A least-squares line in every cell, from sums over its rows: all cells at once, no row twice.

θ(p) = ȳ + b(p − x̄), b = Sxy/Sxx; se(p) = √(s²(1/n + (p − x̄)²/Sxx)), s² = SSR/(n − 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers

LEAST_FOR_A_LINE = 3
_BLOCK = 1 << 20
_NO_SPREAD = 1e-20  # rounding leaves less than this; predictors a millionth apart have more, whatever their weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Sufficient statistics of every cell, centred; cells are positions in a public list."""

    size: Integers
    x_mean: Floats
    y_mean: Floats
    x_spread: Floats  # Σ(x − x̄)²
    product: Floats  # Σ(x − x̄)(y − ȳ)
    y_spread: Floats  # Σ(y − ȳ)²

    @property
    def usable(self) -> Bools:
        """At least three rows, and not all with the same x."""
        usable: Bools = (self.size >= LEAST_FOR_A_LINE) & (self.x_spread > _NO_SPREAD)
        return usable

    @property
    def slope(self) -> Floats:
        slope: Floats = self.product / self.x_spread
        return slope

    def at(self, rank: float) -> Floats:
        """θ(p) of every cell."""
        return self.y_mean + self.slope * (rank - self.x_mean)

    @property
    def residual(self) -> Floats:
        """SSR of every cell."""
        left: Floats = np.maximum(self.y_spread - self.slope * self.product, 0.0)
        return left

    def standard_error(self, rank: float) -> Floats:
        """se of θ(p)."""
        spread = self.residual / (self.size - 2)
        error: Floats = np.sqrt(spread * (1.0 / self.size + (rank - self.x_mean) ** 2 / self.x_spread))
        return error

    def slope_error(self) -> Floats:
        """se of the slope."""
        error: Floats = np.sqrt(self.residual / (self.size - 2) / self.x_spread)
        return error

    def plus(self, x: Floats, y: Floats) -> Lines:
        """Every cell with one more row, its own x and y."""
        size = self.size + 1
        dx, dy, share = x - self.x_mean, y - self.y_mean, self.size / size
        return Lines(
            size=size,
            x_mean=self.x_mean + dx / size,
            y_mean=self.y_mean + dy / size,
            x_spread=self.x_spread + share * dx * dx,
            product=self.product + share * dx * dy,
            y_spread=self.y_spread + share * dy * dy,
        )

    def minus(self, x: Floats, y: Floats) -> Lines:
        """Every cell with one row fewer, its own x and y; cells have at least two rows."""
        size = self.size - 1
        dx, dy, share = x - self.x_mean, y - self.y_mean, self.size / size
        return Lines(
            size=size,
            x_mean=self.x_mean - dx / size,
            y_mean=self.y_mean - dy / size,
            x_spread=np.maximum(self.x_spread - share * dx * dx, 0.0),
            product=self.product - share * dx * dy,
            y_spread=np.maximum(self.y_spread - share * dy * dy, 0.0),
        )

    def chosen(self, cells: Bools | Integers | slice) -> Lines:
        """The lines of some cells."""
        return Lines(
            size=self.size[cells],
            x_mean=self.x_mean[cells],
            y_mean=self.y_mean[cells],
            x_spread=self.x_spread[cells],
            product=self.product[cells],
            y_spread=self.y_spread[cells],
        )


def lines_of(
    x: Floats, y: Floats, cell: NDArray[np.integer[Any]], cells: int, weight: Floats | None = None
) -> Lines:  # fmt: skip
    """From rows, in two passes so that nothing is lost to cancellation. Weights count relative to the cell's mean.

    Means are taken by way of one value of each cell: where all are alike they are exact, and nothing is left of the
    spread. Rows are taken in blocks, so that little more is in memory than they.
    """
    size = np.bincount(cell, minlength=cells)
    share = np.ones(1) if weight is None else _relative(weight, cell, size)
    mean = np.zeros((2, cells))
    mean[0, cell], mean[1, cell] = x, y
    away, spread = np.zeros((2, cells)), np.zeros((3, cells))
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(cell), _BLOCK)]
    for rows in blocks:
        here, counts = cell[rows], share if weight is None else share[rows]
        for place, values in enumerate((x, y)):
            away[place] += _added(here, counts * (values[rows] - mean[place, here]), cells)
    mean += away / np.maximum(size, 1)
    for rows in blocks:
        here, counts = cell[rows], share if weight is None else share[rows]
        dx, dy = x[rows] - mean[0, here], y[rows] - mean[1, here]
        for place, product in enumerate((dx * dx, dx * dy, dy * dy)):
            spread[place] += _added(here, counts * product, cells)
    return Lines(size=size, x_mean=mean[0], y_mean=mean[1], x_spread=spread[0], product=spread[1], y_spread=spread[2])


def _relative(weight: Floats, cell: NDArray[np.integer[Any]], size: Integers) -> Floats:
    """Weights that add up to the number of rows in every cell."""
    total = _added(cell, weight, len(size))
    share: Floats = weight * (size / np.where(total > 0.0, total, 1.0))[cell]
    return share


def _added(cell: NDArray[np.integer[Any]], values: Floats, cells: int) -> Floats:
    total: Floats = np.bincount(cell, weights=values, minlength=cells).astype(np.float64)
    return total

"""A least-squares line in every cell, from sums over its rows: all cells at once, no row twice.

θ(p) = ȳ + b(p − x̄), b = Sxy/Sxx; se(p) = √(s²(1/n + (p − x̄)²/Sxx)), s² = SSR/(n − 2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers


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
        usable: Bools = (self.size >= 3) & (self.x_spread > 0.0)
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


def lines_of(x: Floats, y: Floats, cell: Integers, cells: int) -> Lines:
    """From rows, in two passes so that nothing is lost to cancellation."""
    size = np.bincount(cell, minlength=cells)
    safe = np.maximum(size, 1)
    x_mean, y_mean = _added(cell, x, cells) / safe, _added(cell, y, cells) / safe
    dx, dy = x - x_mean[cell], y - y_mean[cell]
    return Lines(
        size=size,
        x_mean=x_mean,
        y_mean=y_mean,
        x_spread=_added(cell, dx * dx, cells),
        product=_added(cell, dx * dy, cells),
        y_spread=_added(cell, dy * dy, cells),
    )


def _added(cell: Integers, values: Floats, cells: int) -> Floats:
    total: Floats = np.bincount(cell, weights=values, minlength=cells).astype(np.float64)
    return total

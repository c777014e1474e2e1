"""Regression discontinuity: how far the outcome jumps where the predictor passes a cutoff.

Formula: θ₊(c) − θ₋(c), the lines through the rows at or above and below the cutoff c, both at c.
Standard error: √(se₊² + se₋²) of the two lines at c.
Add-one sensitivity: a person enters one side only and moves that side's line at c. So it is the larger of the two
sensitivities of a line at a rank, each with the predictor between its own bounds, [0, c] or [c, 1]. The upper bound of
the lower side is not quite reached, as a person at c counts above; the limit is used. Source: own derivation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.area_estimates.estimators.contract import Estimated, Sides, StudyRows, largest_side
from workbench.products.area_estimates.line import Lines
from workbench.products.area_estimates.local_sensitivity import Bounds, of_estimate

_TRIED = 33  # values of the predictor on each side


@dataclass(frozen=True, slots=True)
class Discontinuity:
    """Both sides need a line of their own."""

    cutoff: float = 0.5
    id: str = "regression-discontinuity"
    title: str = "Regression discontinuity"
    sides: int = 2

    def side(self, rows: StudyRows) -> Integers:
        side: Integers = (rows.x >= self.cutoff).astype(np.int64)
        return side

    def estimated(self, sides: Sides) -> Estimated:
        low, high = sides
        below, above = self._side(low, Bounds(x_high=self.cutoff)), self._side(high, Bounds(x_low=self.cutoff))
        moved, side = largest_side(np.stack([below[1], above[1]], axis=1))
        return Estimated(
            value=above[0] - below[0],
            error=self.error(sides),
            sensitivity=moved,
            side=side,
            x=np.where(side == 1, above[2], below[2]),
            y=np.where(side == 1, above[3], below[3]),
        )

    def error(self, sides: Sides) -> Floats:
        both = []
        for lines in sides:
            usable = lines.usable
            own = np.full(len(usable), np.nan)
            own[usable] = lines.chosen(usable).standard_error(self.cutoff)
            both.append(own)
        error: Floats = np.sqrt(both[0] ** 2 + both[1] ** 2)
        return error

    def fitted(self, side: Lines, x: float) -> Floats:
        return side.at(x)

    def tried(self, side: int) -> tuple[float, ...]:
        low, high = (0.0, self.cutoff) if side == 0 else (self.cutoff, 1.0)
        return tuple(np.linspace(low, high, _TRIED).tolist())

    def _side(self, lines: Lines, bounds: Bounds) -> Floats:
        """Value, largest move and the added row that reaches it, of every cell."""
        usable = lines.usable
        cut = lines.chosen(usable)
        moved = of_estimate(cut, self.cutoff, bounds)
        found = np.full((4, len(usable)), np.nan)
        found[:, usable] = cut.at(self.cutoff), moved.largest, moved.x, moved.y
        return found

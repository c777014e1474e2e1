"""Regression discontinuity: how far the outcome jumps where the predictor passes a cutoff.

Formula: θ₊(c) − θ₋(c), the lines through the rows at or above and below the cutoff c, both at c.
Add-one sensitivity: a person enters one side only and moves that side's line at c. So it is the larger of the two
sensitivities of a line at a rank, each with the predictor between its own bounds, [0, c] or [c, 1]. The upper bound of
the lower side is not quite reached, as a person at c counts above; the limit is used. Source: own derivation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.products.area_estimates.estimators.contract import Estimated, StudyRows
from workbench.products.area_estimates.line import lines_of
from workbench.products.area_estimates.local_sensitivity import Bounds, of_estimate


@dataclass(frozen=True, slots=True)
class Discontinuity:
    """Both sides need a line of their own."""

    cutoff: float = 0.5
    id: str = "regression-discontinuity"
    title: str = "Regression discontinuity"

    def estimated(self, rows: StudyRows) -> Estimated:
        above: Bools = rows.x >= self.cutoff
        low = self._side(rows, ~above, Bounds(x_high=self.cutoff))
        high = self._side(rows, above, Bounds(x_low=self.cutoff))
        return Estimated(value=high[0] - low[0], sensitivity=np.maximum(high[1], low[1]))

    def _side(self, rows: StudyRows, chosen: Bools, bounds: Bounds) -> tuple[Floats, Floats]:
        lines = lines_of(rows.x[chosen], rows.y[chosen], rows.cell[chosen], rows.cells)
        usable = lines.usable
        cut = lines.chosen(usable)
        value, moved = np.full(rows.cells, np.nan), np.full(rows.cells, np.nan)
        value[usable], moved[usable] = cut.at(self.cutoff), of_estimate(cut, self.cutoff, bounds).largest
        return value, moved

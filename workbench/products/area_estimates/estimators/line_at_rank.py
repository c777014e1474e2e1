"""The least-squares line of a cell at a rank: the estimator of the Opportunity Atlas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.area_estimates.estimators.contract import Estimated, Sides, StudyRows
from workbench.products.area_estimates.line import Lines
from workbench.products.area_estimates.local_sensitivity import Bounds, of_estimate

_TRIED = 65  # values of the predictor


@dataclass(frozen=True, slots=True)
class LineAtRank:
    """θ(p) and its largest move, interior extremes included."""

    rank: float = 0.25
    id: str = "line"
    title: str = "Line at a rank"
    sides: int = 1

    def side(self, rows: StudyRows) -> Integers:
        return np.zeros(len(rows.cell), np.int64)

    def error(self, sides: Sides) -> Floats:
        (lines,) = sides
        usable = lines.usable
        error = np.full(len(usable), np.nan)
        error[usable] = lines.chosen(usable).standard_error(self.rank)
        return error

    def fitted(self, side: Lines, x: float) -> Floats:
        return side.at(x)

    def tried(self, side: int) -> tuple[float, ...]:  # noqa: ARG002 - there is one
        return tuple(np.linspace(0.0, 1.0, _TRIED).tolist())

    def estimated(self, sides: Sides) -> Estimated:
        (lines,) = sides
        usable = lines.usable
        cut = lines.chosen(usable)
        moved = of_estimate(cut, self.rank, Bounds())
        found = np.full((4, len(usable)), np.nan)
        found[:, usable] = cut.at(self.rank), moved.largest, moved.x, moved.y
        value, largest, x, y = found
        return Estimated(
            value=value, error=self.error(sides), sensitivity=largest, side=np.zeros(len(usable), np.int64), x=x, y=y
        )  # fmt: skip

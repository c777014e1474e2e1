"""The least-squares line of a cell at a rank: the estimator of the Opportunity Atlas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.products.area_estimates.estimators.contract import Estimated, StudyRows
from workbench.products.area_estimates.line import lines_of
from workbench.products.area_estimates.local_sensitivity import Bounds, of_estimate


@dataclass(frozen=True, slots=True)
class LineAtRank:
    """θ(p) and its largest move, interior extremes included."""

    rank: float = 0.25
    id: str = "line"
    title: str = "Line at a rank"

    def estimated(self, rows: StudyRows) -> Estimated:
        lines = lines_of(rows.x, rows.y, rows.cell, rows.cells)
        usable = lines.usable
        cut = lines.chosen(usable)
        value, moved = np.full(rows.cells, np.nan), np.full(rows.cells, np.nan)
        value[usable], moved[usable] = cut.at(self.rank), of_estimate(cut, self.rank, Bounds()).largest
        return Estimated(value=value, sensitivity=moved)

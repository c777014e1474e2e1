"""Difference in differences: how much more the outcome of the treated changed than that of the others.

Formula: (ȳ₁₁ − ȳ₁₀) − (ȳ₀₁ − ȳ₀₀), first index treated or not, second after or before.
Add-one sensitivity: a person enters one of the four groups and moves its mean by |y − ȳ|/(n + 1), most where y is at
the bound farther from the mean; so the largest of max(ȳ, 1 − ȳ)/(n + 1) over the four groups. Source: own derivation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.errors import Defect
from workbench.products.area_estimates.estimators.contract import Estimated, StudyRows

_GROUPS = 4


@dataclass(frozen=True, slots=True)
class Differences:
    """All four groups must have somebody."""

    id: str = "difference-in-differences"
    title: str = "Difference in differences"

    def estimated(self, rows: StudyRows) -> Estimated:
        if rows.treated is None or rows.after is None:
            raise Defect("a difference in differences was asked of rows without treatment or period")
        group = rows.cell * _GROUPS + 2 * rows.treated + rows.after
        size = np.bincount(group, minlength=rows.cells * _GROUPS).reshape(rows.cells, _GROUPS)
        total = np.bincount(group, weights=rows.y, minlength=rows.cells * _GROUPS).reshape(rows.cells, _GROUPS)
        there = (size > 0).all(axis=1)
        mean = total / np.maximum(size, 1)
        value = (mean[:, 3] - mean[:, 2]) - (mean[:, 1] - mean[:, 0])
        moved = (np.maximum(mean, 1.0 - mean) / (size + 1)).max(axis=1)
        return Estimated(value=np.where(there, value, np.nan), sensitivity=np.where(there, moved, np.nan))

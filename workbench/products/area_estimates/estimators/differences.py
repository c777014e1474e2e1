"""Difference in differences: how much more the outcome of the treated changed than that of the others.

Formula: (ȳ₁₁ − ȳ₁₀) − (ȳ₀₁ − ȳ₀₀), first index treated or not, second after or before.
Standard error: √Σ s²/n over the four groups, s² the variance of the outcome in a group of at least two.
Add-one sensitivity: a person enters one of the four groups and moves its mean by |y − ȳ|/(n + 1), most where y is at
the bound farther from the mean; so the largest of max(ȳ, 1 − ȳ)/(n + 1) over the four groups. Source: own derivation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Defect
from workbench.products.area_estimates.estimators.contract import Estimated, Sides, StudyRows, largest_side
from workbench.products.area_estimates.line import Lines


@dataclass(frozen=True, slots=True)
class Differences:
    """All four groups must have somebody."""

    id: str = "difference-in-differences"
    title: str = "Difference in differences"
    sides: int = 4

    def side(self, rows: StudyRows) -> Integers:
        if rows.treated is None or rows.after is None:
            raise Defect("a difference in differences was asked of rows without treatment or period")
        side: Integers = 2 * rows.treated.astype(np.int64) + rows.after
        return side

    def estimated(self, sides: Sides) -> Estimated:
        size = np.stack([each.size for each in sides], axis=1)
        mean = np.stack([each.y_mean for each in sides], axis=1)
        there = size > 0
        known = there.all(axis=1)
        value = (mean[:, 3] - mean[:, 2]) - (mean[:, 1] - mean[:, 0])
        moved, side = largest_side(np.where(there, np.maximum(mean, 1.0 - mean) / (size + 1), np.nan))
        own = mean[np.arange(len(mean)), side]
        return Estimated(
            value=np.where(known, value, np.nan),
            error=self.error(sides),
            sensitivity=moved,
            side=side,
            x=np.full(len(value), 0.5),  # the predictor does not matter
            y=np.where(own < 0.5, 1.0, 0.0),
        )

    def error(self, sides: Sides) -> Floats:
        size = np.stack([each.size for each in sides], axis=1)
        spread = np.stack([each.y_spread for each in sides], axis=1)
        variance = np.where(size > 1, spread / np.maximum((size - 1) * size, 1), np.nan)
        error: Floats = np.sqrt(variance.sum(axis=1))
        return error

    def fitted(self, side: Lines, x: float) -> Floats:  # noqa: ARG002 - a group has one mean
        return side.y_mean

    def tried(self, side: int) -> tuple[float, ...]:  # noqa: ARG002 - the predictor does not matter
        return (0.5,)

"""Log-staircase noise around counts, with S = max(α·x, 1) as the fraction it is.

A density that falls by steps leaves no room for a scale that is a little off: a ring too narrow by one bit could be
crossed where the proof says that none is. So S is never a double where a double could decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Floats
from workbench.noise.placements import CERTAIN, Sides, Whole
from workbench.noise.tail_laws import FLOAT_ERROR
from workbench.products.employment_tables.mechanisms.cell.staircase_law import Staircase


@dataclass(frozen=True, slots=True)
class StaircasePlacement:
    """center + max(α·largest, 1)·Z."""

    center: Whole
    largest: Whole
    law: Staircase

    def __len__(self) -> int:
        return len(self.center)

    def guess(self, rows: Whole, upper: Sides, tail: Floats, polish: int = 0) -> Floats:
        step = self._scale(rows) * self.law.quantile(tail, polish)
        signed: Floats = np.where(upper, step, -step)
        return signed + self.center[rows]

    def beyond(self, rows: Whole, upper: Sides, edge: Floats) -> tuple[Floats, Floats | float]:
        offset: Floats = edge - self.center[rows]
        distance: Floats = np.where(upper, offset, -offset)
        tail, lost = self.law.measured(np.maximum(distance, 0.0) / self._scale(rows))
        return np.where(distance < 0.0, CERTAIN, tail), np.maximum(lost, FLOAT_ERROR)

    def beyond_to(self, row: int, upper: bool, edge: Fraction, digits: int) -> Decimal:
        distance = edge - int(self.center[row])
        distance = distance if upper else -distance
        if distance < 0:
            return Decimal(2)
        scale = max(self.law.alpha * int(self.largest[row]), Fraction(1))
        return self.law.survival_to(distance / scale, digits)

    def _scale(self, rows: Whole) -> Floats:
        found: Floats = np.maximum(float(self.law.alpha) * self.largest[rows], 1.0)
        return found

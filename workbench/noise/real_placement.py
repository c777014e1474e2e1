"""Noise around a value that is no integer: P(k) = F(k + ½) − F(k − ½) of the law at the unrounded value.

Rounding a continuous mechanism's output to the nearest integer is post-processing, so its guarantee is that of the
continuous law. An integer law around the *rounded* value is another mechanism, and no private one: it can lose any
multiple of ε where the scale is small beside the rounding. Values are exact fractions; floats serve as a filter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.noise.placements import CERTAIN, Sides, Whole
from workbench.noise.tail_laws import FLOAT_ERROR, TailLaw

_LOST_BITS = 2.0**-50  # of the value, the edge and their difference
_STEEPEST = 64.0  # no law here falls faster than e^(−64·z) within the reach of a 64-bit word


@dataclass(frozen=True, slots=True)
class Real:
    """center + scale·Z. `center` are floats near the exact fractions that `exact(row)` gives."""

    center: Floats
    scale: Floats
    law: TailLaw
    exact: Callable[[int], Fraction]

    def __len__(self) -> int:
        return len(self.center)

    def guess(self, rows: Whole, upper: Sides, tail: Floats, polish: int = 0) -> Floats:
        step = self.scale[rows] * self.law.quantile(tail, polish)
        signed: Floats = np.where(upper, step, -step)
        return signed + self.center[rows]

    def beyond(self, rows: Whole, upper: Sides, edge: Floats) -> tuple[Floats, Floats | float]:
        center, scale = self.center[rows], self.scale[rows]
        offset: Floats = edge - center
        distance: Floats = np.where(upper, offset, -offset)
        lost = _LOST_BITS * (np.abs(edge) + np.abs(center)) / scale
        tail = self.law.survival(np.maximum(distance, 0.0) / scale)
        # An edge within the lost bits of the value may lie on either side of it: no float may decide there.
        error = np.where(distance < lost * scale, np.inf, FLOAT_ERROR + _STEEPEST * lost)
        error = np.where(distance < -lost * scale, FLOAT_ERROR, error)
        return np.where(distance < -lost * scale, CERTAIN, tail), error

    def beyond_to(self, row: int, upper: bool, edge: Fraction, digits: int) -> Decimal:
        distance = edge - self.exact(row)
        distance = distance if upper else -distance
        if distance < 0:
            return Decimal(2)
        return self.law.survival_to(distance / Fraction(float(self.scale[row])), digits)


def at_fractions(numerator: Integers, denominator: Integers, scale: Floats, law: TailLaw) -> Real:
    """Noise around numerator/denominator, such as a mean."""

    def exact(row: int) -> Fraction:
        return Fraction(int(numerator[row]), int(denominator[row]))

    return Real(numerator / denominator, scale, law, exact)


def at_floats(center: Floats, scale: Floats, law: TailLaw) -> Real:
    """Noise around the exact values of floats, such as a fitted coefficient in units of its last decimal."""

    def exact(row: int) -> Fraction:
        return Fraction(float(center[row]))

    return Real(center, scale, law, exact)

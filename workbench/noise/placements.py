"""Where noise is put: from the law of |Z| to the real value whose nearest integer is published, and back.

A placement knows, for each cell and each side of the median, how likely the value lies beyond an edge (a half-integer)
given the side. Floats serve nearly always; fractions serve where floats cannot tell.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.noise.tail_laws import FLOAT_ERROR, TailLaw

Sides = NDArray[np.bool_]
Whole = NDArray[np.int64]
CERTAIN = 2.0  # a "probability" that no uniform reaches: the edge lies on the other side of the median
_GUARD_DIGITS = 12
_LOST_BITS = 2.0**-48  # more than the few roundings between an edge and its logarithm


class Placement(Protocol):
    """Cells with their noise. Rows are cell numbers; `upper` says on which side of the median the value lies."""

    def __len__(self) -> int: ...

    def guess(self, rows: Whole, upper: Sides, tail: Floats, polish: int = 0) -> Floats:
        """About the real value that has probability `tail` beyond it on its side."""

    def beyond(self, rows: Whole, upper: Sides, edge: Floats) -> tuple[Floats, Floats | float]:
        """P(value beyond the edge | side), or CERTAIN, and the relative error of it."""

    def beyond_to(self, row: int, upper: bool, edge: Fraction, digits: int) -> Decimal:
        """The same with a relative error below 10^−digits."""


@dataclass(frozen=True, slots=True)
class Linear:
    """center + scale·Z. The scale is the exact value of its float."""

    center: Whole
    scale: Floats
    law: TailLaw

    def __len__(self) -> int:
        return len(self.center)

    def guess(self, rows: Whole, upper: Sides, tail: Floats, polish: int = 0) -> Floats:
        step = self.scale[rows] * self.law.quantile(tail, polish)
        signed: Floats = np.where(upper, step, -step)
        return signed + self.center[rows]

    def beyond(self, rows: Whole, upper: Sides, edge: Floats) -> tuple[Floats, Floats | float]:
        offset: Floats = edge - self.center[rows]
        distance: Floats = np.where(upper, offset, -offset)
        tail = self.law.survival(np.maximum(distance, 0.0) / self.scale[rows])
        return np.where(distance < 0.0, CERTAIN, tail), FLOAT_ERROR

    def beyond_to(self, row: int, upper: bool, edge: Fraction, digits: int) -> Decimal:
        distance = edge - int(self.center[row])
        distance = distance if upper else -distance
        if distance < 0:
            return Decimal(2)
        return self.law.survival_to(distance / Fraction(float(self.scale[row])), digits)


@dataclass(frozen=True, slots=True)
class Logarithmic:
    """factor·(center + offset)·e^(±spread·|Z|) − offset with |Z| exponential: Log-Laplace noise.

    P(beyond edge | side) = ((edge + offset)/(factor·(center + offset)))^(∓1/spread). Offset, spread and factor are
    the exact values of their floats.
    """

    center: Whole
    offset: float
    spread: float
    factor: float = 1.0

    def __len__(self) -> int:
        return len(self.center)

    def guess(self, rows: Whole, upper: Sides, tail: Floats, polish: int = 0) -> Floats:  # noqa: ARG002 - exact already
        power = self.spread * np.log(tail)
        grown = self._median(rows) * np.exp(np.minimum(np.where(upper, -power, power), 600.0))
        value: Floats = grown - self.offset
        return value

    def beyond(self, rows: Whole, upper: Sides, edge: Floats) -> tuple[Floats, Floats | float]:
        shifted = edge + self.offset
        median = self._median(rows)
        log = np.log(np.maximum(shifted, 1e-300) / median)
        distance = np.where(upper, log, -log) / self.spread
        tail = np.exp(-np.maximum(distance, 0.0))
        lost = _LOST_BITS * (1.0 + self.offset / np.maximum(shifted, 1e-300)) / self.spread
        return np.where(distance < 0.0, CERTAIN, tail), np.maximum(FLOAT_ERROR, lost)

    def beyond_to(self, row: int, upper: bool, edge: Fraction, digits: int) -> Decimal:
        shifted = edge + Fraction(self.offset)
        median = Fraction(self.factor) * (int(self.center[row]) + Fraction(self.offset))
        if shifted <= 0:
            return Decimal(2) if upper else Decimal(0)
        ratio = shifted / median if upper else median / shifted
        if ratio < 1:
            return Decimal(2)
        with decimal.localcontext() as context:
            context.prec = digits + _GUARD_DIGITS + max(0, int(1 / self.spread)).bit_length()
            context.Emin = decimal.MIN_EMIN
            log = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
            return (-log / Decimal(self.spread)).exp()

    def _median(self, rows: Whole) -> Floats:
        median: Floats = np.asarray(self.factor * (self.center[rows] + self.offset), dtype=np.float64)
        return median

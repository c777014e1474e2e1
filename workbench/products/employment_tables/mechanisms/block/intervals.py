"""Intervals of decimal numbers that follow from random bits, whatever precision it takes.

A uniform is an endless row of random bits of which some are known: an interval. `decimal` rounds +, −, ×, ÷, ln and exp
correctly at any precision, and each interval is widened outward by far more than those roundings.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Words = Callable[[int], NDArray[np.uint64]]
Bounds = tuple[Decimal, Decimal]
_WORD = 64
_GUARD = 8  # decimal digits given away for the roundings of a chain of fewer than 10^6 operations
MOST_ROUNDS = 200


@dataclass(slots=True)
class Uniform:
    """The first bits of a number uniform on (0, 1)."""

    prefix: int
    bits: int

    @classmethod
    def begun(cls, word: int) -> Uniform:
        return cls(prefix=word, bits=_WORD)

    def refine(self, words: Words) -> None:
        self.prefix = (self.prefix << _WORD) | int(words(1)[0])
        self.bits += _WORD

    def log(self) -> Bounds:
        """Bounds on ln U; the lower one is −∞ while all known bits are zero."""
        whole = Decimal(2) ** self.bits
        low = (Decimal(self.prefix) / whole).ln() if self.prefix else Decimal("-Infinity")
        return wider_log(low, (Decimal(self.prefix + 1) / whole).ln())


def precisions() -> range:
    """Digits to compute with: more than the bits known at each round can use."""
    return range(60, 60 + 20 * MOST_ROUNDS, 20)


def wider(low: Decimal, high: Decimal) -> Bounds:
    """For what comes from products, quotients, sums of one sign and exp: rounded by a share of itself."""
    slack = Decimal(10) ** (_GUARD - decimal.getcontext().prec)
    return (
        low - slack * abs(low) if low.is_finite() else low,
        high + slack * abs(high) if high.is_finite() else high,
    )


def wider_log(low: Decimal, high: Decimal) -> Bounds:
    """For logarithms and their differences: rounded by a share of one as well, wherever they lie."""
    slack = Decimal(10) ** (_GUARD - decimal.getcontext().prec)
    low, high = wider(low, high)
    return low - slack, high + slack


def point(value: Decimal) -> Bounds:
    return value, value


def exactly(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def over(part: Decimal, whole: Decimal, otherwise: Decimal = Decimal(0)) -> Decimal:
    return min(part / whole, Decimal(1)) if part > 0 else otherwise


def negative(bounds: Bounds) -> Bounds:
    return max(-bounds[1], Decimal(0)), -bounds[0]


def scaled(bounds: Bounds, factor: Decimal) -> Bounds:
    return wider(bounds[0] * factor, bounds[1] * factor)


def times(first: Bounds, second: Bounds) -> Bounds:
    """The product of two intervals that are not below zero."""
    low = first[0] * second[0]
    high = first[1] * second[1] if first[1] > 0 and second[1] > 0 else Decimal(0)
    return wider(max(low, Decimal(0)), high)


def slack_of(size: Decimal) -> Decimal:
    """What roundings of numbers of this size may add up to."""
    return Decimal(10) ** (_GUARD - decimal.getcontext().prec) * size

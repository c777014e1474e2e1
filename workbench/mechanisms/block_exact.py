"""One vector of block noise, decided to the last integer whatever precision it takes.

A uniform is an endless row of random bits of which some are known: an interval. Every quantity of the sampler is a
monotone function of its uniforms, so intervals follow from their ends. `decimal` rounds +, −, ×, ÷, ln and exp
correctly at any precision, and each interval is widened outward by far more than those roundings. Bits are
appended, and digits with them, until no end of an interval disagrees about a decision.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Defect

Words = Callable[[int], NDArray[np.uint64]]
LARGEST = 2**62  # published values stop here, on both sides; the same for all data, so post-processing
_WORD = 64
_GUARD = 8  # decimal digits given away for the roundings of a chain of fewer than 10^6 operations
_MOST_ROUNDS = 200


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

    def log(self) -> tuple[Decimal, Decimal]:
        """Bounds on ln U; the lower one is −∞ while all known bits are zero."""
        whole = Decimal(2) ** self.bits
        low = (Decimal(self.prefix) / whole).ln() if self.prefix else Decimal("-Infinity")
        return _wider(low, (Decimal(self.prefix + 1) / whole).ln())


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """What makes the radius t = U^(1/d)·V^(−1/(g − d)), given that U^(g/d) + V^(g/(g − d)) ≤ 1."""

    cells: int
    exponent: float


def decide_laplace(words_of_cells: list[int], *, scale: Callable[[], Decimal], words: Words) -> list[int]:
    """|noise| of each cell, rounded: scale·E_c for independent exponentials E_c (vector Laplace)."""
    uniforms = [Uniform.begun(word) for word in words_of_cells]

    def bounds() -> list[tuple[Decimal, Decimal]]:
        return [_times(_point(scale()), _negative(u.log())) for u in uniforms]

    return _settled(bounds, uniforms, words)


def decide_radial(
    pair: tuple[int, int], words_of_cells: list[int], radius: Radius, *, scale: Callable[[], Decimal], words: Words
) -> list[int]:
    """|noise| of each cell, rounded: scale·t·E_c/ΣE, t drawn again while its pair (U, V) is rejected."""
    u, v = _accepted(pair, radius, words)
    uniforms = [Uniform.begun(word) for word in words_of_cells]

    def bounds() -> list[tuple[Decimal, Decimal]]:
        length = _times(_point(scale()), _length(u, v, radius))
        sizes = [_negative(uniform.log()) for uniform in uniforms]
        return [_times(length, _share(sizes, cell)) for cell in range(len(sizes))]

    return _settled(bounds, [u, v, *uniforms], words)


def _accepted(pair: tuple[int, int], radius: Radius, words: Words) -> tuple[Uniform, Uniform]:
    """The pair itself if it is accepted, else fresh ones until one is (Jöhnk 1964)."""
    for _ in range(_MOST_ROUNDS):
        u, v = Uniform.begun(pair[0]), Uniform.begun(pair[1])
        if _accepts(u, v, radius, words):
            return u, v
        fresh = words(2)
        pair = int(fresh[0]), int(fresh[1])
    raise Defect("two hundred pairs of uniforms were rejected in a row")


def _accepts(u: Uniform, v: Uniform, radius: Radius, words: Words) -> bool:
    for digits in _precisions():
        with decimal.localcontext(prec=digits):
            g = Decimal(radius.exponent)
            first, second = _scaled(u.log(), g / radius.cells), _scaled(v.log(), g / (g - radius.cells))
            low, high = _wider(first[0].exp() + second[0].exp(), first[1].exp() + second[1].exp())
        if high <= 1:
            return True
        if low > 1:
            return False
        u.refine(words)
        v.refine(words)
    raise Defect("a pair of uniforms could not be judged")


def _length(u: Uniform, v: Uniform, radius: Radius) -> tuple[Decimal, Decimal]:
    log_u = _scaled(u.log(), Decimal(1) / radius.cells)
    log_v = _scaled(v.log(), 1 / (Decimal(radius.exponent) - radius.cells))
    return _wider((log_u[0] - log_v[1]).exp(), (log_u[1] - log_v[0]).exp())


def _share(sizes: list[tuple[Decimal, Decimal]], cell: int) -> tuple[Decimal, Decimal]:
    """E_c/ΣE grows with E_c and falls with every other."""
    others = [size for number, size in enumerate(sizes) if number != cell]
    least, most = sum((low for low, _ in others), Decimal(0)), sum((high for _, high in others), Decimal(0))
    low, high = sizes[cell]
    if not others:
        return Decimal(1), Decimal(1)
    bottom = low / (low + most) if low > 0 and most.is_finite() else Decimal(0)
    top = high / (high + least) if high.is_finite() and high > 0 else Decimal(1)
    return _wider(bottom, top)


def _settled(bounds: Callable[[], list[tuple[Decimal, Decimal]]], uniforms: list[Uniform], words: Words) -> list[int]:
    for digits in _precisions():
        with decimal.localcontext(prec=digits):
            rounded = [(_nearest(low), _nearest(high)) for low, high in bounds()]
        if all(low == high for low, high in rounded):
            return [low for low, _ in rounded]
        for uniform in uniforms:
            uniform.refine(words)
    raise Defect("noise could not be rounded")


def _nearest(value: Decimal) -> int:
    """Rounded to an integer, capped; halves go up, and the exact half has probability zero."""
    if value >= LARGEST:
        return LARGEST
    return int((max(value, Decimal(0)) + Decimal("0.5")).to_integral_value(rounding=decimal.ROUND_FLOOR))


def _precisions() -> range:
    """Digits to compute with: more than the bits known at each round can use."""
    return range(60, 60 + 20 * _MOST_ROUNDS, 20)


def _wider(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    slack = Decimal(10) ** (_GUARD - decimal.getcontext().prec)
    return (
        low - slack * (1 + abs(low)) if low.is_finite() else low,
        high + slack * (1 + abs(high)) if high.is_finite() else high,
    )


def _point(value: Decimal) -> tuple[Decimal, Decimal]:
    return value, value


def _negative(bounds: tuple[Decimal, Decimal]) -> tuple[Decimal, Decimal]:
    return max(-bounds[1], Decimal(0)), -bounds[0]


def _scaled(bounds: tuple[Decimal, Decimal], factor: Decimal) -> tuple[Decimal, Decimal]:
    return _wider(bounds[0] * factor, bounds[1] * factor)


def _times(first: tuple[Decimal, Decimal], second: tuple[Decimal, Decimal]) -> tuple[Decimal, Decimal]:
    """The product of two intervals that are not below zero."""
    low = first[0] * second[0]
    high = first[1] * second[1] if first[1] > 0 and second[1] > 0 else Decimal(0)
    return _wider(max(low, Decimal(0)), high)

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
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Defect

Words = Callable[[int], NDArray[np.uint64]]
Bounds = tuple[Decimal, Decimal]
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

    def log(self) -> Bounds:
        """Bounds on ln U; the lower one is −∞ while all known bits are zero."""
        whole = Decimal(2) ** self.bits
        low = (Decimal(self.prefix) / whole).ln() if self.prefix else Decimal("-Infinity")
        return _wider_log(low, (Decimal(self.prefix + 1) / whole).ln())


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """The law of the radius: t = (G_a/G_b)^(a/d), a and b the shapes of two independent gamma variates."""

    cells: int
    core: Fraction
    far: Fraction


@dataclass(slots=True)
class Gamma:
    """A gamma variate of any shape from uniforms: exponentials for the whole part, one more times a beta for the rest.

    With φ the rest, E·X/(X + Y) has shape φ where X = U^(1/φ), Y = V^(1/(1−φ)) are given to satisfy X + Y ≤ 1 (Jöhnk
    1964). The pair (U, V) is drawn again until it does.
    """

    rest: Fraction
    whole: list[Uniform]
    part: tuple[Uniform, Uniform, Uniform] | None  # E's uniform, U, V

    def settle(self, words: Words) -> None:
        """Make sure that the pair is an accepted one."""
        if self.part is None:
            return
        first, u, v = self.part
        for _ in range(_MOST_ROUNDS):
            if _accepts(u, v, self.rest, words):
                self.part = first, u, v
                return
            u, v = (Uniform.begun(int(word)) for word in words(2))
        raise Defect("two hundred pairs of uniforms were rejected in a row")

    def uniforms(self) -> list[Uniform]:
        return [*self.whole, *(self.part or ())]

    def bounds(self) -> Bounds:
        low, high = Decimal(0), Decimal(0)
        for uniform in self.whole:
            size = _negative(uniform.log())
            low, high = low + size[0], high + size[1]
        if self.part is not None:
            first, u, v = self.part
            x, y = _powers(u, v, self.rest)
            beta = _wider(_over(x[0], x[0] + y[1]), _over(x[1], x[1] + y[0], Decimal(1)))
            size = _times(_negative(first.log()), beta)
            low, high = low + size[0], high + size[1]
        return _wider(low, high)


def decide_laplace(words_of_cells: list[int], *, scale: Callable[[], Decimal], words: Words) -> list[int]:
    """|noise| of each cell, rounded: scale·E_c for independent exponentials E_c (vector Laplace)."""
    uniforms = [Uniform.begun(word) for word in words_of_cells]

    def bounds() -> list[Bounds]:
        return [_times(_point(scale()), _negative(u.log())) for u in uniforms]

    return _settled(bounds, uniforms, words)


def decide_radial(
    gammas: tuple[Gamma, Gamma],
    words_of_cells: list[int],
    radius: Radius,
    *,
    scale: Callable[[], Decimal],
    words: Words,
) -> list[int]:
    """|noise| of each cell, rounded: scale·t·E_c/ΣE."""
    uniforms = [Uniform.begun(word) for word in words_of_cells]
    for gamma in gammas:
        gamma.settle(words)
        uniforms.extend(gamma.uniforms())
    cells = uniforms[: len(words_of_cells)]

    def bounds() -> list[Bounds]:
        length = _times(_point(scale()), _length(gammas, radius))
        sizes = [_negative(uniform.log()) for uniform in cells]
        return [_times(length, _share(sizes, cell)) for cell in range(len(sizes))]

    return _settled(bounds, uniforms, words)


def _accepts(u: Uniform, v: Uniform, rest: Fraction, words: Words) -> bool:
    for digits in _precisions():
        with decimal.localcontext(prec=digits):
            x, y = _powers(u, v, rest)
            low, high = _wider(x[0] + y[0], x[1] + y[1])
        if high <= 1:
            return True
        if low > 1:
            return False
        u.refine(words)
        v.refine(words)
    raise Defect("a pair of uniforms could not be judged")


def _powers(u: Uniform, v: Uniform, rest: Fraction) -> tuple[Bounds, Bounds]:
    """U^(1/φ) and V^(1/(1−φ))."""
    x, y = _scaled(u.log(), _exactly(1 / rest)), _scaled(v.log(), _exactly(1 / (1 - rest)))
    return _wider(x[0].exp(), x[1].exp()), _wider(y[0].exp(), y[1].exp())


def _length(gammas: tuple[Gamma, Gamma], radius: Radius) -> Bounds:
    near, far = (gamma.bounds() for gamma in gammas)
    power = _exactly(radius.core / radius.cells)
    infinite = Decimal("Infinity")
    low = power * (near[0].ln() - far[1].ln()) if near[0] > 0 and far[1].is_finite() else -infinite
    high = power * (near[1].ln() - far[0].ln()) if far[0] > 0 and near[1].is_finite() else infinite
    low, high = _wider_log(low, high)
    return _wider(low.exp(), high.exp())


def _share(sizes: list[Bounds], cell: int) -> Bounds:
    """E_c/ΣE grows with E_c and falls with every other."""
    others = [size for number, size in enumerate(sizes) if number != cell]
    least, most = sum((low for low, _ in others), Decimal(0)), sum((high for _, high in others), Decimal(0))
    low, high = sizes[cell]
    if not others:
        return Decimal(1), Decimal(1)
    bottom = low / (low + most) if low > 0 and most.is_finite() else Decimal(0)
    top = high / (high + least) if high.is_finite() and high > 0 else Decimal(1)
    return _wider(bottom, top)


def _settled(bounds: Callable[[], list[Bounds]], uniforms: list[Uniform], words: Words) -> list[int]:
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


def _wider(low: Decimal, high: Decimal) -> Bounds:
    """For what comes from products, quotients, sums of one sign and exp: rounded by a share of itself."""
    slack = Decimal(10) ** (_GUARD - decimal.getcontext().prec)
    return (
        low - slack * abs(low) if low.is_finite() else low,
        high + slack * abs(high) if high.is_finite() else high,
    )


def _wider_log(low: Decimal, high: Decimal) -> Bounds:
    """For logarithms and their differences: rounded by a share of one as well, wherever they lie."""
    slack = Decimal(10) ** (_GUARD - decimal.getcontext().prec)
    low, high = _wider(low, high)
    return low - slack, high + slack


def _point(value: Decimal) -> Bounds:
    return value, value


def _exactly(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _over(part: Decimal, whole: Decimal, otherwise: Decimal = Decimal(0)) -> Decimal:
    return min(part / whole, Decimal(1)) if part > 0 else otherwise


def _negative(bounds: Bounds) -> Bounds:
    return max(-bounds[1], Decimal(0)), -bounds[0]


def _scaled(bounds: Bounds, factor: Decimal) -> Bounds:
    return _wider(bounds[0] * factor, bounds[1] * factor)


def _times(first: Bounds, second: Bounds) -> Bounds:
    """The product of two intervals that are not below zero."""
    low = first[0] * second[0]
    high = first[1] * second[1] if first[1] > 0 and second[1] > 0 else Decimal(0)
    return _wider(max(low, Decimal(0)), high)

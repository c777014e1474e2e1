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

from workbench.core.errors import Defect
from workbench.products.employment_tables.mechanisms.block.intervals import (
    MOST_ROUNDS,
    Bounds,
    Uniform,
    Words,
    exactly,
    negative,
    over,
    point,
    precisions,
    scaled,
    slack_of,
    times,
    wider,
    wider_log,
)

LARGEST = 2**62  # published values stop here, on both sides; the same for all data, so post-processing


@dataclass(frozen=True, slots=True, kw_only=True)
class Radius:
    """The law of the radius: t = (G_a/G_b)^(a/d), a and b the shapes of two independent gamma variates.

    `totals` is b in the norm (1 − b)‖z‖₁ + b|Σz| that this is the radius of.
    """

    cells: int
    core: Fraction
    far: Fraction
    totals: Fraction = Fraction(0)


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
        for _ in range(MOST_ROUNDS):
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
            size = negative(uniform.log())
            low, high = low + size[0], high + size[1]
        if self.part is not None:
            first, u, v = self.part
            x, y = _powers(u, v, self.rest)
            beta = wider(over(x[0], x[0] + y[1]), over(x[1], x[1] + y[0], Decimal(1)))
            size = times(negative(first.log()), beta)
            low, high = low + size[0], high + size[1]
        return wider(low, high)


@dataclass(slots=True)
class Direction:
    """θ/N(θ), θ_c = ±E_c given that an exponential E₀ of its own has (1 − b)·E₀ > b·|Σθ|, so that θ ∝ e^(−N(θ)/(1−b)).

    N(θ) = (1 − b)·ΣE + b·|Σθ|. Without a weight b on the total nothing is asked and N is the L1 norm.
    """

    totals: Fraction
    cells: list[Uniform]
    upper: list[bool]  # which of them are above zero
    first: Uniform | None = None  # E₀'s

    @classmethod
    def plain(cls, words_of_cells: list[int]) -> Direction:
        cells = [Uniform.begun(word) for word in words_of_cells]
        return cls(totals=Fraction(0), cells=cells, upper=[True] * len(cells))

    def settle(self, words: Words) -> None:
        """Make sure that it is an accepted one: all of it is drawn again until it is."""
        while self.first is not None and not self._accepted(words):
            count = len(self.cells)
            self.cells = [Uniform.begun(int(word)) for word in words(count)]
            self.upper = [bool(byte & 1) for byte in words(-(-count // 8)).view(np.uint8)[:count]]
            self.first = Uniform.begun(int(words(1)[0]))

    def _accepted(self, words: Words) -> bool:
        assert self.first is not None
        for digits in precisions():
            with decimal.localcontext(prec=digits):
                waits = scaled(negative(self.first.log()), exactly(1 - self.totals))
                asks = scaled(self._sum(), exactly(self.totals))
            if waits[0] > asks[1]:
                return True
            if waits[1] < asks[0]:
                return False
            for uniform in (self.first, *self.cells):
                uniform.refine(words)
        raise Defect("a direction could not be judged")

    def _sum(self) -> Bounds:
        """|Σθ|."""
        low, high, size = Decimal(0), Decimal(0), Decimal(0)
        for uniform, upper in zip(self.cells, self.upper, strict=True):
            least, most = negative(uniform.log())
            low, high = (low + least, high + most) if upper else (low - most, high - least)
            size += most
        slack = slack_of(size) if size.is_finite() else Decimal(0)
        low, high = low - slack, high + slack
        if low > 0:
            return low, high
        return (-high, -low) if high < 0 else (Decimal(0), max(-low, high))

    def shares(self) -> list[Bounds]:
        """E_c/N(θ) of each cell."""
        sizes = [negative(uniform.log()) for uniform in self.cells]
        if not self.totals:
            return [_share(sizes, cell) for cell in range(len(sizes))]
        own, off = exactly(1 - self.totals), scaled(self._sum(), exactly(self.totals))
        norm = wider(own * sum(low for low, _ in sizes) + off[0], own * sum(high for _, high in sizes) + off[1])
        found = []
        for low, high in sizes:
            least = low / norm[1] if norm[1].is_finite() else Decimal(0)
            most = high / norm[0] if high.is_finite() and norm[0] > 0 else 1 / own
            found.append(wider(least, most))
        return found


def decide_laplace(words_of_cells: list[int], *, scale: Callable[[], Decimal], words: Words) -> list[int]:
    """|noise| of each cell, rounded: scale·E_c for independent exponentials E_c (vector Laplace)."""
    uniforms = [Uniform.begun(word) for word in words_of_cells]

    def bounds() -> list[Bounds]:
        return [times(point(scale()), negative(u.log())) for u in uniforms]

    return _settled(bounds, uniforms, words)


def decide_radial(
    gammas: tuple[Gamma, Gamma],
    direction: Direction,
    radius: Radius,
    *,
    scale: Callable[[], Decimal],
    words: Words,
) -> list[int]:
    """|noise| of each cell, rounded: scale·t·E_c/N(θ). Which cells are above zero, `direction` knows afterwards."""
    direction.settle(words)
    uniforms = list(direction.cells)
    for gamma in gammas:
        gamma.settle(words)
        uniforms.extend(gamma.uniforms())

    def bounds() -> list[Bounds]:
        length = times(point(scale()), _length(gammas, radius))
        return [times(length, share) for share in direction.shares()]

    return _settled(bounds, uniforms, words)


def _accepts(u: Uniform, v: Uniform, rest: Fraction, words: Words) -> bool:
    for digits in precisions():
        with decimal.localcontext(prec=digits):
            x, y = _powers(u, v, rest)
            low, high = wider(x[0] + y[0], x[1] + y[1])
        if high <= 1:
            return True
        if low > 1:
            return False
        u.refine(words)
        v.refine(words)
    raise Defect("a pair of uniforms could not be judged")


def _powers(u: Uniform, v: Uniform, rest: Fraction) -> tuple[Bounds, Bounds]:
    """U^(1/φ) and V^(1/(1−φ))."""
    x, y = scaled(u.log(), exactly(1 / rest)), scaled(v.log(), exactly(1 / (1 - rest)))
    return wider(x[0].exp(), x[1].exp()), wider(y[0].exp(), y[1].exp())


def _length(gammas: tuple[Gamma, Gamma], radius: Radius) -> Bounds:
    near, far = (gamma.bounds() for gamma in gammas)
    power = exactly(radius.core / radius.cells)
    infinite = Decimal("Infinity")
    low = power * (near[0].ln() - far[1].ln()) if near[0] > 0 and far[1].is_finite() else -infinite
    high = power * (near[1].ln() - far[0].ln()) if far[0] > 0 and near[1].is_finite() else infinite
    low, high = wider_log(low, high)
    return wider(low.exp(), high.exp())


def _share(sizes: list[Bounds], cell: int) -> Bounds:
    """E_c/ΣE grows with E_c and falls with every other."""
    others = [size for number, size in enumerate(sizes) if number != cell]
    least, most = sum((low for low, _ in others), Decimal(0)), sum((high for _, high in others), Decimal(0))
    low, high = sizes[cell]
    if not others:
        return Decimal(1), Decimal(1)
    bottom = low / (low + most) if low > 0 and most.is_finite() else Decimal(0)
    top = high / (high + least) if high.is_finite() and high > 0 else Decimal(1)
    return wider(bottom, top)


def _settled(bounds: Callable[[], list[Bounds]], uniforms: list[Uniform], words: Words) -> list[int]:
    for digits in precisions():
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

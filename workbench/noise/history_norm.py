"""Noise made for histories: one person adds at most one unit to the coordinates of each year, whichever they are.

Formula: P(z) ∝ e^(−ε‖z‖) on integers z (years × coordinates), ‖z‖ = max over years of Σz⁺ + max over years of Σz⁻.
Guarantee: pure ε for a whole history added or removed. The norm is subadditive and a history x has ‖x‖ ≤ 1, so
|‖z − x‖ − ‖z‖| ≤ 1. With `unit` L a person-year may add up to L, and the rate is ε/L. A person who has two rows in a
year, or rows in two blocks, pays for each.
Sampler: with q = e^(−ε), e^(−ε‖z‖) = (1 − q)²·Σ q^(s+w) over all s ≥ max Σz⁺, w ≥ max Σz⁻. So draw (s, w) ∝
q^(s+w)·c(s, w)^T, then each year uniformly among the c(s, w) points with Σz⁺ ≤ s and Σz⁻ ≤ w,
c(s, w) = Σ_m C(d, m)·C(s, m)·C(w + d − m, d − m) by the number m of positive coordinates. Floats with a stated error
decide s + w, s and m nearly always, exact integers with further bits otherwise; there is no largest radius. In a single
year ‖z‖ = Σ|z|, so that its coordinates are independent discrete Laplace integers and need no table.
Source: Joseph and Yu (2023), "Count", for the norm and that no K-norm does better; the integer sampler is our own.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.errors import Defect
from workbench.core.progress import Context
from workbench.core.randomness import UniformWords
from workbench.noise import discrete_laplace as closed
from workbench.noise.geometric import discrete_laplace, exponential
from workbench.noise.lazy_uniform import LazyUniform, last_true
from workbench.noise.uniform_integers import orders, subsets

_BITS = 64
_FLOAT_ERROR = 2.0**-36  # relative; the tests measure what floats lose, some hundred times less
_LEFT_OUT = 2.0**-70  # of the mass: what lies beyond the float table is decided exactly
_MOST_POINTS = 200_000
_SHORTEST = 128  # rows of a table
_TOGETHER = 1 << 20  # numbers that are looked up at a time
Half = Callable[[Integers, Integers], Floats]


def norm(noise: Integers) -> int:
    """‖z‖ of one block (years × coordinates)."""
    return int(np.maximum(noise, 0).sum(axis=1).max() + np.maximum(-noise, 0).sum(axis=1).max())


@dataclass(frozen=True)
class HistoryNorm:
    """The law for one block: `rate` is ε divided by the units that one person-year may add."""

    rate: Fraction
    years: int
    coordinates: int

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.years < 1 or self.coordinates < 1:
            raise Defect("history noise of no years, no coordinates or no ε")

    def draw(self, blocks: int, rng: UniformWords, context: Context) -> Integers:
        """Independent noise for so many blocks: blocks × years × coordinates."""
        context.step(0.0, "drawing noise for whole histories")
        if self.years == 1:
            alone = discrete_laplace(np.full(blocks * self.coordinates, self.single_scale), rng, context)
            return alone.reshape(blocks, 1, self.coordinates)
        radius = self._radii(blocks, rng)
        context.step(0.3, "drawing noise for whole histories")
        positive = self._positive_radii(radius, rng)
        s, w = np.repeat(positive, self.years), np.repeat(radius - positive, self.years)
        noise = self._points(s, w, rng)
        context.step(1.0, "noise for whole histories drawn")
        return noise.reshape(blocks, self.years, self.coordinates)

    @property
    def single_scale(self) -> float:
        """Of the discrete Laplace law of a single year: 1/rate, rounded up where a float cannot be it."""
        return closed.scale_for(1, self.rate)

    # The radius s + w.

    @cached_property
    def _log_weights(self) -> Floats:
        """ln(q^r·W_r) for r = 0, 1, …, W_r = Σ c(s, r − s)^T, until what is left out is below `_LEFT_OUT`."""
        rate, logs, best = float(self.rate), [], -math.inf
        for r in range(_MOST_POINTS):
            terms = self.years * self._log_points(r)
            top = float(terms.max())
            logs.append(top + math.log(float(np.exp(terms - top).sum())) - rate * r)
            best = max(best, logs[-1])
            if self._log_beyond(r) < best + math.log(_LEFT_OUT):
                return np.array(logs)
        raise Defect("history noise is too wide for its units")

    def _log_beyond(self, r: int) -> float:
        """ln of a bound on Σ_{j>r} q^j·W_j, from c(s, w) ≤ 2^d·C(r + d, d): a falling geometric series."""
        d, rate = self.coordinates, float(self.rate)

        def log_bound(j: int) -> float:
            points = d * math.log(2.0) + math.lgamma(j + d + 1) - math.lgamma(d + 1) - math.lgamma(j + 1)
            return math.log(j + 1) + self.years * points - rate * j

        ratio = log_bound(r + 2) - log_bound(r + 1)
        return math.inf if ratio > -1e-9 else log_bound(r + 1) - math.log(-math.expm1(ratio))

    def _log_points(self, r: int) -> Floats:
        """ln c(s, r − s) for s = 0 … r, every term positive."""
        first, second = choices(self.coordinates, r)
        logs: Floats = np.log((first[: r + 1] * second[r::-1]).sum(axis=1))
        return logs

    def _radii(self, count: int, rng: UniformWords) -> Integers:
        logs = self._log_weights
        mass = np.exp(logs - logs.max())
        upper = np.cumsum(mass) / mass.sum()
        words = rng.words(count)
        guess, certain = _placed(words, upper)
        for position in np.flatnonzero(~certain).tolist():
            guess[position] = self._exact_radius(LazyUniform(int(words[position]), _BITS, rng), int(guess[position]))
        return guess

    def _exact_radius(self, lazy: LazyUniform, guess: int) -> int:
        def lies_beyond(r: int) -> bool:
            return r < 0 or not lazy.is_below(partial(self._share_up_to, r))

        return 1 + last_true(lies_beyond, guess)

    def _share_up_to(self, r: int, digits: int) -> Decimal:
        """P(s + w ≤ r) with a relative error below 10^−digits, from exact integers."""
        with decimal.localcontext() as context:
            context.prec = digits + 30
            context.Emin = decimal.MIN_EMIN
            total, first, j = Decimal(0), Decimal(0), 0
            while True:
                total += exponential(self.rate * j, digits + 25) * self.points_to_the_years(j)
                first = total if j == r else first
                if j >= r and self._log_beyond(j) < math.log(10.0) * (float(total.log10()) - digits - 3):
                    return first / total
                j += 1

    def points_to_the_years(self, r: int) -> int:
        """W_r = Σ c(s, r − s)^T, exactly."""
        return int(sum(self.points(s, r - s) ** self.years for s in range(r + 1)))

    def points(self, s: int, w: int) -> int:
        """c(s, w), exactly: how many points one year may take."""
        return sum(self._points_with(s, w, m) for m in range(self.coordinates + 1))

    def _points_with(self, s: int, w: int, m: int) -> int:
        d = self.coordinates
        return math.comb(d, m) * math.comb(s, m) * math.comb(w + d - m, d - m)

    # How much of the radius is positive.

    def _positive_radii(self, radius: Integers, rng: UniformWords) -> Integers:
        words = rng.words(len(radius))
        positive = np.zeros(len(radius), dtype=np.int64)
        for r in np.unique(radius).tolist():
            own = np.flatnonzero(radius == r)
            logs = self.years * self._log_points(r)
            mass = np.exp(logs - logs.max())
            guess, certain = _placed(words[own], np.cumsum(mass) / mass.sum())
            positive[own] = guess
            for position in own[~certain].tolist():
                positive[position] = self._exact_positive(r, LazyUniform(int(words[position]), _BITS, rng))
        return positive

    def _exact_positive(self, r: int, lazy: LazyUniform) -> int:
        weights = [self.points(s, r - s) ** self.years for s in range(r + 1)]
        return _exactly_placed(weights, lazy)

    # The points of each year.

    def _points(self, s: Integers, w: Integers, rng: UniformWords) -> Integers:
        d, rows = self.coordinates, len(s)
        positive = self._numbers_positive(s, w, rng)
        order = orders(rows, d, rng)
        gaps = _gaps(subsets(s, positive, rng), positive, d)
        others = _gaps(subsets(w + d - positive, d - positive, rng), d - positive, d)
        place = np.arange(d)
        second = np.take_along_axis(others, np.clip(place[None, :] - positive[:, None], 0, d - 1), axis=1)
        values = np.where(place[None, :] < positive[:, None], gaps, 1 - second)
        noise = np.empty((rows, d), dtype=np.int64)
        np.put_along_axis(noise, order, values, axis=1)
        return noise

    def _numbers_positive(self, s: Integers, w: Integers, rng: UniformWords) -> Integers:
        d = self.coordinates
        first, second = choices(d, int(max(s.max(initial=0), w.max(initial=0))))
        mass = first[s] * second[w]
        upper = np.cumsum(mass, axis=1) / mass.sum(axis=1, keepdims=True)
        words = rng.words(len(s))
        tail = (words.astype(np.float64) + 0.5) * 2.0**-_BITS
        guess: Integers = (tail[:, None] >= upper).sum(axis=1).astype(np.int64)
        certain = (np.abs(upper - tail[:, None]) > _FLOAT_ERROR).all(axis=1)
        for position in np.flatnonzero(~certain).tolist():
            weights = [self._points_with(int(s[position]), int(w[position]), m) for m in range(d + 1)]
            guess[position] = _exactly_placed(weights, LazyUniform(int(words[position]), _BITS, rng))
        return guess

    # Closed forms.

    @cached_property
    def radii(self) -> tuple[Integers, Integers, Floats]:
        """(s, w) and their probabilities, in floats."""
        logs = self._log_weights
        keep = np.flatnonzero(logs > logs.max() - 60.0)
        s = np.concatenate([np.arange(r + 1) for r in keep])
        w = np.concatenate([r - np.arange(r + 1) for r in keep])
        each = [self.years * self._log_points(r) - float(self.rate) * r for r in keep.tolist()]
        weight = np.concatenate(each)
        near = weight > weight.max() - 60.0  # most pairs of a radius are out of reach
        s, w, mass = s[near], w[near], np.exp(weight[near] - weight.max())
        return s, w, mass / mass.sum()

    def probability_of_zero(self) -> float:
        """P(z = 0) = 1/((1 − q)²·Σ q^(s+w)·c(s, w)^T)."""
        logs = self._log_weights
        top = float(logs.max())
        total = top + math.log(float(np.exp(logs - top).sum()))
        return math.exp(-total - 2.0 * math.log(-math.expm1(-float(self.rate))))

    def given_radii(self, terms: Sequence[tuple[Half, Half]]) -> Floats:
        """For every pair of radii the mean of Σ a(s, m)·b(w, d − m) over its points, m the positive coordinates.

        What is asked falls into a part of s and one of w for each m, so that each part is worked out once for all
        pairs: no point is enumerated, and a year of many bins costs little more than one of few.
        """
        s, w, _ = self.radii
        most = int(max(s.max(), w.max()))
        n, m = np.arange(most + 1)[:, None], np.arange(self.coordinates + 1)[None, :]
        first, second = (table[: most + 1] for table in choices(self.coordinates, most))
        parts = [(first * a(n, m), second * b(n, self.coordinates - m)) for a, b in terms]
        made, step = np.empty(len(s)), max(_TOGETHER // (self.coordinates + 1), 1)
        for start in range(0, len(s), step):
            low, high = s[start : start + step], w[start : start + step]
            total = sum((a[low] * b[high]).sum(axis=1) for a, b in parts)
            made[start : start + step] = total / (first[low] * second[high]).sum(axis=1)
        return made

    def mean_absolute(self) -> float:
        """E|z| of one coordinate in one year."""
        if self.years == 1:
            return closed.mean_absolute(self.single_scale)
        size = self.given_radii([(sum_of_gaps, one), (one, sum_of_parts)])
        return float((self.radii[2] * size).sum() / self.coordinates)

    def variance(self) -> float:
        """Var z of one coordinate in one year, by the exact second moments of the points."""
        if self.years == 1:
            return closed.variance(self.single_scale)
        squares = self.given_radii(
            [(lambda s, m: m * second_of_gap(s, m), one), (one, lambda w, n: n * second_of_part(w, n))]
        )
        return float((self.radii[2] * squares).sum() / self.coordinates)


def one(n: Integers, k: Integers) -> Floats:
    """For what depends on the other part alone."""
    return np.ones(np.broadcast_shapes(n.shape, k.shape))


def sum_of_gaps(s: Integers, m: Integers) -> Floats:
    """E Σ of m gaps of a uniform m-subset of {1 … s}."""
    mean: Floats = m * (s + 1) / (m + 1.0)
    return mean


def sum_of_parts(w: Integers, parts: Integers) -> Floats:
    """E Σ of so many parts that add up to at most w."""
    return sum_of_gaps(w + parts, parts) - parts


def second_of_gap(s: Integers, m: Integers) -> Floats:
    """E g² of one gap of a uniform m-subset of {1 … s}: (s + 1)(2s + 2 − m)/((m + 1)(m + 2))."""
    first: Floats = (s + 1) * (2 * (s + 1) - m) / ((m + 1.0) * (m + 2.0))
    return first


def second_of_part(w: Integers, parts: Integers) -> Floats:
    """E p² of one of so many non-negative parts that add up to at most w, all points alike: a gap less one."""
    gap = second_of_gap(w + parts, parts)
    mean = (w + parts + 1) / (parts + 1.0)
    second: Floats = gap - 2.0 * mean + 1.0
    return second


def falling(n: Integers, k: int) -> Floats:
    """C(n, k) in floats, n not negative."""
    if k and len(n) > 2 * (most := int(n.max())) + 2:  # far fewer numbers than places: each is worked out once
        return falling(np.arange(most + 1), k)[n]
    value = np.ones(len(n))
    for j in range(k):
        value *= (n - j) / (j + 1.0)
    return np.maximum(value, 0.0)


def choices(coordinates: int, most: int) -> tuple[Floats, Floats]:
    """C(d, m)·C(s, m) and C(w + d − m, d − m), a row for each s or w up to `most` at least, a column for each m."""
    return _choices(coordinates, max(1 << most.bit_length(), _SHORTEST))


@lru_cache(maxsize=8)
def _choices(d: int, most: int) -> tuple[Floats, Floats]:
    """Every factor is worked out once: blocks of many bins have long tables and as many columns as coordinates."""
    n = np.arange(most + 1)
    with np.errstate(over="ignore"):  # in rows beyond those asked for
        first = np.stack([math.comb(d, m) * falling(n, m) for m in range(d + 1)], axis=1)
        second = np.stack([falling(n + d - m, d - m) for m in range(d + 1)], axis=1)
    return first, second


def _placed(words: NDArray[np.uint64], upper: Floats) -> tuple[Integers, Bools]:
    """Where uniform words fall among cumulated shares, and for which of them floats are certain."""
    tail = (words.astype(np.float64) + 0.5) * 2.0**-_BITS
    place = np.searchsorted(upper, tail, side="right")
    inside = np.minimum(place, len(upper) - 1)
    over = upper[inside] - tail
    under = tail - np.where(inside > 0, upper[np.maximum(inside - 1, 0)], -1.0)
    certain = (place < len(upper)) & (over > _FLOAT_ERROR) & (under > _FLOAT_ERROR)
    return inside.astype(np.int64), certain


def _exactly_placed(weights: list[int], lazy: LazyUniform) -> int:
    """The same among exact integer weights."""
    total, running = sum(weights), 0
    for place, weight in enumerate(weights[:-1]):
        running += weight
        share = Fraction(running, total)
        if share and lazy.is_below(partial(_as_decimal, share)):
            return place
    return len(weights) - 1


def _as_decimal(share: Fraction, digits: int) -> Decimal:
    with decimal.localcontext() as context:
        context.prec = digits + 5
        return Decimal(share.numerator) / Decimal(share.denominator)


def _gaps(members: Integers, taken: Integers, width: int) -> Integers:
    """Gaps between the members of each subset, from 0 on, the first at the front."""
    rows, most = members.shape
    if not most:
        return np.zeros((rows, width), dtype=np.int64)
    before = np.concatenate([np.zeros((rows, 1), dtype=np.int64), members[:, :-1]], axis=1)
    padded = members - before  # leading zeros give gaps of 0 in front
    shift = np.clip(np.arange(width)[None, :] + (most - taken)[:, None], 0, most - 1)
    return np.take_along_axis(padded, shift, axis=1)

"""Exponential and gamma variates in double arithmetic, each with a bound on its error.

The bound covers the bits of the uniforms that were not drawn yet, and at least four times the worst rounding of every
logarithm, exponential, product and sum on the way. `block_sampler` says what the bounds are for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.products.employment_tables.mechanisms.block.exact import Direction, Gamma
from workbench.products.employment_tables.mechanisms.block.intervals import Uniform, Words

ULP = 2.0**-49  # sixteen units in the last place, as a share
_ROUNDS = 200
_DEEPEST = 690.0  # e^-690 is still a double; what lies deeper is worked out with more digits
Raw = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Measured:
    """Values not below zero, and how far from the truth they may be."""

    value: Floats
    slack: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class GammaDraws:
    """One gamma variate per row, the random words it came from, and where doubles could not judge a pair."""

    rest: Fraction
    whole: Raw  # rows × whole part of the shape
    part: Raw | None  # rows × 3: the exponential's word, U, V
    size: Measured
    unsure: NDArray[np.bool_]

    def lazily(self, row: int) -> Gamma:
        """The same variate, to be worked out as exactly as it takes."""
        part = None
        if self.part is not None:
            first, u, v = (Uniform.begun(word) for word in self.part[row].tolist())
            part = first, u, v
        return Gamma(rest=self.rest, whole=[Uniform.begun(word) for word in self.whole[row].tolist()], part=part)


def exponentials(raw: Raw) -> Measured:
    """−ln U; U is (word + something below 1)/2⁶⁴, and nothing is known of ln U while the word is 0."""
    word = raw.astype(np.float64)
    size = 64.0 * math.log(2.0) - np.log(word + 0.5)
    unknown = np.divide(1.0, word, out=np.full_like(word, np.inf), where=word > 0)
    return Measured(np.maximum(size, 0.0), unknown + ULP * (64.0 + np.abs(size)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Directions:
    """One θ per row with N(θ), the words it came from, and where doubles could not judge whether it is accepted."""

    totals: Fraction
    raw: Raw
    first: Raw | None  # E₀'s words
    upper: NDArray[np.bool_]
    size: Measured  # |θ_c|
    norm: Measured
    unsure: NDArray[np.bool_]

    def lazily(self, row: int) -> Direction:
        """The same direction, to be worked out as exactly as it takes."""
        return Direction(
            totals=self.totals,
            cells=[Uniform.begun(word) for word in self.raw[row].tolist()],
            upper=self.upper[row].tolist(),
            first=None if self.first is None else Uniform.begun(int(self.first[row])),
        )


def drawn_signs(rows: int, cells: int, words: Words) -> NDArray[np.bool_]:
    return _signs(words(sign_words(rows * cells)), rows, cells)


def sign_words(values: int) -> int:
    """A byte for each."""
    return -(-values // 8)


def _signs(raw: Raw, rows: int, cells: int) -> NDArray[np.bool_]:
    return (raw.view(np.uint8)[: rows * cells] & 1).astype(bool).reshape(rows, cells)


def drawn_directions(rows: int, cells: int, totals: Fraction, words: Words) -> Directions:
    """θ_c = ±E_c; with a weight b on the total all of a row is drawn again until (1 − b)·E₀ > b·|Σθ|.

    What is accepted depends on the words alone, so the number of tries tells nothing about the data.
    """
    unsure = np.zeros(rows, dtype=bool)
    if not totals:
        raw = words(rows * cells).reshape(rows, cells)
        upper, size = drawn_signs(rows, cells, words), exponentials(raw)
        norm = _summed(size.value.sum(axis=1), size.slack.sum(axis=1), cells)
        return Directions(totals=totals, raw=raw, first=None, upper=upper, size=size, norm=norm, unsure=unsure)
    raw, first = np.empty((rows, cells), dtype=np.uint64), np.empty(rows, dtype=np.uint64)
    upper = np.empty((rows, cells), dtype=bool)
    waiting = np.arange(rows)
    while len(waiting):
        tries = len(waiting)
        # All words of a try at once: an audit that hands out chosen words keeps those that are asked for together.
        sizes, again, signs = np.split(words(tries * (cells + 1) + sign_words(tries * cells)),
                                       [tries * cells, tries * (cells + 1)])  # fmt: skip
        raw[waiting], first[waiting] = sizes.reshape(-1, cells), again
        upper[waiting] = _signs(signs, tries, cells)
        gap, bound = _waits(raw[waiting], upper[waiting], first[waiting], float(totals))
        undecided = ~(np.abs(gap) > bound)
        unsure[waiting[undecided]] = True
        waiting = waiting[(gap < 0) & ~undecided]
    size = exponentials(raw)
    norm = _norm(size, upper, float(totals))
    return Directions(totals=totals, raw=raw, first=first, upper=upper, size=size, norm=norm, unsure=unsure)


def _waits(raw: Raw, upper: NDArray[np.bool_], first: Raw, totals: float) -> tuple[Floats, Floats]:
    """(1 − b)·E₀ − b·|Σθ| and a bound on its error; not a number or infinite where a word is zero."""
    size, own = exponentials(raw), exponentials(first)
    total, slack = _total(size, upper)
    waits, asks = (1.0 - totals) * own.value, totals * total
    bound: Floats = own.slack + slack + 4.0 * ULP * (waits + asks)
    return waits - asks, bound


def _total(size: Measured, upper: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """|Σθ| and a bound on its error: a sum with both signs is rounded by a share of the sum of sizes."""
    total = np.abs(np.where(upper, size.value, -size.value).sum(axis=1))
    return total, size.slack.sum(axis=1) + ULP * size.value.shape[1] * size.value.sum(axis=1)


def _norm(size: Measured, upper: NDArray[np.bool_], totals: float) -> Measured:
    whole, (total, slack) = size.value.sum(axis=1), _total(size, upper)
    return Measured((1.0 - totals) * whole + totals * total, slack + 4.0 * ULP * whole)


def drawn_gammas(rows: int, shape: Fraction, words: Words) -> GammaDraws:
    """Exponentials for the whole part of the shape, an exponential times a beta for the rest."""
    count, rest = int(shape), shape - int(shape)
    whole = words(rows * count).reshape(rows, count)
    sizes = exponentials(whole)
    value, slack = sizes.value.sum(axis=1), sizes.slack.sum(axis=1)
    if not rest:
        unsure = np.zeros(rows, dtype=bool)
        return GammaDraws(rest=rest, whole=whole, part=None, size=_summed(value, slack, count), unsure=unsure)
    part, beta, unsure = _betas(rows, rest, words)
    first = exponentials(part[:, 0])
    more = first.value * beta.value
    slack = slack + np.where(np.isfinite(first.slack), first.slack, 1.0) * beta.value + 1.1 * first.value * beta.slack
    unsure |= ~np.isfinite(first.slack)
    return GammaDraws(rest=rest, whole=whole, part=part, size=_summed(value + more, slack, count + 1), unsure=unsure)


def _summed(value: Floats, slack: Floats, terms: int) -> Measured:
    return Measured(value, slack + ULP * terms * value)


def _betas(rows: int, rest: Fraction, words: Words) -> tuple[Raw, Measured, NDArray[np.bool_]]:
    """X/(X + Y) from the first accepted pair of each row."""
    part = np.empty((rows, 3), dtype=np.uint64)
    part[:, 0] = words(rows)
    unsure = np.zeros(rows, dtype=bool)
    powers = np.array([float(1 / rest), float(1 / (1 - rest))])
    value, slack = np.zeros(rows), np.zeros(rows)
    waiting = np.arange(rows)
    for _ in range(_ROUNDS):
        if not len(waiting):
            break
        part[waiting, 1:] = words(2 * len(waiting)).reshape(-1, 2)
        pair = exponentials(part[waiting, 1:])
        logs, errors = -powers * pair.value, powers * (pair.slack + ULP * (1.0 + pair.value))
        gap, bound = _acceptance(logs, errors)
        undecided = ~(np.abs(gap) > bound)
        unsure[waiting[undecided]] = True
        odds = logs[:, 1] - logs[:, 0]
        value[waiting] = 1.0 / (1.0 + np.exp(np.minimum(odds, _DEEPEST)))
        slack[waiting] = value[waiting] * (1.1 * errors.sum(axis=1) + 4.0 * ULP)
        unsure[waiting[~(errors.sum(axis=1) < 0.01) | (odds >= _DEEPEST)]] = True
        waiting = waiting[(gap > 0) & ~undecided]
    unsure[waiting] = True
    slack[unsure] = 0.0
    return part, Measured(value, slack), unsure


def _acceptance(logs: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """X + Y − 1 and a bound on its error; an unknown logarithm leaves its part anywhere between 0 and 1."""
    parts, small = np.exp(logs), errors < 0.1
    bound: Floats = np.where(small, 1.1 * parts * np.where(small, errors, 0.0), 1.0).sum(axis=1) + 4.0 * ULP
    gap: Floats = parts.sum(axis=1) - 1.0
    return gap, bound

"""A median drawn by the exponential mechanism on whole numbers, exactly, for many sorted lists at once.

Formula: for n sorted integers x in low … high, P(d) ∝ e^(−ε|r(d) − n/2|) for every integer d, r(d) the number of x that
are at most d. One value more or less changes |r − n/2| by one half, so that the loss is at most ε.
Sampler: the gap by its weight, length × e^(−ε|r − n/2|), by floats with a stated error and otherwise by decimals with
further bits; then a uniform integer of the gap.
Source: McSherry and Talwar (2007); Smith (2011) for quantiles.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.randomness import UniformWords
from workbench.noise.geometric import exponential
from workbench.noise.lazy_uniform import LazyUniform
from workbench.noise.uniform_integers import below

_BITS = 64
_FLOAT_ERROR = 2.0**-36  # of a cumulated share; far more than the few operations on each weight lose


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """Sorted integers of many lists in one row: those of list i are values[start[i] : end[i]], in low[i] … high[i]."""

    values: Integers
    start: Integers
    end: Integers
    low: Integers
    high: Integers


def draw(lists: Lists, epsilon: Fraction, rng: UniformWords) -> Integers:
    """One integer of low … high for each list."""
    drawn = np.empty(len(lists.start), dtype=np.int64)
    sizes = lists.end - lists.start
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        drawn[own] = _alike(lists, own, size, epsilon, rng)
    return drawn


def gaps(lists: Lists, own: Integers, size: int) -> tuple[Integers, Integers]:
    """First integer and length of the size + 1 gaps of these lists, all of one size."""
    inside = lists.values[lists.start[own][:, None] + np.arange(size)[None, :]]
    first = np.concatenate([lists.low[own][:, None], inside], axis=1)
    after = np.concatenate([inside, lists.high[own][:, None] + 1], axis=1)
    return first, after - first


def shares(lengths: Integers, epsilon: float) -> Floats:
    """Lists × gaps: how likely each gap is."""
    size = lengths.shape[1] - 1
    distance = np.abs(2.0 * np.arange(size + 1) - size) / 2.0
    nearest = np.where(lengths > 0, distance[None, :], np.inf).min(axis=1)  # of the gaps that hold an integer
    weight = lengths * np.exp(-epsilon * np.maximum(distance[None, :] - nearest[:, None], 0.0))
    found: Floats = weight / weight.sum(axis=1, keepdims=True)
    return found


def _alike(lists: Lists, own: Integers, size: int, epsilon: Fraction, rng: UniformWords) -> Integers:
    first, lengths = gaps(lists, own, size)
    upper = np.cumsum(shares(lengths, float(epsilon)), axis=1)
    words = rng.words(len(own))
    tail = (words.astype(np.float64) + 0.5) * 2.0**-_BITS
    gap = np.minimum((tail[:, None] >= upper).sum(axis=1), size)
    near = np.abs(upper[:, :-1] - tail[:, None]) <= _FLOAT_ERROR
    for place in np.flatnonzero(near.any(axis=1) | (tail >= 1.0 - _FLOAT_ERROR)).tolist():
        gap[place] = _exactly(lengths[place], epsilon, LazyUniform(int(words[place]), _BITS, rng))
    picked = np.take_along_axis(first, gap[:, None], axis=1)[:, 0]
    length = np.take_along_axis(lengths, gap[:, None], axis=1)[:, 0]
    return picked + below(np.maximum(length, 1), rng)


def _exactly(lengths: Integers, epsilon: Fraction, lazy: LazyUniform) -> int:
    filled = np.flatnonzero(lengths > 0).tolist()
    for gap in filled[:-1]:
        if lazy.is_below(partial(_share_up_to, lengths, epsilon, gap)):
            return int(gap)
    return int(filled[-1])


def _share_up_to(lengths: Integers, epsilon: Fraction, gap: int, digits: int) -> Decimal:
    """P(a gap up to this one), with a relative error below 10^−digits."""
    size = len(lengths) - 1
    with decimal.localcontext() as context:
        context.prec = digits + 30
        context.Emin = decimal.MIN_EMIN
        total, found = Decimal(0), Decimal(0)
        for place, length in enumerate(lengths.tolist()):
            if length:
                total += length * exponential(epsilon * Fraction(abs(2 * place - size), 2), digits + 25)
            if place == gap:
                found = total
        return found / total

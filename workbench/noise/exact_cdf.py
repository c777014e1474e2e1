"""Integers drawn exactly from P(k) = H((k+½−n)/σ) − H((k−½−n)/σ): what is published, free of floating-point traces.

Method (inversion with lazy bits). One random bit chooses the side of the median; 63 more are the first bits of a
uniform U, the probability still beyond the value on that side. The integer k is the one between whose edges k ± ½ the
value lies: P(beyond outer edge) < U < P(beyond inner edge). A float quantile guesses k; float probabilities, trusted
only to a stated relative error, confirm it. Where they cannot (U within that error of an edge, U extremely small, or
values near the limits of floats), the comparison is repeated with decimals of any length and more bits are appended to
U until the answer is certain. So every integer comes with exactly its probability, and no float is ever published.

Guarantee: none of its own; rounding a continuous mechanism's output to the nearest integer is post-processing.
Values beyond ±2^62 are published as ±2^62 (post-processing too; of the heaviest tails, once in ages).
Source: Mironov (2012) for what goes wrong otherwise; inexact floats as a filter before exact
arithmetic as in Knuth and Yao's lazy inversion.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom, UniformWords
from workbench.noise.lazy_uniform import LazyUniform
from workbench.noise.placements import Linear, Placement, Sides, Whole
from workbench.noise.tail_laws import TailLaw

LIMIT = 2**62
CHUNK = 8192  # small enough for the cache, and for a question whether to go on every few milliseconds
_BITS = 63
_SMALL = 2**44  # below, a word of 63 bits is too coarse beside the float error
_FLOAT_INTEGERS = 2.0**50  # beyond, half-integers are no longer exact floats with room to spare


def draw(
    center: NDArray[np.int64], scale: Floats, law: TailLaw, rng: UniformWords, context: Context
) -> NDArray[np.int64]:
    """The nearest integer to center + scale·Z, one independent Z a cell, exactly; for what is published."""
    return draw_placed(Linear(center, scale, law), rng, context)


def draw_placed(placement: Placement, rng: UniformWords, context: Context) -> NDArray[np.int64]:
    """The same for noise that is put otherwise (Log-Laplace)."""
    values = np.empty(len(placement), dtype=np.int64)
    context.step(0.0, "preparing the exact sampler")
    for start in range(0, len(values), CHUNK):
        context.step(start / len(values), f"drawing noise for cell {start + 1:,} of {len(values):,}")
        rows = np.arange(start, min(start + CHUNK, len(values)))
        values[rows] = _drawn(placement, rows, rng)
    context.step(1.0, "noise drawn")
    return values


def draw_for_study(placement: Placement, rng: StudyRandom, context: Context) -> NDArray[np.int64]:
    """The same law to float precision, from seeded randomness: to explore, never to publish."""
    values = np.empty(len(placement), dtype=np.int64)
    context.step(0.0, "preparing to draw noise for the comparison")
    for start in range(0, len(values), CHUNK):
        context.step(start / len(values), "drawing noise for the comparison")
        rows = np.arange(start, min(start + CHUNK, len(values)))
        uniform = rng.generator.random(len(rows))
        upper = uniform < 0.5
        tail = 1.0 - 2.0 * np.where(upper, uniform, uniform - 0.5)  # never 0
        values[rows] = np.clip(np.rint(placement.guess(rows, upper, tail)), -LIMIT, LIMIT)
    context.step(1.0, "noise drawn for the comparison")
    return values


def _drawn(placement: Placement, rows: Whole, rng: UniformWords) -> Whole:
    words = rng.words(len(rows))
    upper: Sides = (words >> np.uint64(_BITS)).astype(np.bool_)
    bits = (words & np.uint64(2**_BITS - 1)).astype(np.int64)
    values = np.zeros(len(rows), dtype=np.int64)
    left = np.arange(len(rows))
    for polish in (0, 2):  # a wide scale needs a better guess than the table's in a few cells
        found, certain = _by_floats(placement, rows[left], upper[left], bits[left], polish)
        values[left] = found
        left = left[~certain]
    for position in left.tolist():
        lazy = LazyUniform(int(bits[position]), _BITS, rng)
        row, side, start = int(rows[position]), bool(upper[position]), int(values[position])
        values[position] = _searched(placement, row, side, lazy=lazy, start=start)
    return values


def _by_floats(
    placement: Placement, rows: Whole, upper: Sides, bits: NDArray[np.int64], polish: int
) -> tuple[Whole, Sides]:
    """The integers as floats see them, and for which of them floats suffice."""
    tail: Floats = (bits + 0.5).astype(np.float64) * 2.0**-_BITS
    guess = np.rint(placement.guess(rows, upper, tail, polish))
    usable = (bits >= _SMALL) & (np.abs(guess) < _FLOAT_INTEGERS)
    certain = usable & _confirmed(placement, rows, upper, np.where(usable, guess, 0.0), tail)
    return np.clip(guess, -LIMIT, LIMIT).astype(np.int64), certain


def _confirmed(placement: Placement, rows: Whole, upper: Sides, value: Floats, tail: Floats) -> Sides:
    """Where floats prove that the value's edges enclose the uniform, whatever its further bits are."""
    half = np.where(upper, 0.5, -0.5)
    outer, outer_error = placement.beyond(rows, upper, value + half)
    inner, inner_error = placement.beyond(rows, upper, value - half)
    room = 2.0**-40  # more than the rounding and the missing bits of the uniform itself
    below = outer * (1.0 + outer_error + room) < tail
    above = tail < inner * (1.0 - inner_error - room)
    both: Sides = below & above
    return both


def _searched(placement: Placement, row: int, upper: bool, *, lazy: LazyUniform, start: int) -> int:
    """The integer by exact comparisons: gallop from the guess until it is enclosed, then halve."""
    sign = 1 if upper else -1

    def lies_beyond(value: int) -> bool:
        """Whether the drawn value lies beyond the outer edge of this integer."""
        edge = value + Fraction(sign, 2)
        return lazy.is_below(lambda digits: placement.beyond_to(row, upper, edge, digits))

    step = 1
    if lies_beyond(start):
        inside = start  # the integer lies outside of this one …
        outside = start + sign
        while abs(outside) < LIMIT and lies_beyond(outside):
            inside, step = outside, 2 * step
            outside += sign * step
    else:
        outside = start  # … and no further out than this one
        inside = start - sign
        while not lies_beyond(inside):
            outside, step = inside, 2 * step
            inside -= sign * step
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        if lies_beyond(middle):
            inside = middle
        else:
            outside = middle
    return max(-LIMIT, min(LIMIT, outside))

"""Geometric and discrete Laplace integers of any scale, one scale for each value, exact, by inversion.

Formula: for a uniform U, G = ⌊−s·ln U⌋ has P(G ≥ g) = e^(−g/s), the geometric law; the difference of two independent
ones is discrete Laplace of scale s, P(k) = (1 − q)/(1 + q)·q^|k| with q = e^(−1/s).
Rounding: none. A float computes −s·ln U with a bound on its own error and on the bits of U not yet drawn. Where that
interval holds an integer edge, U < e^(−g/s) is decided with decimals and further bits, so every integer comes with
exactly its probability. Scales are the exact values of their floats.
Source: Ghosh, Roughgarden and Sundararajan (2009); Canonne, Kamath and Steinke (2020) for the law; inversion with lazy
bits instead of their rejection, so that an audit can choose the words and foresee every integer.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Defect
from workbench.core.progress import QUIET, Context
from workbench.core.randomness import UniformWords
from workbench.noise.discrete_laplace import scale_for
from workbench.noise.lazy_uniform import LazyUniform, last_true

CHUNK = 65_536
_AT_A_TIME = 8192  # values between two questions whether to go on
_BITS = 64
_GUARD_DIGITS = 12
_ROUNDING = 2.0**-48  # some ten times what the conversion, the logarithm and the products lose together
_FLOAT_INTEGERS = 2.0**50
_MOST_SCALE = 2.0**56  # 64 times this stays below 2^62


def discrete_laplace(scale: Floats, rng: UniformWords, context: Context) -> Integers:
    """One independent discrete Laplace integer for each scale, from two words each."""
    _refuse_unless_sensible(scale)
    noise = np.empty(len(scale), dtype=np.int64)
    for start in range(0, len(scale), CHUNK):
        context.step(start / len(scale), "drawing exact noise")
        part = np.ascontiguousarray(scale[start : start + CHUNK], dtype=np.float64)
        noise[start : start + CHUNK] = _geometric(part, rng) - _geometric(part, rng)
    context.step(1.0, "exact noise drawn")
    return noise


def add_laplace(
    counts: Integers, *, sensitivity: int, epsilon: Fraction, rng: UniformWords, context: Context
) -> Integers:
    """counts + exact discrete Laplace noise that spends no more than ε, one independent draw for each count."""
    scale, noisy = scale_for(sensitivity, epsilon), counts.astype(np.int64)
    for start in range(0, len(noisy), _AT_A_TIME):
        context.step(start / len(noisy), f"drawing noise for cell {start + 1:,} of {len(noisy):,}")
        part = noisy[start : start + _AT_A_TIME]
        part += discrete_laplace(np.full(len(part), scale), rng, QUIET)
    context.step(1.0, "noise drawn")
    return noisy


def geometric(scale: Floats, rng: UniformWords) -> Integers:
    """One independent integer with P(G ≥ g) = e^(−g/s) for each scale s, from one word each."""
    return geometric_of_words(scale, rng.words(len(scale)), rng)


def geometric_of_words(scale: Floats, words: NDArray[np.uint64], rng: UniformWords) -> Integers:
    """The same where the first 64 bits of each uniform are at hand."""
    _refuse_unless_sensible(scale)
    return _inverted(np.ascontiguousarray(scale, dtype=np.float64), words, rng)


def _geometric(scale: Floats, rng: UniformWords) -> Integers:
    return _inverted(scale, rng.words(len(scale)), rng)


def _inverted(scale: Floats, words: NDArray[np.uint64], rng: UniformWords) -> Integers:
    value, certain = _by_floats(scale, words)
    for position in np.flatnonzero(~certain).tolist():
        lazy = LazyUniform(int(words[position]), _BITS, rng)
        value[position] = _exact(float(scale[position]), lazy, int(value[position]))
    return value


def _by_floats(scale: Floats, words: NDArray[np.uint64]) -> tuple[Integers, NDArray[np.bool_]]:
    """The integers as floats see them, and for which of them floats suffice."""
    known = words.astype(np.float64) + 0.5
    log = (_BITS * np.log(2.0)) - np.log(known)
    error = scale * (1.0 / known + _ROUNDING * (1.0 + _BITS))
    real = scale * log
    guess = np.floor(real)
    # Nothing bounds the logarithm of a uniform of which no bit is known but zeros.
    known_bits = words > 0
    certain = known_bits & (real - guess > error) & (guess + 1.0 - real > error) & (real < _FLOAT_INTEGERS)
    return np.maximum(guess, 0.0).astype(np.int64), certain


def _exact(scale: float, lazy: LazyUniform, guess: int) -> int:
    """The last g with U < e^(−g/s)."""

    def reached(g: int) -> bool:
        return g <= 0 or lazy.is_below(partial(exponential, Fraction(g) / Fraction(scale)))

    return last_true(reached, guess)


def exponential(rate: Fraction, digits: int) -> Decimal:
    """e^(−rate) with a relative error below 10^−digits."""
    with decimal.localcontext() as context:
        context.prec = digits + len(str(int(rate))) + _GUARD_DIGITS
        context.Emin = decimal.MIN_EMIN
        return (-(Decimal(rate.numerator) / Decimal(rate.denominator))).exp()


def _refuse_unless_sensible(scale: Floats) -> None:
    if not (np.all(scale > 0.0) and np.all(scale <= _MOST_SCALE)):
        raise Defect("a scale of geometric noise is not positive, or larger than any count")

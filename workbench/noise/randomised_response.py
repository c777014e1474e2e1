"""k-ary randomised response, exact: keep the answer or publish a uniform one of all k.

Formula: a uniform u of 64 bits keeps the answer where u < T, T = ⌊2^64·(e^ε − 1)/(e^ε + k − 1)⌋; otherwise one of all k
answers is published, each alike. That is the law "keep with e^ε/(e^ε + k − 1), else one of the others".
Guarantee: the exact loss between any two answers is ln(1 + kT/(2^64 − T)) ≤ ε, because T is rounded down with
certainty (decimals of growing length, never floats: a float T is too large in half of all cases). It protects the
answer; that there is one is public.
Sampler: 8 bits are compared first and 56 more are drawn on a tie, one in 256: a million answers need little more than a
million bytes.
Source: Warner (1965); Kairouz, Oh and Viswanath (2016) for its optimality.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Defect
from workbench.core.published import Codes
from workbench.core.randomness import UniformWords

BITS = 64
WHOLE = 2**BITS
_FIRST_BITS = 8
_ANSWER_BITS = 16  # of a uniform answer among few
_FIRST_DIGITS = 60


@lru_cache(maxsize=4096)
def threshold(epsilon: Fraction, answers: int, bits: int = BITS) -> int:
    """T, certified: more digits until the floor is certain."""
    if epsilon <= 0 or answers < 2:
        raise Defect("randomised response of no ε, or among fewer than two answers")
    digits = _FIRST_DIGITS + len(str(answers))
    while True:
        low, high = _enclosed(epsilon, answers, digits, 2**bits)
        if int(low) == int(high):
            return int(low)
        digits *= 2


def _enclosed(epsilon: Fraction, answers: int, digits: int, whole: int) -> tuple[Decimal, Decimal]:
    """2^bits·(e^ε − 1)/(e^ε + k − 1) = 2^bits·(1 − e^−ε)/(1 + (k − 1)e^−ε), from below and from above."""
    with decimal.localcontext() as context:
        context.prec = digits
        context.Emin = decimal.MIN_EMIN
        small = (-(Decimal(epsilon.numerator) / Decimal(epsilon.denominator))).exp()
        share = (1 - small) / (1 + (answers - 1) * small)
        error = Decimal(10) ** -(digits - 8 - len(str(answers)))
        return whole * (share - error), whole * (share + error)


def exact_loss(kept: int, answers: int, bits: int = BITS) -> float:
    """ln(1 + kT/(2^64 − T)) of the threshold that is used."""
    with decimal.localcontext() as context:
        context.prec = 60
        return float((1 + Decimal(answers * kept) / Decimal(2**bits - kept)).ln())


def chances(kept: int, answers: int, bits: int = BITS) -> tuple[float, float]:
    """P(the answer itself) and P(each other answer), of the threshold that is used."""
    each = Fraction(2**bits - kept, 2**bits * answers)
    return float(Fraction(kept, 2**bits) + each), float(each)


def draw(answer: Codes, answers: int, kept: int, rng: UniformWords) -> Codes:
    """Protected codes of the same type; codes are 0 … k − 1."""
    published = answer.copy()
    replace_some(published, answers, kept, rng)
    return published


def replace_some(codes: Codes, answers: int, kept: int, rng: UniformWords) -> None:
    """The same in place."""
    replaced = at_threshold(len(codes), kept, rng)
    codes[replaced] = uniform(len(replaced), answers, rng).astype(codes.dtype)


def at_threshold(count: int, kept: int, rng: UniformWords) -> NDArray[np.intp]:
    """Which of so many fresh uniforms u of 64 bits are not below T: the answers that are replaced."""
    top, rest = divmod(kept, 2 ** (BITS - _FIRST_BITS))
    if top >= 2**_FIRST_BITS:
        raise Defect("a threshold of randomised response is no share")
    first = rng.words(-(-count // (BITS // _FIRST_BITS))).view(np.uint8)[:count]
    above = np.flatnonzero(first >= np.uint8(top))
    stays = first[above] != np.uint8(top)
    ties = np.flatnonzero(~stays)
    if len(ties):
        stays[ties] = (rng.words(len(ties)) >> np.uint64(_FIRST_BITS)) >= np.uint64(rest)
    replaced: NDArray[np.intp] = above[stays]
    return replaced


def uniform(count: int, answers: int, rng: UniformWords) -> NDArray[np.int64]:
    """So many uniform answers of 0 … k − 1, from 16 bits each where k is small; unfair ones are drawn again."""
    wide = answers > 2 ** (_ANSWER_BITS - 4)
    whole = WHOLE if wide else 2**_ANSWER_BITS
    last = whole - whole % answers - 1
    drawn = np.empty(count, dtype=np.int64)
    left = np.arange(count)
    while len(left):
        words = rng.words(len(left)) if wide else lanes(len(left), rng)
        fair = words <= words.dtype.type(last)
        drawn[left[fair]] = (words[fair] % words.dtype.type(answers)).astype(np.int64)
        left = left[~fair]
    return drawn


def lanes(count: int, rng: UniformWords) -> NDArray[np.uint16]:
    """So many fresh uniforms of 16 bits."""
    return rng.words(-(-count // (BITS // _ANSWER_BITS))).view(np.uint16)[:count]

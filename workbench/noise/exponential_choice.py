"""One of finitely many, with probability proportional to e^(−a·level): the exponential mechanism's choice, exact.

Members of one level are alike, so a level is chosen by inversion and then a member by a uniform integer. A float finds
the level where the uniform is well away from the edges between levels; elsewhere the comparison is made with decimals
and further bits of the uniform, so every member comes with exactly its probability. The rate is an exact fraction.
Source: McSherry and Talwar (2007) for the law.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.errors import Defect
from workbench.core.randomness import UniformWords
from workbench.noise.geometric import exponential
from workbench.noise.lazy_uniform import LazyUniform
from workbench.noise.uniform_integers import below

_BITS = 64
_CLEAR = 1e-9  # far more than thousands of float additions lose
_GUARD_DIGITS = 12
_CLOSE = 4  # levels up to so many times their number


def choose(levels: Integers, rate: Fraction, rng: UniformWords) -> int:
    """The place of one member of `levels`, which are integers of any size; the smallest level is the likeliest."""
    if not len(levels):
        raise Defect("there is nothing to choose from")
    above = levels - levels.min()
    steps, counts = _different(above)
    members = np.flatnonzero(above == steps[_level(steps, counts, rate, rng)])
    return int(members[below(np.array([len(members)]), rng)[0]])


def _different(above: Integers) -> tuple[Integers, Integers]:
    """Each level once, in order, and how many members it has; counted where they lie close, which sorts nothing."""
    if above.max() > _CLOSE * len(above):
        return np.unique(above, return_counts=True)
    counts = np.bincount(above)
    steps = np.flatnonzero(counts)
    return steps, counts[steps]


def _level(steps: Integers, counts: Integers, rate: Fraction, rng: UniformWords) -> int:
    weights = counts * np.exp(-float(rate) * steps)
    edges = np.cumsum(weights) / weights.sum()
    word = int(rng.words(1)[0])
    uniform = (word + 0.5) / 2.0**_BITS
    guess = min(int(np.searchsorted(edges, uniform)), len(edges) - 1)
    if np.abs(edges[:-1] - uniform).min(initial=1.0) > _CLEAR:
        return guess
    lazy = LazyUniform(word, _BITS, rng)

    def reached(place: int) -> bool:
        """Whether U lies below the upper edge of this level."""
        return place == len(steps) - 1 or lazy.is_below(partial(_edge, steps, counts, rate, place))

    while not reached(guess):
        guess += 1
    while guess and reached(guess - 1):
        guess -= 1
    return guess


def _edge(steps: Integers, counts: Integers, rate: Fraction, place: int, digits: int) -> Decimal:
    """P(level ≤ place) with a relative error below 10^−digits."""
    with decimal.localcontext() as context:
        context.prec = digits + len(str(len(steps))) + _GUARD_DIGITS
        context.Emin = decimal.MIN_EMIN
        terms = [
            int(count) * exponential(rate * int(step), context.prec)
            for step, count in zip(steps.tolist(), counts.tolist(), strict=True)
        ]
        return sum(terms[: place + 1], Decimal(0)) / sum(terms, Decimal(0))

"""The second route: the Dirichlet-multinomial law as Pólya's urn, in exact fractions, one outcome after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

Counts = tuple[int, ...]


def outcomes(draws: int, cells: int) -> Iterator[Counts]:
    """Every way to spread the draws over the cells."""
    if cells == 1:
        yield (draws,)
        return
    for first in range(draws + 1):
        for rest in outcomes(draws - first, cells - 1):
            yield (first, *rest)


def chance(outcome: Sequence[int], weights: Sequence[Fraction]) -> Fraction:
    """Draw by draw: each takes a cell with chance weight/total and adds one to its weight; orders are alike."""
    value, total = Fraction(math.factorial(sum(outcome))), sum(weights, Fraction(0))
    drawn = 0
    for count, weight in zip(outcome, weights, strict=True):
        for step in range(count):
            value *= (weight + step) / (total + drawn)
            drawn += 1
        value /= math.factorial(count)
    return value


def fractions(values: Sequence[str | int]) -> list[Fraction]:
    return [Fraction(value) for value in values]


def with_row(weights: Sequence[Fraction], cell: int) -> list[Fraction]:
    return [weight + (place == cell) for place, weight in enumerate(weights)]


def tail(t: int, draws: int, a: Fraction, b: Fraction) -> Fraction:
    """P(S ≥ t) of the beta-binomial law, as the urn with two cells."""
    return sum((chance((s, draws - s), (a, b)) for s in range(max(t, 0), draws + 1)), Fraction(0))

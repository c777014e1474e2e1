"""Nothing is known but the range of the factor: integer ratios leave few sizes.

Unrounded: published values are f·h with whole h, so they are t·g with g the primitive integer vector (its greatest
common divisor is 1) and h = m·g for a whole m. f = t/m must lie in [1−B, 1−A] ∪ [1+A, 1+B], which leaves few m.
Rounded: for each side of the gap the counts lie between ⌈(y − ½)/f_most⌉ and ⌊(y + ½)/f_least⌋; the number of sizes
between their sums is an upper bound on what is left.
One published value alone: P(h | y) ∝ prior(h)·g(y/h)/h with g the factor's density; h = y is ruled out by the gap.
Source: Haney et al. (2017), section 5.2, and Abowd, Stephens and Vilhuber (2006) for the density.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.baselines.distortion import density
from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context
from workbench.products.employment_tables.noise_infusion import SMALL_CELL_LIMIT
from workbench.tabulation.factors import Shape

_WHOLE = 1e-11  # relative: what double arithmetic may have lost of a whole multiple
_EDGE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorRange:
    """The factor's support: least A and most B on either side of 1."""

    least: float
    most: float

    def sides(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return (1.0 - self.most, 1.0 - self.least), (1.0 + self.least, 1.0 + self.most)


def primitive(published: Floats, *, largest: int, context: Context) -> Integers:
    """The primitive integer vector of each row; zeros where none has its smallest count up to `largest`."""
    positive = published > 0
    smallest = np.where(positive, published, np.inf).min(axis=1, initial=np.inf)
    found = np.zeros(published.shape, dtype=np.int64)
    left = np.flatnonzero(np.isfinite(smallest))
    ratios = published[left] / smallest[left, None]
    for multiple in range(1, largest + 1):
        if not len(left):
            break
        context.step(multiple / (largest + 1), "looking for integer ratios")
        scaled = multiple * ratios
        whole = np.rint(scaled)
        fits = (np.abs(scaled - whole) <= _WHOLE * np.maximum(scaled, 1.0)).all(axis=1)
        found[left[fits]] = whole[fits].astype(np.int64)
        left, ratios = left[~fits], ratios[~fits]
    context.step(1.0, "integer ratios found")
    return found


def multipliers(unit: Floats, factors: FactorRange) -> tuple[tuple[Integers, Integers], tuple[Integers, Integers]]:
    """For t = f·m the first and last whole m on either side of the gap, the smaller sizes first; last < first: none."""
    below, above = factors.sides()
    return _between(unit / above[1], unit / above[0]), _between(unit / below[1], unit / below[0])


def _between(low: Floats, high: Floats) -> tuple[Integers, Integers]:
    first = np.maximum(np.ceil(low * (1.0 - _EDGE)), 1.0)
    return first.astype(np.int64), np.floor(high * (1.0 + _EDGE)).astype(np.int64)


def units(published: Floats, vectors: Integers) -> Floats:
    """t of each row, from its largest published value; zero where there is no primitive vector."""
    at = np.argmax(published, axis=1)[:, None]
    value, whole = (np.take_along_axis(each, at, axis=1)[:, 0] for each in (published, vectors))
    return np.divide(value, whole, out=np.zeros(len(value)), where=whole > 0)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SizesLeft:
    """Per establishment the sizes that remain: step·m for m on either side of the gap, plus 0 … `slack` more.

    `sides` holds first and last m, the smaller sizes first. `base` is added for cells known to hold one or two.
    """

    step: Integers
    base: Integers
    slack: Integers
    sides: tuple[tuple[Integers, Integers], tuple[Integers, Integers]]

    @property
    def number(self) -> Integers:
        """How many remain, never fewer than there are; zero where nothing fits."""
        (first_a, last_a), (first_b, last_b) = self.sides
        both = np.maximum(last_a - first_a + 1, 0) + np.maximum(last_b - first_b + 1, 0)
        overlap = np.where((last_a >= first_a) & (last_b >= first_b), np.maximum(last_a - first_b + 1, 0), 0)
        return np.where(self.step > 0, (both - overlap) * (self.slack + 1), 0)

    def hold(self, sizes: Integers) -> NDArray[np.bool_]:
        """Whether each size is among those that remain."""
        held = np.zeros(len(sizes), dtype=np.bool_)
        for more in range(int(self.slack.max(initial=0)) + 1):
            m, rest = np.divmod(sizes - self.base - more, np.maximum(self.step, 1))
            inside = np.logical_or.reduce([(m >= first) & (m <= last) for first, last in self.sides])
            held |= inside & (rest == 0) & (more <= self.slack) & (self.step > 0)
        return held


def sizes_left(published: Floats, factors: FactorRange, *, largest: int, context: Context) -> SizesLeft:
    """What unrounded values leave. A value of exactly 1 or 2 was redrawn and stands for one worker or two."""
    redrawn = (published == 1.0) | (published == 2.0)
    ratios = np.where(redrawn, 0.0, published)
    vectors = primitive(ratios, largest=largest, context=context)
    small = redrawn.sum(axis=1)
    only_small = (small > 0) & ~(ratios > 0).any(axis=1)
    step = np.where(only_small, 1, vectors.sum(axis=1))
    (first_a, last_a), (first_b, last_b) = multipliers(units(ratios, vectors), factors)
    none, nothing = np.zeros(len(step), dtype=np.int64), np.where(only_small, -1, last_b)
    sides = (np.where(only_small, none, first_a), np.where(only_small, none, last_a)), (first_b, nothing)
    return SizesLeft(step=step, base=small, slack=small, sides=sides)


def candidate_sizes(published: Floats, factors: FactorRange, *, largest: int, context: Context) -> tuple[int, ...]:
    """Every size that remains for one establishment, smallest first."""
    rows = published[None, :]
    vectors = primitive(rows, largest=largest, context=context)
    size = int(vectors.sum())
    if not size:
        return ()
    sides = multipliers(units(rows, vectors), factors)
    left = {m for first, last in sides for m in range(int(first[0]), int(last[0]) + 1)}
    return tuple(m * size for m in sorted(left))


def sizes_left_rounded(published: Floats, factors: FactorRange) -> SizesLeft:
    """What rounded values leave. A value of 1 or 2 may have been redrawn, so it stands for at least one or two."""
    positive = published > 0
    values = np.where(positive, published, 1.0)
    small = values < SMALL_CELL_LIMIT
    sides = []
    for low, high in reversed(factors.sides()):
        least = np.where(small, 1.0, np.maximum(np.ceil((values - 0.5) / high - _EDGE), 1.0))
        most = np.maximum(np.floor((values + 0.5) / low + _EDGE), np.where(small, 2.0, 0.0))
        sides.append(tuple(np.where(positive, each, 0.0).sum(axis=1).astype(np.int64) for each in (least, most)))
    (first_a, last_a), (first_b, last_b) = sides
    nothing = np.zeros(len(published), dtype=np.int64)
    return SizesLeft(
        step=np.asarray(positive.any(axis=1), dtype=np.int64),
        base=nothing,
        slack=nothing,
        sides=((first_a, last_a), (first_b, last_b)),
    )


def size_posterior(published: float, sizes: Integers, prior: Floats, factors: FactorRange, shape: Shape) -> Floats:
    """P(size | unrounded published value) over the candidate sizes; all zero where none of them is possible."""
    likelihood = density(published / sizes, least=factors.least, most=factors.most, shape=shape) / sizes
    weight = prior * likelihood
    total = float(weight.sum())
    return weight / total if total > 0 else weight

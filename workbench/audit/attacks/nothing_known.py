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

from workbench.baselines.distortion import Shape, density
from workbench.core.progress import Context

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
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


def sizes_left(published: Floats, vectors: Integers, factors: FactorRange) -> tuple[Integers, Integers, Integers]:
    """How many sizes remain for each row, the smallest and the largest of them."""
    unit, each = units(published, vectors), vectors.sum(axis=1)
    sides = multipliers(unit, factors)
    number, low, high = _joined(sides)
    usable = each > 0
    return np.where(usable, number, 0), low * each, high * each


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


def sizes_left_rounded(published: Floats, factors: FactorRange) -> tuple[Integers, Integers, Integers]:
    """The same from rounded values: never fewer sizes than truly remain."""
    values = np.where(published > 0, published, np.nan)
    sides = []
    for low, high in reversed(factors.sides()):
        least = np.nansum(np.maximum(np.ceil((values - 0.5) / high - _EDGE), 1.0), axis=1)
        most = np.nansum(np.floor((values + 0.5) / low + _EDGE), axis=1)
        sides.append((least.astype(np.int64), most.astype(np.int64)))
    number, low_size, high_size = _joined((sides[0], sides[1]))
    usable = (published > 0).any(axis=1)
    return np.where(usable, number, 0), low_size, high_size


def _joined(
    sides: tuple[tuple[Integers, Integers], tuple[Integers, Integers]],
) -> tuple[Integers, Integers, Integers]:
    """Number, least and most of the whole numbers in the union of two intervals, each possibly empty."""
    (first_a, last_a), (first_b, last_b) = sides
    held_a, held_b = last_a >= first_a, last_b >= first_b
    overlap = np.where(held_a & held_b, np.maximum(last_a - first_b + 1, 0), 0)
    number = np.where(held_a, last_a - first_a + 1, 0) + np.where(held_b, last_b - first_b + 1, 0) - overlap
    return number, np.where(held_a, first_a, first_b), np.where(held_b, last_b, last_a)


def size_posterior(published: float, sizes: Integers, prior: Floats, factors: FactorRange, shape: Shape) -> Floats:
    """P(size | unrounded published value) over the candidate sizes; all zero where none of them is possible."""
    likelihood = density(published / sizes, least=factors.least, most=factors.most, shape=shape) / sizes
    weight = prior * likelihood
    total = float(weight.sum())
    return weight / total if total > 0 else weight

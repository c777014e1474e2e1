"""Strong neighbours of one cell: how far its count and its noise scale can move when one establishment changes.

One establishment of size x grows to at most max(⌊(1+α)x⌋, x+1), or shrinks to a size from which it could have grown
back. Only the number of workers j and the largest size before and after matter, and three steps are worst:
- up: the largest establishment grows as far as it may, x → x + j (overtaking by an equal one included);
- down: it shrinks as far as it may, x → x − j;
- flat: another one changes and the largest stays, so the scale does not move (or moves less, when it overtakes).
For given j the loss is worst at the ends of the range of scales, and along one establishment's way it grows with j
(both because the root of the loss equation is a geometric mean of affine functions, hence concave; brute force agrees).
With `ceiling` an establishment may grow to ⌈(1+α)x⌉, the size requirement of Definition 4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Problem
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState

MOST_DECIMALS = 9  # of α: its share of a count stays an exact integer operation
_TABLE = 1_000_000  # sizes up to here are looked up in a table, larger ones sorted

UP, DOWN, FLAT = range(3)
WORDS = (
    "the largest establishment of a cell grows as far as the definition allows",
    "the largest establishment of a cell shrinks as far as the definition allows",
    "an establishment that is not the largest of its cell changes, and the noise scale stays",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The size window α and the scale S(x) it asks for: max(αx, floor), or αx + floor with the ceiling."""

    alpha: Decimal
    floor: Decimal = Decimal(1)
    ceiling: bool = False

    @property
    def share(self) -> Fraction:
        return Fraction(self.alpha)

    def scale(self, largest: Integers | Floats) -> Floats:
        proportional: Floats = float(self.alpha) * largest.astype(np.float64)
        return proportional + float(self.floor) if self.ceiling else np.maximum(proportional, float(self.floor))

    def growth(self, size: Integers) -> Integers:
        """The most workers an establishment of this size may gain in one step."""
        top, bottom = self.share.numerator, self.share.denominator
        gained = -(-size * top // bottom) if self.ceiling else size * top // bottom
        return np.maximum(gained, 1)

    def shrinkage(self, size: Integers) -> Integers:
        """The most it may lose, so that it could grow back in one step; 0 where it is empty."""
        top, bottom = self.share.numerator, self.share.denominator
        if self.ceiling:
            least = (size - 1) * bottom // (top + bottom) + 1
        else:
            least = -(-size * bottom // (top + bottom))
        return np.where(size > 0, np.maximum(size - least, 1), 0)


def too_fine(alpha: Decimal) -> tuple[Problem, ...]:
    """Why α cannot be used exactly."""
    if Fraction(alpha).denominator <= 10**MOST_DECIMALS:
        return ()
    do = f"Use at most {MOST_DECIMALS} decimals"
    return (Problem("The size window α has more decimals than exact arithmetic on counts can take", "alpha", do),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The different values among the cells, and where each cell finds its own: a loss is worked out once a size."""

    values: Integers
    where: NDArray[np.intp]

    @classmethod
    def of(cls, cells: Integers) -> Sizes:
        top = int(cells.max(initial=0))
        if top > _TABLE:
            values, where = np.unique(cells, return_inverse=True)
            return cls(values=values, where=where)
        present = np.zeros(top + 1, dtype=np.bool_)
        present[cells] = True
        values = np.flatnonzero(present)
        position = np.zeros(top + 1, dtype=np.intp)
        position[values] = np.arange(len(values))
        return cls(values=values, where=position[cells])


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Pairs, one per size or cell: the shift in units of the smaller S, and the ratio of the two S (at least 1)."""

    shift: Floats
    ratio: Floats


def steps_of(sizes: Integers, window: Window) -> tuple[Step, Step, Step]:
    """Up, down and flat for every size; flat as if another establishment were as large. Nothing is flat at size 0."""
    here = window.scale(sizes)
    up, down = window.growth(sizes), window.shrinkage(sizes)
    below = window.scale(sizes - down)
    return (
        Step(shift=up / here, ratio=window.scale(sizes + up) / here),
        Step(shift=down / below, ratio=here / below),
        Step(shift=np.where(sizes > 0, up, 0) / here, ratio=np.ones(len(sizes))),
    )


def moved_cells(before: WorkplaceState, after: WorkplaceState, window: Window) -> Step:
    """The worker cells whose count or scale differs between two given states, each by its own largest contribution."""
    first, second = (window.scale(np.array(state.largest, dtype=np.int64)) for state in (before, after))
    smaller, larger = np.minimum(first, second), np.maximum(first, second)
    shift = np.abs(np.subtract(after.counts, before.counts)) / smaller
    ratio = larger / smaller
    moved = (shift > 0.0) | (ratio > 1.0)
    return Step(shift=shift[moved], ratio=ratio[moved])


Loss = Callable[[Floats, Floats], Floats]
"""From shift (in units of the smaller S) and ratio to the loss of that pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellLosses:
    """Per cell the largest loss, and which of the three steps gives it."""

    loss: Floats
    step: NDArray[np.intp]


def cell_losses(
    count: Integers, largest: Integers, *, window: Window, loss: Loss, sizes: Sizes | None = None
) -> CellLosses:
    """The largest loss of every cell over its neighbours.

    Where a flat step would be worst (from ε of about 4 on) it is judged by what the cell allows: another establishment
    has at most count − largest jobs. Its growth counts as flat even where it would overtake the largest, which bounds
    the overtaking too: there, and only there, the loss given is not reached exactly.
    """
    sizes = sizes or Sizes.of(largest)
    found = np.stack([loss(step.shift, step.ratio) for step in steps_of(sizes.values, window)])
    moving = found[:FLAT].argmax(axis=0)
    best = found[:FLAT].max(axis=0)
    per_cell, kind = best[sizes.where], moving[sizes.where]
    worst_flat = found[FLAT] > best
    if worst_flat.any():
        doubtful = np.flatnonzero(worst_flat[sizes.where])
        other = np.minimum(largest[doubtful], count[doubtful] - largest[doubtful])
        shift = window.growth(other) / window.scale(largest[doubtful])
        flat = loss(shift, np.ones(len(doubtful)))
        worse = flat > per_cell[doubtful]
        per_cell[doubtful[worse]] = flat[worse]
        kind[doubtful[worse]] = FLAT
    return CellLosses(loss=per_cell, step=kind)

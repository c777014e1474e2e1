"""Strong neighbours of one workplace cell: how far its worker cells and the noise's scale can move in one step.

One establishment of size e grows by k ≤ max(⌊αe⌋, 1) workers. Only k and the largest size before and after matter:
- the largest establishment grows: k = max(⌊αx⌋, 1), largest x → x + k (this includes overtaking by one of equal size);
- the largest establishment shrinks, by the largest k from which it could have grown: largest x → x − k;
- another one, just small enough not to overtake, grows: the scale stays as it is.
Every other step lies between these: its shift is no larger, and for a given shift the loss is worst at the ends of the
range of scales (block_tail). That no smaller step costs more is checked by brute force in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells, Domain

_COUNTED = 100  # sizes up to this many times the number of cells are counted
WORDS = (
    "the largest establishment of a workplace cell takes on as many workers of one kind as the definition allows",
    "the largest establishment of a workplace cell loses as many workers of one kind as the definition allows",
    "an establishment just below the largest of its workplace cell takes on workers of one kind without overtaking it",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedCells(Cells):
    """Copies of one workplace cell for a black box: each stands for a data set of its own, so nothing may be pooled.

    `least` is the smallest total of a workplace cell that the real table's public list allows.
    """

    least: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Three kinds of steps (rows, in the order of WORDS) for each size (columns)."""

    workers: Floats  # k
    scale_before: Floats  # S at the smaller data set
    scale_after: Floats  # S at the larger one

    @property
    def ratio(self) -> Floats:
        found: Floats = self.scale_after / self.scale_before
        return found

    def shift(self, kappa: float) -> Floats:
        """‖v‖₁ in units of the smaller noise."""
        found: Floats = self.workers / (kappa * self.scale_before)
        return found


def growth(size: int, alpha: Fraction) -> int:
    """The most workers an establishment of this size may gain in one step."""
    return max(alpha.numerator * size // alpha.denominator, 1)


def shrinkage(size: int, alpha: Fraction) -> int:
    """The most workers an establishment of this size may have gained in one step; 0 where it is empty."""
    if size == 0:
        return 0
    return max(alpha.numerator * size // (alpha.denominator + alpha.numerator), 1)


def steps_of(sizes: Integers, alpha: Decimal) -> Steps:
    """The three kinds of steps for each size; a size that cannot shrink stands for itself grown."""
    share, size = Fraction(alpha), sizes.astype(object)  # Python's integers: α as typed, no product too large
    up = np.maximum(size * share.numerator // share.denominator, 1)
    down = np.maximum(size * share.numerator // (share.denominator + share.numerator), 1)
    filled = sizes > 0
    rows = (
        (up, size, size + up),
        (np.where(filled, down, up), np.where(filled, size - down, size), np.where(filled, size, size + up)),
        (np.where(filled, down, up), size, size),
    )
    table = np.array(rows, dtype=np.float64)
    scales = np.maximum(float(alpha) * table[:, 1:], 1.0)
    return Steps(workers=table[:, 0], scale_before=scales[:, 0], scale_after=scales[:, 1])


def moved_block(
    before: WorkplaceState, after: WorkplaceState, alpha: Decimal, totals: Fraction = Fraction(0)
) -> tuple[float, float]:
    """How far the counts of two given states lie apart, in units of the smaller S, and the ratio of the two S.

    Apart by the norm with this weight on the total: (1 − b)‖v‖₁ + b|Σv|, for v may go both ways.
    """
    smaller, larger = sorted(max(float(alpha) * state.largest_total, 1.0) for state in (before, after))
    moves = [moved - count for count, moved in zip(before.counts, after.counts, strict=True)]
    apart = (1 - totals) * sum(map(abs, moves)) + totals * abs(sum(moves))
    return float(apart) / smaller, larger / smaller


def distinct(sizes: Integers) -> tuple[Integers, NDArray[np.intp]]:
    """The different sizes in order, and which of them each workplace cell has; counted rather than sorted."""
    if not len(sizes) or sizes.max() > _COUNTED * len(sizes) + _COUNTED:
        found, where = np.unique(sizes, return_inverse=True)
        return found, where
    present = np.zeros(int(sizes.max()) + 1, dtype=bool)
    present[sizes] = True
    return np.flatnonzero(present).astype(np.int64), (np.cumsum(present) - 1)[sizes]


def watched_workplaces(prepared: Cells) -> tuple[tuple[str, int], ...]:
    """(words, workplace cell) worth watching: the one with the largest establishment, and the one with the smallest."""
    largest = prepared.workplace_largest.reveal()
    if not len(largest):
        return ()
    top, bottom = int(np.argmax(largest)), int(np.argmin(largest))
    found = [("the workplace cell with the largest establishment", top)]
    return tuple(found if top == bottom else [*found, ("the workplace cell with the smallest", bottom)])


def growth_pair(prepared: Cells, watched: tuple[str, int], *, alpha: Decimal, copies: int) -> NeighbourPair:
    """The largest establishment gains as many workers as allowed, all of the first kind."""
    words, workplace = watched
    vector, largest = vector_of(prepared, workplace)
    gained = growth(largest, Fraction(alpha))
    more = vector.copy()
    more[0] += gained
    return NeighbourPair(
        description=f"{words}: it gains or loses as many workers of one kind as the definition allows",
        first=repeated_block(more, largest + gained, prepared.domain, copies=copies),
        second=repeated_block(vector, largest, prepared.domain, copies=copies),
        copies=copies,
        outputs=len(vector),
    )


def vector_of(prepared: Cells, workplace: int) -> tuple[Integers, int]:
    """The worker cells of one workplace cell, and its largest establishment. Confidential: keep it inside."""
    combinations = prepared.domain.worker_combinations
    vector = prepared.count.reveal()[workplace * combinations : (workplace + 1) * combinations]
    return vector, int(prepared.workplace_largest.reveal()[workplace])


def growth_pairs(prepared: Cells, alpha: Decimal, copies: int) -> tuple[NeighbourPair, ...]:
    """The largest establishment of a workplace cell as it is, and grown as far as the definition allows."""
    return tuple(growth_pair(prepared, watched, alpha=alpha, copies=copies) for watched in watched_workplaces(prepared))


def least_total(domain: Domain) -> int:
    """The smallest total of a workplace cell: 1 where only cells with an establishment are listed, a public list."""
    return 1 if len(domain.workplace_cells) < domain.possible_workplace_cells else 0


def repeated_block(vector: Integers, largest: int, domain: Domain, *, copies: int) -> Confidential[Cells]:
    """`copies` workplace cells that are all alike, each with all the worker cells of the table's domain."""

    def column(values: NDArray[np.int64]) -> Confidential[Integers]:
        return Confidential(np.tile(values.astype(np.int64), copies))

    contribution = np.minimum(vector, largest)
    return Confidential(
        RepeatedCells(
            domain=Domain(
                workplace=(Attribute(name="copy", values=("the same workplace cell",)),),
                worker=domain.worker,
                workplace_cells=np.zeros((copies, 1), dtype=np.int32),
            ),
            count=column(vector),
            establishments=column(np.sign(vector)),
            largest=column(contribution),
            largest_total=column(np.where(vector > 0, largest, 0)),
            workplace_largest=Confidential(np.full(copies, largest, dtype=np.int64)),
            jobs=int(vector.sum()) * copies,
            establishments_total=copies,
            least=least_total(domain),
        )
    )

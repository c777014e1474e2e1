"""Neighbouring workplace cells from the definition of a claim: strong, weak, one worker, or a whole establishment.

A workplace cell holds at most two establishments. Every size stands alone, beside one as large, beside one of half the
size, and beside one that is larger by one worker. Strong: an establishment grows or shrinks as far as it may, or by one
worker, or the other one grows and overtakes; all in one worker cell, the fullest, the scarcest or an empty one. Weak:
as much growth as every group that attributes define allows. Worker: one person's jobs. Establishment: there or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.claims import Claim, Definition
from workbench.products.employment_tables.audit.claim_sizes import grid_sizes, step_down, step_up
from workbench.products.employment_tables.mechanisms.cell.neighbours import grown
from workbench.products.employment_tables.mechanisms.cell.steps import Window
from workbench.products.employment_tables.tabulation.cells import Attribute

_WITHOUT_WINDOW = Decimal("0.1")  # sizes for claims that name no α
WORDS = (
    "an establishment grows as far as the definition allows",
    "an establishment shrinks as far as the definition allows",
    "an establishment gains one worker",
    "the second establishment grows as far as it may, and overtakes the first where it can",
    "every group of workers grows as far as the definition allows",
    "one worker with as many jobs as the claim covers is present or absent",
    "an establishment is present or absent",
)
UP, DOWN, ONE, OTHER, GROUPS, WORKER, PRESENT = range(len(WORDS))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Pairs:
    """Two establishments before and after a step: pairs × worker cells each; the step and the size of each pair."""

    before: tuple[Integers, Integers]
    after: tuple[Integers, Integers]
    kind: Integers
    size: Integers
    form: Integers  # which workforce beside which other one, the same for all sizes

    def __len__(self) -> int:
        return len(self.kind)

    def taken(self, rows: Integers) -> Pairs:
        return Pairs(
            before=(self.before[0][rows], self.before[1][rows]),
            after=(self.after[0][rows], self.after[1][rows]),
            kind=self.kind[rows],
            size=self.size[rows],
            form=self.form[rows],
        )


def pairs_of(claim: Claim, worker: tuple[Attribute, ...], present: Integers, *, hidden: int = 0) -> Pairs | None:
    """Every pair of the grid for the claim's definition; None where it says nothing about workforces.

    `hidden` kinds of workers, the last ones, are in no cell of the table.
    """
    cells = int(np.prod([len(attribute.values) for attribute in worker], dtype=np.int64)) if worker else 1
    cells += hidden
    alpha = claim.alpha if claim.alpha is not None else _WITHOUT_WINDOW
    sizes = grid_sizes(alpha, present, coarse=cells > 1)
    made: list[tuple[Integers, Integers, Integers, Integers, int, int]] = []
    for number, first in enumerate(_workforces(sizes, cells)):
        for place, second in enumerate((np.zeros_like(first), first, first // 2, _one_more(first))):
            for kind, one, other in _steps(claim, alpha, worker, (first, second)):
                made.append((first, second, one, other, kind, 4 * number + place))
    if not made:
        return None
    stacked = [np.concatenate([entry[place] for entry in made]) for place in range(4)]
    kept = np.any((stacked[0] != stacked[2]) | (stacked[1] != stacked[3]), axis=1) & np.all(stacked[2] >= 0, axis=1)
    pairs = Pairs(
        before=(stacked[0], stacked[1]),
        after=(stacked[2], stacked[3]),
        kind=np.concatenate([np.full(len(entry[0]), entry[4], dtype=np.int64) for entry in made]),
        size=np.tile(np.arange(len(sizes)), len(made)),
        form=np.repeat([entry[5] for entry in made], len(sizes)),
    )
    return pairs.taken(np.flatnonzero(kept))


def _workforces(sizes: Integers, cells: int) -> Iterator[Integers]:
    """Establishments of each size: all of one kind; and where there are kinds of workers, evenly, and a tenth first."""
    alone = np.zeros((len(sizes), cells), dtype=np.int64)
    alone[:, 0] = sizes
    yield alone
    if cells == 1:
        return
    even = np.repeat(sizes[:, None] // cells, cells, axis=1)
    even[:, 0] += sizes - even.sum(axis=1)
    yield even
    tenth = np.zeros_like(alone)
    tenth[:, 0] = sizes // 10
    tenth[:, 1] = sizes - tenth[:, 0]
    yield tenth


def _one_more(first: Integers) -> Integers:
    more = first.copy()
    more[:, 0] += 1
    return more


Step = tuple[int, Integers, Integers]


def _steps(
    claim: Claim, alpha: Decimal, worker: tuple[Attribute, ...], state: tuple[Integers, Integers]
) -> Iterator[Step]:
    first, second = state
    if claim.definition is Definition.STRONG:
        yield from _strong(alpha, first, second)
    elif claim.definition is Definition.WEAK:
        gained = np.array([_grown(tuple(vector), worker, alpha) for vector in first.tolist()]).reshape(first.shape)
        yield GROUPS, first + gained, second
    elif claim.definition is Definition.EDGE:
        for cell in dict.fromkeys((0, first.shape[1] - 1)):
            yield WORKER, _moved(first, cell, np.full(len(first), max(claim.group_size, 1))), second
    elif claim.definition is Definition.NODE and not second.any():
        yield PRESENT, np.zeros_like(first), second
        yield PRESENT, first, first


@lru_cache(maxsize=8192)
def _grown(workforce: tuple[int, ...], worker: tuple[Attribute, ...], alpha: Decimal) -> tuple[int, ...]:
    return tuple(grown(np.array(workforce, dtype=np.int64), worker, Window(alpha=alpha)).tolist())


def _strong(alpha: Decimal, first: Integers, second: Integers) -> Iterator[Step]:
    size, other = first.sum(axis=1), second.sum(axis=1)
    for cell in dict.fromkeys((0, first.shape[1] - 1)):
        yield UP, _moved(first, cell, step_up(size, alpha)), second
        yield ONE, _moved(first, cell, np.ones_like(size)), second
        yield OTHER, first, _moved(second, cell, step_up(other, alpha))
    down = step_down(size, alpha)
    fullest = np.argmax(first, axis=1)
    less = first.copy()
    less[np.arange(len(first)), fullest] -= down
    yield DOWN, less, second


def _moved(workforce: Integers, cell: int, by: Integers) -> Integers:
    more = workforce.copy()
    more[:, cell] += by
    return more

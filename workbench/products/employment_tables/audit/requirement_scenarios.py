"""The requirements as pairs of workplace states that must stay within ε of each other.

Individuals (Definition 4.1), employer size (4.2) and employer shape (4.3) of Haney et al. (2017), section 4. Every
establishment here is made up, so nothing depends on data: sizes from none to a million, alone or beside others, and
those at which the mechanism says that it begins to treat an establishment differently (`turns`). Between what is
allowed the largest change is taken, and the smallest. A weak attacker is stood for by the workforces it expects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Protocol

import numpy as np

from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState, state_of

Pair = tuple[WorkplaceState, WorkplaceState]
Vector = tuple[int, ...]


class Pairs(Protocol):
    """Pairs of states at α for so many worker cells; `turns` are sizes to try besides the usual ones.

    Hashable, so that lists of pairs can be kept.
    """

    def __hash__(self) -> int: ...

    def __call__(self, alpha: Decimal, cells: int, turns: Vector = ()) -> Iterator[Pair]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One row of the matrix. `steps` pairs of the worst kind add up (two when a worker changes workplace)."""

    key: str
    name: str
    attacker: str
    compared: str
    pairs: Pairs
    steps: int = 1
    needs_worker_attributes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """One requirement with the log Bayes factor reached; `shown` is false where the table cannot tell at all."""

    requirement: Requirement
    loss: float
    shown: bool
    grows: bool = False


def sizes_to_try(alpha: Decimal, cells: int = 1, turns: Vector = ()) -> tuple[int, ...]:
    """Small sizes one by one, those around k/α where whole workers and shares take turns, then far apart.

    Of each turn also its part in one of `cells` equal groups, and what grows to it in one step.
    """
    shares = [int(k / alpha) + more for k in range(1, 6) for more in (-1, 0, 1, 2)]
    far = np.unique(np.rint(np.geomspace(40, 1_000_000, 24)).astype(np.int64)).tolist()
    asked = [part for turn in turns for part in (turn, turn // cells, int(turn / (1 + alpha)))]
    return tuple(sorted({size for size in (*range(40), *shares, *far, *asked) if size >= 0}))


def one_worker(alpha: Decimal, cells: int, turns: Vector = ()) -> Iterator[Pair]:
    """A worker is employed at an establishment or nowhere."""
    for size in sizes_to_try(alpha, cells, turns):
        for before in _layouts(size, cells):
            yield from _beside(before, _more(before, 1))


def one_attribute(alpha: Decimal, cells: int, turns: Vector = ()) -> Iterator[Pair]:
    """A worker has one attribute value or another, at the same establishment."""
    for size in sizes_to_try(alpha, cells, turns):
        for before in _layouts(size, cells):
            joined, other = _more(before, 1), list(before)
            other[-1] += 1
            yield from _beside(joined, tuple(other))


def size_step(alpha: Decimal, cells: int, turns: Vector = ()) -> Iterator[Pair]:
    """Sizes within one step of Definition 7.1, the new workers all of one kind, as an informed attacker may know."""
    yield from _grown(ROUND_FLOOR, alpha, cells, turns)


def size_ceiling(alpha: Decimal, cells: int, turns: Vector = ()) -> Iterator[Pair]:
    """Sizes x and ⌈(1+α)x⌉, which Definition 4.2 asks for and Definition 7.1 does not reach."""
    yield from _grown(ROUND_CEILING, alpha, cells, turns)


def size_in_proportion(alpha: Decimal, cells: int, turns: Vector = ()) -> Iterator[Pair]:
    """Every group grows in proportion: all that a weak attacker, to whom workers are alike, has reason to expect."""
    for size in sizes_to_try(alpha, cells, turns):
        before = (size,) * cells
        grown = tuple(part + _share(alpha, part, ROUND_FLOOR) for part in before)
        yield from _beside(before, grown if grown != before else _more(before, 1))


def shape_of_any_group(alpha: Decimal, cells: int, turns: Vector = ()) -> Iterator[Pair]:
    """A group's share p or (1+α)p at the same size: as many workers of another kind leave as join."""
    for size in sizes_to_try(alpha, cells, turns):
        more = _share(alpha, size, ROUND_FLOOR)
        if more:
            for other in (more, size, 10 * size):
                rest = (0,) * (cells - 2)
                yield from _beside((size, other, *rest), (size + more, other - more, *rest))


def shape_of_equal_groups(alpha: Decimal, cells: int, turns: Vector = ()) -> Iterator[Pair]:
    """The same where all groups are equally large, as a weak attacker expects; leavers are spread over the others."""
    for size in sizes_to_try(alpha, cells, turns):
        more = _share(alpha, size, ROUND_FLOOR)
        if more:
            each, left = divmod(more, cells - 1)
            others = tuple(size - each - (1 if number < left else 0) for number in range(cells - 1))
            yield from _beside((size,) * cells, (size + more, *others))


def _grown(rounding: str, alpha: Decimal, cells: int, turns: Vector) -> Iterator[Pair]:
    for size in sizes_to_try(alpha, cells, turns):
        more = max(_share(alpha, size, rounding), 1)
        for before in _layouts(size, cells):
            yield from _beside(before, _more(before, more))


def _share(alpha: Decimal, size: int, rounding: str) -> int:
    return int((alpha * size).to_integral_value(rounding=rounding))


def _more(before: Vector, workers: int) -> Vector:
    return (before[0] + workers, *before[1:])


def _layouts(size: int, cells: int) -> Iterator[Vector]:
    """The workforce: all of the first kind, none of the first kind, or all kinds alike."""
    yield (size, *(0,) * (cells - 1))
    if cells > 1:
        yield (0, size, *(0,) * (cells - 2))
        yield (size - size // cells * (cells - 1), *(size // cells,) * (cells - 1))


def _beside(before: Vector, after: Vector) -> Iterator[Pair]:
    """Alone in the workplace cell; beside one just as large, which it overtakes; beside one ten times as large."""
    yield state_of((before,)), state_of((after,))
    if any(before):
        for times in (1, 10):
            other = tuple(times * part for part in before)
            yield state_of((before, other)), state_of((after, other))


REQUIREMENTS: tuple[Requirement, ...] = (
    Requirement(
        key="worker_present",
        name="Individuals (4.1)",
        attacker="informed, weak",
        compared="employed here, or nowhere",
        pairs=one_worker,
    ),
    Requirement(
        key="worker_moves",
        name="Individuals (4.1)",
        attacker="informed, weak",
        compared="employed at one establishment, or at another",
        pairs=one_worker,
        steps=2,
    ),
    Requirement(
        key="worker_attribute",
        name="Individuals (4.1)",
        attacker="informed",
        compared="one attribute value, or another",
        pairs=one_attribute,
        needs_worker_attributes=True,
    ),
    Requirement(
        key="size_informed",
        name="Employer size (4.2)",
        attacker="informed",
        compared="sizes within one step: x and max((1+α)x, x+1)",
        pairs=size_step,
    ),
    Requirement(
        key="size_ceiling",
        name="Employer size (4.2)",
        attacker="informed",
        compared="up to the ceiling: x and ⌈(1+α)x⌉",
        pairs=size_ceiling,
    ),
    Requirement(
        key="size_weak",
        name="Employer size (4.2)",
        attacker="weak",
        compared="all groups grow in proportion, as it expects",
        pairs=size_in_proportion,
    ),
    Requirement(
        key="shape_informed",
        name="Employer shape (4.3)",
        attacker="informed",
        compared="any group's share p, or (1+α)p, at the same size",
        pairs=shape_of_any_group,
        needs_worker_attributes=True,
    ),
    Requirement(
        key="shape_weak",
        name="Employer shape (4.3)",
        attacker="weak",
        compared="share p, or (1+α)p, of equally large groups, as it expects",
        pairs=shape_of_equal_groups,
        needs_worker_attributes=True,
    ),
)

"""Differences of nested cells of different groupings, as cells under the primary rules.

Ages 0–17 in one grouping and under 16 in another leave 16–17, which no table lists. Such a cell is never printed, so it
is withheld from the start, and its equation ties it to the cells that give it away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from workbench.baselines.suppression.code_ranges import EVERYTHING, Range, covers, open_below, range_of
from workbench.baselines.suppression.contributions import Contributions, behind, summed
from workbench.baselines.suppression.joining import Held, Joined, difference, held_by
from workbench.baselines.suppression.lattice import Key, Lattice, Line
from workbench.baselines.suppression.system import System, signed
from workbench.core.errors import Defect

Found = tuple[Key, int, list[int]]  # the new cell's name, its whole, the parts taken away


def with_differences(system: System, joint: Joined, *, kept: int) -> System:
    """The system with one more cell and equation for each difference."""
    found = [each for pair in _groupings(joint.names) for each in _nested(system.lattice, *pair)]
    given = system.contributions
    if not found:
        return system
    if given is None:
        raise Defect("differences of cells need to know who is behind them")
    lattice = replace(system.lattice, keys=[*system.lattice.keys], numbers={**system.lattice.numbers})
    lines, values = [*system.lines], system.values.tolist()
    cells, holders, amounts = [given.cell], [given.holder], [given.amount]
    for key, whole, parts in found:
        left = values[whole] - sum(values[part] for part in parts)
        own = _left(given, whole, parts, left)
        number = lattice.number(key)
        values.append(left)
        lines.append(Line(0, whole, (*parts, number)))
        cells.append(np.full(len(own), number))
        holders.append(np.array(list(own), dtype=np.int64))
        amounts.append(np.array(list(own.values())))
    many, amount = len(values), np.array(values)
    contributions = summed(np.concatenate(cells), np.concatenate(holders), np.concatenate(amounts), cells=many)
    matrix = signed(lines, many)
    return replace(
        system,
        lattice=lattice,
        lines=tuple(lines),
        matrix=matrix,
        by_cell=matrix.tocsc(),
        values=amount,
        behind=behind(contributions, amount, kept=kept),
        contributions=contributions,
        unlisted=system.unlisted + len(found),
    )


def _left(given: Contributions, whole: int, parts: Sequence[int], left: float) -> Held:
    taken: Held = {}
    for part in parts:
        for holder, amount in held_by(given, part).items():
            taken[holder] = taken.get(holder, 0.0) + amount
    return difference(held_by(given, whole), taken, left)


def _groupings(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ordered pairs of dimensions that group the same column."""
    for one, name in enumerate(names):
        for other, same in enumerate(names):
            if one != other and name == same:
                yield one, other


def _nested(lattice: Lattice, one: int, other: int) -> Iterator[Found]:
    """Cells of the first grouping that hold ranges of the second and something more."""
    alike: dict[Key, tuple[dict[Range, int], dict[Range, int]]] = {}
    for number, key in enumerate(lattice.keys):
        if key[one] is not None and key[other] is not None:
            continue
        rest = tuple(None if place in (one, other) else code for place, code in enumerate(key))
        both = alike.setdefault(rest, ({}, {}))
        for side, place in enumerate((one, other)):
            stretch = _stretch(key[place]) if key[place] is not None else None
            if stretch is not None:
                both[side].setdefault(stretch, number)
    for wholes, others in alike.values():
        for stretch, whole in wholes.items():
            inside = sorted(part for part in others if part != stretch and _within(part, stretch))
            apart = all(a[1] < b[0] for a, b in pairwise(inside))
            if inside and apart and not covers(stretch, inside):
                parts = [others[part] for part in inside]
                yield _named(lattice.keys[whole], one, [lattice.keys[part][other] for part in parts]), whole, parts


def _stretch(code: str | None) -> Range | None:
    if code is None:
        return EVERYTHING
    found = range_of(code)
    return None if found is None else open_below(found)


def _within(part: Range, whole: Range) -> bool:
    return whole[0] <= part[0] and part[1] <= whole[1]


def _named(key: Key, place: int, taken: Sequence[str | None]) -> Key:
    words = f"{key[place]} without {', '.join(str(code) for code in taken)}"
    return (*key[:place], words, *key[place + 1 :])

"""Columns of few positions packed into one: what is counted once for several columns, and summed for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers

Numbers = Integers | Floats

_WIDEST = 256  # one byte a row; a table of two bundles then stays in the processor's cache
_ROWS_PER_CELL = 8  # a table of two bundles never outweighs the rows that are counted into it


def widest_bundle(rows: int, sizes: Sequence[int]) -> int:
    """How many joint positions columns may have together, where so many rows are counted."""
    cells = rows // _ROWS_PER_CELL
    return min(_WIDEST, math.isqrt(cells), cells // max(1, *sizes))


def packed(sizes: Sequence[int], widest: int) -> list[tuple[int, ...]]:
    """Columns that go together, the largest first, each where it leaves the least room; a wide one stays alone."""
    bundles: list[tuple[int, list[int]]] = []
    for column in sorted(range(len(sizes)), key=lambda place: (-sizes[place], place)):
        fits = [at for at, (joint, _) in enumerate(bundles) if joint * sizes[column] <= widest]
        if fits:
            at = max(fits, key=lambda at: bundles[at][0])
            bundles[at] = (bundles[at][0] * sizes[column], [*bundles[at][1], column])
        else:
            bundles.append((sizes[column], [column]))
    return [tuple(sorted(members)) for _, members in bundles]


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """Some columns as one: the joint position of every row, the first column slowest."""

    members: tuple[int, ...]
    codes: NDArray[np.integer]
    size: int
    belongs: Floats | None  # joint positions × positions of all members: which belongs to which; None: one member
    places: tuple[slice, ...]  # of each member among the positions of all

    @classmethod
    def of(cls, columns: Sequence[NDArray[np.integer]], sizes: Sequence[int], members: tuple[int, ...]) -> Bundle:
        own = [sizes[member] for member in members]
        size, ends = math.prod(own), np.cumsum([0, *own]).tolist()
        places = tuple(slice(first, last) for first, last in pairwise(ends))
        if len(members) == 1:
            return cls(members=members, codes=columns[members[0]], size=size, belongs=None, places=places)
        narrow = np.min_scalar_type(max(size - 1, *own))
        codes = columns[members[0]].astype(narrow)
        for member in members[1:]:
            codes *= narrow.type(sizes[member])
            codes += columns[member].astype(narrow, copy=False)
        belongs = np.zeros((size, ends[-1]))
        for positions, first in zip(np.indices(own).reshape(len(own), size), ends[:-1], strict=True):
            belongs[np.arange(size), first + positions] = 1.0
        return cls(members=members, codes=codes, size=size, belongs=belongs, places=places)

    def by_member(self, joint: Numbers) -> Numbers:
        """Rows of joint positions summed to the positions of every member; counts below 2^53 stay exact."""
        return joint if self.belongs is None else self.belongs.T @ joint

    def step(self, member: int) -> int:
        """How far the joint position moves where this member moves by one."""
        after = self.members.index(member) + 1
        return math.prod(place.stop - place.start for place in self.places[after:])

"""Somebody who knows more than everybody, and holders of tables that come without the names of their contributors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.baselines.suppression.system import System
from workbench.core.arrays import Floats, Integers

NOBODY = -1


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Insider:
    """Bounds that are tighter in the given cells than those that everybody knows."""

    holders: tuple[int, ...]
    cells: Integers
    low: Floats
    high: Floats


def unnamed_holders(system: System, low: Floats) -> Iterator[Insider]:
    """The largest contributor of each cell, where nobody says in which other cells it is too.

    It is certainly in every coarser cell, and in a finer one that holds all of its cell. In a table of counts without
    contributors each unit counts one: only a cell of one is known to somebody.
    """
    if system.behind is None and not system.counts:
        return
    share = np.ones(system.cells) if system.behind is None else system.behind.largest[:, 0]
    many = system.values if system.behind is None else system.behind.contributors
    same = _same_contributors(system)
    seen: set[tuple[bytes, bytes]] = set()
    for cell in np.flatnonzero((system.values > 0) & ((many == 1) | (share > low + 1e-12))):
        cells = _certainly(system, same[int(cell)] if int(cell) in same else [int(cell)])
        alone = many[cells] == 1
        least = np.where(alone, system.values[cells], np.maximum(share[cell], low[cells]))
        if (cells.tobytes(), least.tobytes()) not in seen:
            seen.add((cells.tobytes(), least.tobytes()))
            high = np.where(alone, system.values[cells], np.inf)
            yield Insider(holders=(NOBODY,), cells=cells, low=least, high=high)


def _certainly(system: System, cells: list[int]) -> Integers:
    """The cells that a contributor of these is in: they and all coarser ones."""
    lattice = system.lattice
    above = {lattice.numbers[key] for cell in cells for key in lattice.ancestors(lattice.keys[cell])
             if key in lattice.numbers}  # fmt: skip
    return np.array(sorted(above), dtype=np.int64)


def _same_contributors(system: System) -> dict[int, list[int]]:
    """Groups of cells that are one and the same set of contributors: a total with a single part that is not zero."""
    group: dict[int, list[int]] = {}
    for line in system.lines:
        filled = [part for part in line.parts if system.values[part] > 0]
        if len(filled) == 1:
            one, other = group.get(filled[0], [filled[0]]), group.get(line.whole, [line.whole])
            joined = sorted({*one, *other})
            group |= dict.fromkeys(joined, joined)
    return group

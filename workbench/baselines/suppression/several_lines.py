"""Sums of suppressed cells that several lines together tell, and that fail a primary rule.

The suppressed cells of a line have a known sum where its total is published. A total inside such a sum can be replaced
by its parts, and where one known sum is part of another their difference is known too. What is found so becomes a cell
that no table lists, with a level of its own. A sum can only fail where one of its cells does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from workbench.baselines.suppression.lattice import Key, Lattice
from workbench.baselines.suppression.system import System
from workbench.baselines.suppression.task import Task
from workbench.baselines.suppression.virtual_cells import Found, Sum, grown
from workbench.core.arrays import Bools
from workbench.core.progress import QUIET, Context

Cells = frozenset[int]
_ROUNDS = 4
_MOST_CELLS = 40  # of one sum
_MOST_SUMS = 20_000
_MOST_NAMED = 4
_STEP = 100


def telling_sums(task: Task, suppressed: Bools, context: Context = QUIET) -> list[Cells]:
    """Those that fail a primary rule and are not the suppressed cells of one line. Without unions, none."""
    judge = task.sensitive
    if judge is None:
        return []
    lines, _ = _lines(task.system, suppressed, frozenset())
    found: list[Cells] = []
    for cells in _known(task, suppressed, context) - lines:
        if len(cells) > 1 and any(task.primary[cell] for cell in cells) and judge(np.array(sorted(cells))):
            found.append(cells)
    return [cells for cells in found if not any(other < cells for other in found)]


def with_sums(system: System, sums: Iterable[Cells], *, kept: int) -> System:
    """The system with a cell for each of these sums."""
    found = Found({}, [])
    for cells in sums:
        parts = tuple(sorted(cells))
        key = _named(system.lattice, parts)
        while key in found.atoms:
            key = (f"{key[0]} ", *key[1:])
        found.atoms[key] = dict.fromkeys(parts, 1)
        found.sums.append(Sum(whole=key, parts=parts))
    return grown(system, found, kept=kept)


def _named(lattice: Lattice, parts: tuple[int, ...]) -> Key:
    said = [lattice.words(cell) for cell in parts[:_MOST_NAMED]]
    more = [f"{len(parts) - _MOST_NAMED} more"] if len(parts) > _MOST_NAMED else []
    return (" and ".join([*said, *more]), *(None for _ in lattice.dimensions[1:]))


def _lines(system: System, suppressed: Bools, derived: Cells) -> tuple[set[Cells], dict[int, list[Cells]]]:
    """The sums that single lines tell, and what suppressed totals are made of, without cells that are known."""
    known: set[Cells] = set()
    inside: dict[int, list[Cells]] = defaultdict(list)
    for line in system.lines:
        hidden = frozenset(cell for cell in line.parts if suppressed[cell] and cell not in derived)
        if not hidden or len(hidden) > _MOST_CELLS:
            continue
        if suppressed[line.whole] and line.whole not in derived:
            inside[line.whole].append(hidden)
        else:
            known.add(hidden)
    return known, inside


def _known(task: Task, suppressed: Bools, context: Context) -> set[Cells]:
    """Sums that are known exactly."""
    derived: Cells = frozenset()
    while True:
        known, inside = _lines(task.system, suppressed, derived)
        alone = frozenset(cell for cells in known if len(cells) == 1 for cell in cells)
        if not alone:
            break
        derived |= alone
    fresh = set(known)
    for _ in range(_ROUNDS):
        context.step(0.0, f"looking for sums that several lines tell: {len(known):,}")
        made = {cells for cells in _followed(fresh, known, inside, context) if cells and len(cells) <= _MOST_CELLS}
        fresh = made - known
        if not fresh or len(known) + len(fresh) > _MOST_SUMS:
            break
        known |= fresh
    return known


def _followed(
    fresh: set[Cells], known: set[Cells], inside: dict[int, list[Cells]], context: Context
) -> Iterator[Cells]:
    """What follows from a new sum: totals in it replaced by their parts, and what other sums leave of it."""
    smallest: dict[int, list[Cells]] = defaultdict(list)
    for cells in known:
        smallest[min(cells)].append(cells)
    for number, cells in enumerate(fresh):
        if number % _STEP == 0:
            context.step(0.0, f"looking for sums that several lines tell: {len(known):,}")
        for cell in cells:
            for parts in inside.get(cell, ()):
                if not parts & cells:
                    yield (cells - {cell}) | parts
            for other in smallest.get(cell, ()):
                if other < cells:
                    yield cells - other

"""The first half of the exact scheme: the master without whole cells, cut by attackers of fractions of cells.

With a fraction x of a cell suppressed an attacker can move it by that fraction of its room. Whatever prices this gives,
the cut they make holds for every safe pattern (see `exact`), and linear programmes are solved so fast that most of what
the master must learn can be learnt before it looks for whole cells.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from workbench.baselines.suppression.check import Breach, Checker
from workbench.baselines.suppression.cuts import cut_of
from workbench.baselines.suppression.insiders import Insider
from workbench.baselines.suppression.master import Cut, Master
from workbench.baselines.suppression.programme import Programme
from workbench.baselines.suppression.task import Task, bounds_of
from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context

_MOST_ROUNDS = 60
_STALLED = 6  # rounds without a better bound
_FRACTION = 1e-6
_MOST_INSIDERS = 400  # who are asked about fractions; the others are asked about whole cells


def learn(task: Task, master: Master, checker: Checker, until: float, context: Context) -> int:
    """Add cuts until fractions teach nothing more; returns the number of rounds.

    A level that no pattern keeps makes no cut: what it can be is found with whole cells.
    """
    best, stalled = -np.inf, 0
    for number in range(_MOST_ROUNDS):
        shares, bound = master.relaxed()
        context.step(0.0, f"round {number + 1:,} with fractions of cells: at least {int(np.ceil(bound)):,} in weight")
        stalled = 0 if bound > best + 1e-6 else stalled + 1
        best = max(best, bound)
        found = dict.fromkeys(_separated(task, shares, checker))
        cuts = [cut for cut in found if cut.possible and cut.violation(shares) > 1e-4]
        if not cuts or stalled >= _STALLED or time.process_time() > until:
            return number
        master.add(cuts)
    return _MOST_ROUNDS


def _separated(task: Task, shares: Floats, checker: Checker) -> Iterator[Cut]:
    cells = np.flatnonzero(shares > _FRACTION)
    place = np.full(task.system.cells, -1)
    place[cells] = np.arange(len(cells))
    targets = [(int(cell), sign) for cell in np.flatnonzero(task.primary) for sign in (1, -1)]
    beaten: set[tuple[int, int]] = set()
    programme = Programme(task.system.matrix, cells, np.zeros(len(cells)), np.zeros(len(cells)))
    for insider in (None, *task.attackers.insiders[:_MOST_INSIDERS]):
        near = None if insider is None else _near(task, insider, shares)
        if near is not None and not len(near):
            continue
        room = _Room(task, shares, cells, insider, programme)
        for cell, sign in targets if near is None else [(cell, sign) for cell in near for sign in (1, -1)]:
            checker.step("looking for what attackers of fractions of cells teach")
            level = room.level(cell, sign, checker)
            if level <= 0 or (cell, sign) in beaten:
                continue
            reached = room.reached(int(place[cell]), sign, level)
            if reached < 1 - 1e-4:
                beaten.add((cell, sign))
                prices = room.programme.prices()
                breach = Breach(cell=cell, sign=sign, level=level, reached=reached, insider=insider, prices=prices)
                yield cut_of(task, breach, shares > 0.5)


def _near(task: Task, insider: Insider, shares: Floats) -> list[int]:
    """Primary cells in a line with something that the insider knows: farther away it rarely matters."""
    known = insider.cells[shares[insider.cells] > _FRACTION]
    lines = {int(line) for cell in known for line in task.system.lines_of(int(cell))}
    found = {int(cell) for line in lines for cell in task.system.cells_of(line) if task.primary[cell]}
    return sorted(found)


class _Room:
    """How far one attacker leaves cells to move, by the share of each that is suppressed."""

    def __init__(
        self, task: Task, shares: Floats, cells: Integers, insider: Insider | None, programme: Programme
    ) -> None:
        low, high = bounds_of(task, insider)
        self._task, self._insider = task, insider
        self._shares = shares[cells]
        self._below = (low - task.system.values)[cells]
        self._above = (high - task.system.values)[cells]
        self._low, self._high = low - task.system.values, high - task.system.values
        self._scale = 0.0
        self.programme = programme

    def level(self, cell: int, sign: int, checker: Checker) -> float:
        own = self._task.upper[cell] if sign > 0 else self._task.lower[cell]
        most = self._high[cell] if sign > 0 else -self._low[cell]
        eased = min(checker.eased.get((cell, sign, id(who)), np.inf) for who in (None, self._insider))
        return float(min(own, most, eased))

    def reached(self, column: int, sign: int, level: float) -> float:
        """The farthest move as a share of the level; no cell needs to move by more than the level itself."""
        if level != self._scale:
            self._scale = level
            below = np.maximum(self._below / level, -1.0) * self._shares
            above = np.minimum(self._above / level, 1.0) * self._shares
            self.programme.limit(np.arange(len(self._shares)), below, above)
        return self.programme.farthest(column, sign)[0]

"""Complementary suppression without a proof of the optimum: one linear programme for each level that is missed.

The programme finds the cheapest flow that moves a primary cell by its level (`flow`), and every cell that flows is
suppressed. The attacker check has the last word, and what it finds is filled again. Then secondary cells are published
again, dearest first, where the check still passes.
"""

from __future__ import annotations

import math
import time

import numpy as np

from workbench.baselines.suppression.check import Breach, Checker
from workbench.baselines.suppression.flow import Flow
from workbench.baselines.suppression.sparing import Sparing
from workbench.baselines.suppression.task import Task, bounds_of
from workbench.core.arrays import Bools
from workbench.core.errors import Defect
from workbench.core.progress import QUIET, Context, Forward, Part

_MOST_ROUNDS = 200


def filled(
    task: Task, checker: Checker, context: Context, *, start: Bools | None = None, free: Bools | None = None
) -> tuple[Bools, tuple[Breach, ...]]:
    """A safe pattern, and the levels that none can keep. `free` cells cost nothing, as a master has chosen them."""
    suppressed = task.must.copy() if start is None else start | task.must
    flow = Filler(task, free)
    unreachable: list[Breach] = []
    for number in range(_MOST_ROUNDS):
        breaches = sorted(checker.breaches(suppressed), key=lambda breach: -breach.level)
        lines = list(checker.telling(suppressed))
        context.step(number / (number + 4), f"filling: {len(breaches):,} levels missed")
        if not breaches and not lines:
            return suppressed, tuple(unreachable)
        for breach in breaches:
            checker.step(f"filling: {len(breaches):,} levels missed")
            moved = flow.cheapest(breach.cell, breach.sign, breach.level, suppressed, breach)
            if moved is None:
                unreachable.append(checker.ease(breach))
            else:
                suppressed |= moved
        for line in lines:
            company = _company(task, flow, line, suppressed)
            if company is None:
                checker.excused.add(line)
            else:
                suppressed |= company
    raise Defect("complementary suppression did not come to an end")


def spared(
    task: Task, checker: Checker, suppressed: Bools, context: Context, *, until: float = math.inf
) -> Bools:  # fmt: skip
    """The pattern without secondary cells that it does not need, dearest first, as far as processor time allows."""
    extra = np.flatnonzero(suppressed & ~task.must)
    if not len(extra):
        return suppressed
    sparing = Sparing(checker, suppressed)
    for done, cell in enumerate(extra[np.argsort(-task.weights[extra], kind="stable")].tolist()):
        context.step(done / len(extra), f"publishing again what is not needed: {done:,} of {len(extra):,} cells")
        if time.process_time() > until:
            break
        if not _gives_away(task, checker, sparing.pattern, cell):
            sparing.without(cell)
    return sparing.pattern


def _gives_away(task: Task, checker: Checker, pattern: Bools, cell: int) -> bool:
    """Whether a line of the cell would tell a primary cell, or a sum that fails the rule, were it published."""
    without = pattern.copy()
    without[cell] = False
    lines = task.system.lines_of(cell).tolist()
    for line in lines:
        cells = task.system.cells_of(line)
        hidden = cells[without[cells]]
        if len(hidden) == 1 and task.primary[hidden[0]]:
            return True
    return next(checker.telling(without, lines), None) is not None


def _company(task: Task, flow: Filler, line: int, suppressed: Bools) -> Bools | None:
    """One more cell of the line, with what keeps it uncertain, so that the sum of its suppressed cells passes the rule.

    Where no single cell is enough, the cheapest is taken and the next round looks again. None where no cell can ever
    help: not where another line of the same round has just taken the total, as it could be published again.
    """
    parts = np.array([task.system.lines[line].whole, *task.system.lines[line].parts], dtype=np.int64)
    if suppressed[parts[0]]:
        return np.zeros(task.system.cells, dtype=bool)
    hidden = parts[1:][suppressed[parts[1:]]]
    ready = [int(cell) for cell in parts if not suppressed[cell] and not task.published[cell]]
    whole = int(parts[0])
    judge = task.sensitive
    enough = [cell for cell in ready if cell == whole or (judge and not judge(np.append(hidden, cell)))]
    for cell in sorted(enough or ready, key=lambda each: task.weights[each]):
        step = 1.0 if task.whole else 0.1 * (float(task.system.values[cell]) or 1.0)
        moved = flow.cheapest(cell, 1, step, suppressed, None)
        if moved is not None:
            moved[cell] = True
            return moved
    return None


class Filler:
    """The cheapest cells to suppress so that one more level is kept: c = weight / min(room, level)."""

    def __init__(self, task: Task, free: Bools | None = None) -> None:
        self._task = task
        self._free = np.zeros(task.system.cells, dtype=bool) if free is None else free
        self._flow = Flow(task.system.matrix, np.flatnonzero(~task.published))

    def cheapest(
        self, cell: int, sign: int, level: float, suppressed: Bools, breach: Breach | None
    ) -> Bools | None:  # fmt: skip
        """The cells that move when this one moves by so much; None where it cannot."""
        task, cells = self._task, self._flow.cells
        low, high = bounds_of(task, breach.insider if breach is not None else None)
        above, below = (high - task.system.values)[cells], (task.system.values - low)[cells]
        weights = np.where(suppressed | self._free, 1e-6, task.weights)[cells]
        room = np.concatenate([np.minimum(above, level), np.minimum(below, level)]) / level
        self._flow.price(np.concatenate([weights, weights]) / np.maximum(room, 1e-9))
        whole = breach is not None and breach.prices is None
        place = int(np.searchsorted(cells, cell))
        move = self._flow.cheapest(place, sign, level, above=above, below=below, whole=whole)
        if move is None:
            return None
        moved = np.zeros(task.system.cells, dtype=bool)
        moved[cells[move != 0]] = True
        return moved


def heuristic(
    task: Task,
    *,
    context: Context = QUIET,
    checker: Checker | None = None,
    spare: bool = True,
    seconds: float = math.inf,
) -> tuple[Bools, tuple[Breach, ...]]:
    """A safe pattern without a bound: filled, then spared until so much processor time is over."""
    until = time.process_time() + seconds
    context = Forward(context)
    checker = checker or Checker(task, Part(context, 0.0, 0.0))
    suppressed, unreachable = filled(task, checker, Part(context, 0.0, 0.5))
    if spare:
        suppressed = spared(task, checker, suppressed, Part(context, 0.5, 1.0), until=until)
    return suppressed, unreachable

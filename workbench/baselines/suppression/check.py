"""The attacker check: whether every primary cell keeps its level against every attacker.

Each linear programme that reaches a level leaves a table that fits all published cells. Such a table shows the level
for every attacker whose bounds it respects, and in later patterns that suppress all cells it moves. Most programmes
need not be solved again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from workbench.baselines.suppression.evidence import Evidence, Moves
from workbench.baselines.suppression.flow import Flow
from workbench.baselines.suppression.insiders import Insider
from workbench.baselines.suppression.programme import Programme
from workbench.baselines.suppression.task import Task, bounds_of
from workbench.baselines.suppression.unions import telling_lines
from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.progress import QUIET, Context

TOLERANCE = 1e-6  # of a level, relative to it and to one
_ENOUGH = 2  # insiders who undercut one level, before the others are left for the next pattern


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Breach:
    """A level that an attacker undercuts. `prices` are the duals that prove it; absent for whole numbers."""

    cell: int
    sign: int  # +1: too little room above; −1: below
    level: float
    reached: float
    insider: Insider | None  # None: an outsider
    prices: Floats | None = None


def short_of(reached: float | Floats, level: float | Floats) -> Bools:
    """Whether a level is missed by more than rounding."""
    missed: Bools = np.asarray(reached < level - TOLERANCE * np.maximum(1.0, level))
    return missed


class Checker:
    """Checks patterns one after another and remembers what showed levels to be kept."""

    def __init__(self, task: Task, context: Context = QUIET) -> None:
        self.task = task
        self.evidence = Evidence()
        self.programmes = 0
        self.eased: dict[tuple[int, int, int], float] = {}  # levels that no pattern reaches: what one can reach
        self.excused: set[int] = set()  # lines in which no other cell can be suppressed
        self._context = context

    def safe(self, suppressed: Bools) -> bool:
        """Whether a pattern keeps every level against every attacker."""
        return next(self.breaches(suppressed), None) is None

    def telling(self, suppressed: Bools) -> Iterator[int]:
        """Lines whose suppressed cells together fail the primary rule, without those that nothing can help."""
        return (line for line in telling_lines(self.task, suppressed) if line not in self.excused)

    def ease(self, breach: Breach) -> Breach:
        """Ask no more from now on than suppressing everything would give; returns the breach with that level."""
        reached = reach(self.task, breach, ~self.task.published)
        self.eased[breach.cell, breach.sign, id(breach.insider)] = reached
        return replace(breach, reached=reached)

    def breaches(self, suppressed: Bools) -> Iterator[Breach]:
        """The levels that a pattern does not keep. A level that several undercut is told of a few of them."""
        task = self.task
        values = task.system.values
        cells = np.flatnonzero(suppressed)
        if not len(cells):
            return
        place = np.full(len(suppressed), -1)
        place[cells] = np.arange(len(cells))
        low, high = task.attackers.low[cells] - values[cells], task.attackers.high[cells] - values[cells]
        programme = Programme(task.system.matrix, cells, low, high)
        shown = _Shown(self, programme, suppressed, place)
        for insider in (None, *relevant(task, suppressed)):
            self._context.step(0.0, f"checking {len(cells):,} suppressed cells against attackers")
            for breach in shown.breaches(insider):
                shown.told[breach.cell, breach.sign] += _ENOUGH if insider is None else 1
                yield breach


def reach(task: Task, breach: Breach, suppressed: Bools) -> float:
    """How far the cell of a breach can move for that attacker where all of these cells are suppressed."""
    cells = np.flatnonzero(suppressed)
    values = task.system.values[cells]
    low, high = bounds_of(task, breach.insider)
    programme = Programme(task.system.matrix, cells, low[cells] - values, high[cells] - values)
    programme.whole_numbers(task.whole)
    return programme.farthest(int(np.searchsorted(cells, breach.cell)), breach.sign)[0]


def lost_to_others(task: Task, breach: Breach) -> bool:
    """Whether a level that cannot be kept could be, had no cell been printed but zeros.

    Otherwise it is lost to what the attacker knows itself.
    """
    if breach.insider is None:
        return True
    free = reach(task, breach, (task.system.values > 0) | ~task.published)
    return bool(short_of(breach.reached, min(free, breach.level)))


class _Shown:
    """The evidence of one pattern, growing while it is checked."""

    def __init__(self, checker: Checker, programme: Programme, suppressed: Bools, place: Integers) -> None:
        task = checker.task
        self._checker, self._programme, self._place = checker, programme, place
        self.told: Counter[tuple[int, int]] = Counter()
        self._suppressed = suppressed
        self._targets = np.flatnonzero(task.primary)
        self._columns = place[self._targets]
        self._flow = Flow(task.system.matrix, programme.cells)
        self._moves = Moves(checker.evidence.inside(suppressed, place))

    def breaches(self, insider: Insider | None) -> Iterator[Breach]:
        task = self._checker.task
        columns, low, high = self._bounds(insider)
        levels = {+1: task.upper[self._targets].copy(), -1: task.lower[self._targets].copy()}
        if insider is not None:
            self._inside_bounds(levels, columns, low, high)
        for (cell, sign, who), level in self._checker.eased.items():
            if who == id(insider):
                levels[sign][np.searchsorted(self._targets, cell)] = level
        pending = self._pending(levels, columns, low, high)
        if not pending:
            return
        programme = self._programme
        programme.limit(columns, low, high)
        for target, sign in pending:
            level = float(levels[sign][target])
            enough = self.told[int(self._targets[target]), sign] >= _ENOUGH
            if enough or self._seen(target, sign, level, columns, low, high):
                continue
            yield from self._attack(target, sign, level, insider)
        programme.release(columns)

    def _bounds(self, insider: Insider | None) -> tuple[Integers, Floats, Floats]:
        """What the insider knows more of the suppressed cells, as bounds of deviations."""
        if insider is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
        known = self._suppressed[insider.cells]
        cells = insider.cells[known]
        values = self._checker.task.system.values[cells]
        return self._place[cells], insider.low[known] - values, insider.high[known] - values

    def _inside_bounds(self, levels: dict[int, Floats], columns: Integers, low: Floats, high: Floats) -> None:
        """No attacker leaves a cell more room than its own knowledge; what it knows completely is no secret from it."""
        for column, below, above in zip(columns, low, high, strict=True):
            target = np.flatnonzero(self._columns == column)
            levels[-1][target] = np.minimum(levels[-1][target], -below)
            levels[+1][target] = np.minimum(levels[+1][target], above)

    def _pending(
        self, levels: dict[int, Floats], columns: Integers, low: Floats, high: Floats
    ) -> list[tuple[int, int]]:
        moves = self._moves.within(columns, low, high)[:, self._columns]
        above, below = moves.max(axis=0, initial=0.0), -moves.min(axis=0, initial=0.0)
        missing = {+1: short_of(above, levels[+1]), -1: short_of(below, levels[-1])}
        return [(int(target), sign) for sign in (1, -1) for target in np.flatnonzero(missing[sign])]

    def _seen(
        self, target: int, sign: int, level: float, columns: Integers, low: Floats, high: Floats
    ) -> bool:  # fmt: skip
        """Whether a table found since shows this level too."""
        recent = self._moves.recent()
        part = recent[:, columns]
        fits = np.all((part >= low - 1e-9) & (part <= high + 1e-9), axis=1)
        return bool(np.any(fits & ~short_of(sign * recent[:, self._columns[target]], level)))

    def _attack(self, target: int, sign: int, level: float, insider: Insider | None) -> Iterator[Breach]:
        checker, cells = self._checker, self._programme.cells
        checker.programmes += 1
        column, cell = int(self._columns[target]), int(self._targets[target])
        low, high = bounds_of(checker.task, insider)
        values = checker.task.system.values[cells]
        above, below = high[cells] - values, values - low[cells]
        move = self._flow.cheapest(column, sign, level, above=above, below=below)
        if move is not None and checker.task.whole and not _integral(move):
            reached, move = self._in_whole_numbers(column, sign)
            if short_of(reached, level):
                yield Breach(cell=cell, sign=sign, level=level, reached=reached, insider=insider)
                return
        if move is not None:
            self._moves.add(move)
            checker.evidence.keep(cells, move)
            return
        reached, _ = self._programme.farthest(column, sign)
        if short_of(reached, level):
            prices = self._programme.prices()
            yield Breach(cell=cell, sign=sign, level=level, reached=reached, insider=insider, prices=prices)

    def _in_whole_numbers(self, column: int, sign: int) -> tuple[float, Floats]:
        self._programme.whole_numbers(True)
        found = self._programme.farthest(column, sign)
        self._programme.whole_numbers(False)
        return found


def relevant(task: Task, suppressed: Bools) -> Iterator[Insider]:
    """Insiders who know something of a suppressed cell; of several who know the same, one."""
    seen: set[tuple[bytes, bytes, bytes]] = set()
    for insider in task.attackers.insiders:
        known = suppressed[insider.cells]
        if not known.any():
            continue
        what = (insider.cells[known].tobytes(), insider.low[known].tobytes(), insider.high[known].tobytes())
        if what not in seen:
            seen.add(what)
            yield insider


def _integral(move: Floats) -> bool:
    return bool(np.all(np.abs(move - np.rint(move)) < 1e-6))

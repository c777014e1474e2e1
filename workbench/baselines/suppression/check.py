"""The attacker check: whether every primary cell keeps its level against every attacker.

Each linear programme that reaches a level leaves a table that fits all published cells. Such a table shows the level
for every attacker whose bounds it respects, and in later patterns that suppress all cells it moves. Most programmes
need not be solved again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.baselines.suppression.audience import Audience, Known, covered
from workbench.baselines.suppression.evidence import Evidence, Moves
from workbench.baselines.suppression.flow import Flow
from workbench.baselines.suppression.insiders import Insider
from workbench.baselines.suppression.programme import Programme
from workbench.baselines.suppression.task import Task, bounds_of
from workbench.baselines.suppression.unions import telling_lines
from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.progress import QUIET, Context

TOLERANCE = 1e-6  # of a level, relative to it and to one
_TOGETHER = 512  # attackers who are asked at once
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
        self._everything: Reach | None = None
        self._context = context

    def safe(self, suppressed: Bools) -> bool:
        """Whether a pattern keeps every level against every attacker."""
        return next(self.breaches(suppressed), None) is None

    def telling(self, suppressed: Bools, lines: Iterable[int] | None = None) -> Iterator[int]:
        """Lines whose suppressed cells together fail the primary rule, without those that nothing can help."""
        return (line for line in telling_lines(self.task, suppressed, lines) if line not in self.excused)

    def ease(self, breach: Breach) -> Breach:
        """Ask no more from now on than suppressing everything would give; returns the breach with that level."""
        if self._everything is None:
            self._everything = Reach(self.task, ~self.task.published)
        reached = self._everything.of(breach)
        self.eased[breach.cell, breach.sign, id(breach.insider)] = reached
        return replace(breach, reached=reached)

    def breaches(self, suppressed: Bools) -> Iterator[Breach]:
        """The levels that a pattern does not keep. A level that several undercut is told of a few of them."""
        if suppressed.any():
            yield from Shown(self, suppressed).breaches([None, *relevant(self.task, suppressed)])

    def step(self, sentence: str) -> None:
        """Ask whether to go on."""
        self._context.step(0.0, sentence)


class Reach:
    """How far cells can move where all of some cells are suppressed."""

    def __init__(self, task: Task, suppressed: Bools) -> None:
        self._task, self._cells = task, np.flatnonzero(suppressed)
        values, known = task.system.values[self._cells], task.attackers
        low, high = known.low[self._cells] - values, known.high[self._cells] - values
        self._programme = Programme(task.system.matrix, self._cells, low, high)

    def of(self, breach: Breach) -> float:
        """The cell of a breach in its direction, for its attacker."""
        values, insider = self._task.system.values, breach.insider
        place = int(np.searchsorted(self._cells, breach.cell))
        if insider is None:
            return self._farthest(place, breach.sign)
        inside = np.isin(insider.cells, self._cells)
        cells = insider.cells[inside]
        columns = np.searchsorted(self._cells, cells)
        self._programme.limit(columns, insider.low[inside] - values[cells], insider.high[inside] - values[cells])
        reached = self._farthest(place, breach.sign)
        self._programme.release(columns)
        return reached

    def _farthest(self, place: int, sign: int) -> float:
        reached, move = self._programme.farthest(place, sign)
        if self._task.whole and np.isfinite(reached) and not _integral(move):
            self._programme.whole_numbers(True)
            reached, _ = self._programme.farthest(place, sign)
            self._programme.whole_numbers(False)
        return reached


def lost_to_others(task: Task, breach: Breach) -> bool:
    """Whether a level that cannot be kept could be, had no cell been printed but zeros.

    Otherwise it is lost to what the attacker knows itself.
    """
    if breach.insider is None:
        return True
    free = Reach(task, (task.system.values > 0) | ~task.published).of(breach)
    return bool(short_of(breach.reached, min(free, breach.level)))


class Shown:
    """The evidence of one pattern, growing while it is checked. Levels are those above, then those below."""

    def __init__(self, checker: Checker, suppressed: Bools) -> None:
        task = checker.task
        self._checker = checker
        self._suppressed = suppressed
        self.cells = cells = np.flatnonzero(suppressed)
        self.place = np.full(len(suppressed), -1)
        self.place[cells] = np.arange(len(cells))
        values = task.system.values[cells]
        self._programme = Programme(
            task.system.matrix, cells, task.attackers.low[cells] - values, task.attackers.high[cells] - values
        )
        self._flow = Flow(task.system.matrix, cells)
        self._told: Counter[int] = Counter()
        self._targets = np.flatnonzero(task.primary)
        self._columns = self.place[self._targets]
        self._target_of = np.full(len(cells), -1)
        self._target_of[self._columns] = np.arange(len(self._targets))
        self.levels = np.concatenate([task.upper[self._targets], task.lower[self._targets]])
        self.moves = Moves(checker.evidence.inside(suppressed, self.place))
        self._eased: dict[int, list[tuple[int, float]]] = {}
        self._lost: set[int] = set()  # levels that no pattern keeps from somebody
        for (cell, sign, who), least in checker.eased.items():
            level = self._level(cell, sign)
            self._lost.add(level)
            self._eased.setdefault(who, []).append((level, least))

    def breaches(self, insiders: Sequence[Insider | None]) -> Iterator[Breach]:
        """The outsider comes first: what it is shown convinces most others."""
        for first, last in ((0, 1), *((at, at + _TOGETHER) for at in range(1, len(insiders), _TOGETHER))):
            some = insiders[first:last]
            self._checker.step(f"checking {len(self.cells):,} suppressed cells against attackers")
            known = [self.bounds(insider) for insider in some]
            rows = self.moves.rows
            seen = covered(Audience(known).accept(rows), self.reached(rows)) | ~short_of(0.0, self.levels)
            for insider, own, shown in zip(some, known, seen, strict=True):
                if not shown.all():
                    yield from self._missed(insider, own, np.flatnonzero(~shown))

    def _missed(self, insider: Insider | None, known: Known, levels: Integers) -> Iterator[Breach]:
        """Of these levels, those that this attacker undercuts."""
        own = self.own_levels(insider, known)
        for level in levels.tolist():
            if self._told[level] < _ENOUGH and not self.seen(level, own[level], known):
                breach = self.attack(level, float(own[level]), insider, known)
                if breach is not None:
                    if level not in self._lost:  # who else undercuts a lost one is told at once, not two by two
                        self._told[level] += _ENOUGH if insider is None else 1
                    yield breach

    def bounds(self, insider: Insider | None) -> Known:
        """What the insider knows more of the suppressed cells, as bounds of deviations."""
        if insider is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
        known = self._suppressed[insider.cells]
        cells = insider.cells[known]
        values = self._checker.task.system.values[cells]
        return self.place[cells], insider.low[known] - values, insider.high[known] - values

    def own_levels(self, insider: Insider | None, known: Known) -> Floats:
        """No attacker leaves a cell more room than its own knowledge; what it knows completely is no secret from it."""
        levels, many = self.levels.copy(), len(self._targets)
        columns, low, high = known
        target = self._target_of[columns]
        own = target >= 0
        target = target[own]
        levels[target] = np.minimum(levels[target], high[own])
        levels[target + many] = np.minimum(levels[target + many], -low[own])
        for who in (None, insider):  # nobody who knows more leaves more room than an outsider
            for level, eased in self._eased.get(id(who), ()):
                levels[level] = min(levels[level], eased)
        return levels

    def reached(self, moves: Floats) -> Bools:
        """Moves × levels: whether a move reaches the level that all others ask for."""
        part = moves[:, self._columns]
        found: Bools = ~short_of(np.concatenate([part, -part], axis=1), self.levels)
        return found

    def seen(self, level: int, least: float, known: Known) -> bool:
        """Whether a table that was found shows a level, with the attacker's own knowledge, or it asks for nothing."""
        if not short_of(0.0, least):
            return True
        column, sign = self._goal(level)
        moves, (columns, low, high) = self.moves.rows, known
        near = moves[~short_of(sign * moves[:, column], least)]
        own = near[:, columns]
        return bool(np.any(np.all((own >= low - 1e-9) & (own <= high + 1e-9), axis=1)))

    def take(self, cell: int) -> None:
        """Publish a cell."""
        self._suppressed[cell] = False
        self._programme.fix(int(self.place[cell]))

    def give_back(self, cell: int) -> None:
        """Suppress it after all."""
        self._suppressed[cell] = True
        self._programme.unfix(int(self.place[cell]))

    def attack(self, level: int, least: float, insider: Insider | None, known: Known) -> Breach | None:
        """Look for a table that shows a level to somebody, and keep it; the breach where there is none."""
        checker, cells = self._checker, self.cells
        checker.programmes += 1
        checker.step(f"checking {len(cells):,} suppressed cells against attackers")
        column, sign = self._goal(level)
        cell = int(cells[column])
        low, high = bounds_of(checker.task, insider)
        values, there = checker.task.system.values[cells], self._suppressed[cells]
        above, below = np.where(there, high[cells] - values, 0.0), np.where(there, values - low[cells], 0.0)
        move = self._flow.cheapest(column, sign, least, above=above, below=below)
        self._programme.limit(*known)
        prices: Floats | None = None
        reached = least
        if move is not None and checker.task.whole and not _integral(move):
            reached, move = self._in_whole_numbers(column, sign)
        elif move is None:
            reached, move = self._programme.farthest(column, sign)
            prices = self._programme.prices()
        self._programme.release(known[0])
        if short_of(reached, least):
            return Breach(cell=cell, sign=sign, level=least, reached=reached, insider=insider, prices=prices)
        if not short_of(sign * float(move[column]), least):  # nothing is moved where nothing bounds the cell
            self.moves.add(move)
            checker.evidence.keep(cells, move)
        return None

    def farthest_of(self, moves: Floats, level: int) -> Floats:
        """How far each of these moves the cell of a level in its direction."""
        column, sign = self._goal(level)
        far: Floats = sign * moves[:, column]
        return far

    def _goal(self, level: int) -> tuple[int, int]:
        many = len(self._targets)
        return int(self._columns[level % many]), 1 if level < many else -1

    def _level(self, cell: int, sign: int) -> int:
        return int(np.searchsorted(self._targets, cell)) + (0 if sign > 0 else len(self._targets))

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

"""Secondary cells that a pattern does not need, published again one by one without checking everything each time.

For each attacker and each level one table is remembered that shows it. A cell that none of these tables moves is not
needed at all; where some do, only the attackers whom they convinced must be shown others.
"""

from __future__ import annotations

import numpy as np

from workbench.baselines.suppression.audience import Audience, Known
from workbench.baselines.suppression.check import Checker, Shown, relevant, short_of
from workbench.baselines.suppression.insiders import Insider
from workbench.core.arrays import Bools, Floats, Integers

_NEVER, _NONE = -1, -2  # a level that asks for nothing; one that no remembered table shows
_ROOM = 256
_MOST_REMEMBERED = 100_000_000  # attackers × tables, a byte each


class Sparing:
    """A safe pattern, `pattern`, from which cells are taken."""

    def __init__(self, checker: Checker, pattern: Bools) -> None:
        self.pattern = pattern.copy()
        self._checker = checker
        self._shown = Shown(checker, self.pattern)
        self._insiders: list[Insider | None] = [None, *relevant(checker.task, pattern)]
        for _ in self._shown.breaches(self._insiders):
            break  # of levels that are missed within rounding
        self._known: list[Known] = [self._shown.bounds(insider) for insider in self._insiders]
        self._own: dict[int, Floats] = {}
        self._audience = Audience(self._known)
        many, levels, rows = len(self._insiders), len(self._shown.levels), self._shown.moves.rows
        self._first = max(0, len(rows) - max(_MOST_REMEMBERED // many, 1))
        self._used = 0
        self._alive = np.zeros(0, dtype=bool)
        self._accepted = np.zeros((many, 0), dtype=bool)
        self._reaches = np.zeros((0, levels), dtype=bool)
        self._moved = np.zeros((0, len(self._shown.cells)), dtype=bool)
        self._remember(rows[self._first :])
        self._witness = np.full((many, levels), _NONE, dtype=np.int32)
        self._witness[:, ~short_of(0.0, self._shown.levels)] = _NEVER
        for level in range(levels):
            for who in self._shown_to(level, np.flatnonzero(self._witness[:, level] == _NONE), self._alive).tolist():
                self._convinced(who, level, self._alive)

    def without(self, cell: int) -> bool:
        """Publish the cell if every level is kept without it."""
        column = int(self._shown.place[cell])
        gone = self._moved[: self._used, column]
        lost = np.append(gone, [True, False])  # of no table; of no need
        rows, levels = np.nonzero(lost[self._witness])
        before = self._witness.copy() if len(rows) else self._witness
        alive = self._alive & ~gone
        self._shown.take(cell)
        for level in np.unique(levels).tolist():
            left = self._shown_to(level, rows[levels == level], alive)
            while len(left):
                who = int(left[0])
                if not self._convinced(who, level, alive):
                    self._witness = before
                    self._shown.give_back(cell)
                    return False
                alive = np.append(alive, self._alive[len(alive) :])
                left = self._shown_to(level, left[1:], alive)
        self._alive = alive
        return True

    def _shown_to(self, level: int, who: Integers, alive: Bools) -> Integers:
        """Remember a table for these attackers where one is at hand; returns the others."""
        ready = np.flatnonzero(self._reaches[: self._used, level] & alive)
        if not len(ready) or not len(who):
            return who
        accepted = self._accepted[np.ix_(who, ready)]
        found = accepted.any(axis=1)
        self._witness[who[found], level] = ready[accepted[found].argmax(axis=1)]
        others: Integers = who[~found]
        return others

    def _convinced(self, who: int, level: int, alive: Bools) -> bool:
        """Whether this attacker's own level is kept, which can be lower than that of others."""
        least, insider = float(self._levels_of(who)[level]), self._insiders[who]
        if not short_of(0.0, least):
            self._witness[who, level] = _NEVER
            return True
        reached = self._shown.farthest_of(self._shown.moves.rows[self._first :], level)
        ready = np.flatnonzero(~short_of(reached, least) & alive & self._accepted[who, : self._used])
        if not len(ready):
            known, before = self._shown.bounds(insider), self._used
            if self._shown.attack(level, least, insider, known) is not None:
                return False
            self._remember(self._shown.moves.rows[self._first + before :])
            ready = np.arange(before, self._used)
        if len(ready):  # none where a level is kept within rounding only
            self._witness[who, level] = ready[0]
        return bool(len(ready))

    def _levels_of(self, who: int) -> Floats:
        if who not in self._own:
            self._own[who] = self._shown.own_levels(self._insiders[who], self._known[who])
        return self._own[who]

    def _remember(self, moves: Floats) -> None:
        """More tables, all of which move cells of the pattern only."""
        start, self._used = self._used, self._used + len(moves)
        if self._used > self._accepted.shape[1]:
            room = max(_ROOM, self._used)
            self._accepted = np.pad(self._accepted, ((0, 0), (0, room)))
            self._reaches, self._moved = (np.pad(each, ((0, room), (0, 0))) for each in (self._reaches, self._moved))
        self._accepted[:, start : self._used] = self._audience.accept(moves)
        self._reaches[start : self._used] = self._shown.reached(moves)
        self._moved[start : self._used] = np.abs(moves) > 1e-9
        self._alive = np.append(self._alive, np.ones(len(moves), dtype=bool))

"""Tables that fit the published cells of a pattern: each shows how far some suppressed cells can move together."""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers


class Evidence:
    """Moves of all patterns looked at, sparsely: a move stays good where a pattern suppresses all cells it touches."""

    def __init__(self) -> None:
        self._moves: list[tuple[Integers, Floats]] = []

    def keep(self, cells: Integers, move: Floats) -> None:
        moved = np.abs(move) > 1e-9
        self._moves.append((cells[moved], move[moved]))

    def inside(self, suppressed: Bools, place: Integers) -> Floats:
        """Those that move suppressed cells only, dense over the suppressed cells."""
        kept = [(place[cells], amounts) for cells, amounts in self._moves if suppressed[cells].all()]
        dense = np.zeros((len(kept), int(suppressed.sum())))
        for row, (columns, amounts) in enumerate(kept):
            dense[row, columns] = amounts
        return dense


class Moves:
    """The moves of one pattern as a matrix that grows."""

    def __init__(self, start: Floats) -> None:
        self._rows = start
        self._used = len(start)

    def add(self, move: Floats) -> None:
        if self._used == len(self._rows):
            self._rows = np.vstack([self._rows, np.zeros((max(64, self._used), len(move)))])
        self._rows[self._used] = move
        self._used += 1

    @property
    def rows(self) -> Floats:
        """All moves, one a row."""
        used: Floats = self._rows[: self._used]
        return used

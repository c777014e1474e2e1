"""Which tables several attackers hold possible, all of them at once: most ask the same and are shown the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers

Known = tuple[Integers, Floats, Floats]  # columns of suppressed cells, and the bounds of their deviations
_ROUNDING = 1e-9


class Audience:
    """What each attacker knows more than everybody, one entry for each cell that one of them knows more of."""

    def __init__(self, known: Sequence[Known]) -> None:
        self.many = len(known)
        self._who = np.repeat(np.arange(len(known)), [len(columns) for columns, _, _ in known])
        self._column = np.concatenate([np.zeros(0, dtype=np.int64), *(columns for columns, _, _ in known)])
        self._low = np.concatenate([np.zeros(0), *(low for _, low, _ in known)]) - _ROUNDING
        self._high = np.concatenate([np.zeros(0), *(high for _, _, high in known)]) + _ROUNDING

    def accept(self, moves: Floats) -> Bools:
        """Attackers × moves: whether a move stays within what the attacker knows."""
        made = np.ones((self.many, len(moves)), dtype=bool)
        for number, move in enumerate(moves):
            own = move[self._column]
            made[self._who[(own < self._low) | (own > self._high)], number] = False
        return made


def covered(accepted: Bools, reaches: Bools) -> Bools:
    """Attackers × levels: whether a move that the attacker holds possible reaches the level."""
    found: Bools = np.empty((len(accepted), reaches.shape[1]), dtype=bool)
    found[:] = reaches.any(axis=0)
    choosy = np.flatnonzero(~accepted.all(axis=1))
    telling = np.flatnonzero(reaches.any(axis=1))
    found[choosy] = accepted[np.ix_(choosy, telling)].astype(np.float32) @ reaches[telling].astype(np.float32) > 0.5
    return found

"""Randomness with a thumb on the scale, to visit places that fair randomness hardly ever visits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class TailWords:
    """Fair words, except that the first `zeros` bits of every uniform are 0: only the tail beyond 2^−zeros."""

    def __init__(self, zeros: int, seed: int) -> None:
        self._keep = np.uint64(2 ** (63 - zeros) - 1) | np.uint64(2**63)
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def words(self, count: int) -> NDArray[np.uint64]:
        return self._generator.integers(0, 2**64, size=count, dtype=np.uint64) & self._keep


class GivenWords:
    """The words of a list, one after the other; it is an error to ask for more."""

    def __init__(self, words: Iterable[int]) -> None:
        self._words = list(words)
        self.given = 0

    def words(self, count: int) -> NDArray[np.uint64]:
        taken = self._words[self.given : self.given + count]
        assert len(taken) == count, "more bits were asked for than needed"
        self.given += count
        return np.array(taken, dtype=np.uint64)

"""Uniform integers below bounds that differ from draw to draw, exactly, from 64-bit words.

A word w is used as w mod b unless it lies in the incomplete last run of b words, 2⁶⁴ − (2⁶⁴ mod b) or above; such words
are thrown away and drawn again. So every integer below b has the same chance to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workbench.core.randomness import StudyRandom

Words = Callable[[int], NDArray[np.uint64]]
_LAST = np.uint64(2**64 - 1)
_ONE = np.uint64(1)


def below(bounds: NDArray[np.int64], words: Words) -> NDArray[np.int64]:
    """One uniform integer in 0 … bound − 1 for each bound; every bound is at least 1."""
    limits = bounds.astype(np.uint64)
    drawn = words(len(limits))
    values = drawn % limits
    again = _unfair(drawn, limits, np.flatnonzero(drawn > _LAST - limits))
    while len(again):
        drawn = words(len(again))
        values[again] = drawn % limits[again]
        again = again[_unfair(drawn, limits[again], np.arange(len(again)))]
    return values.astype(np.int64)


def _unfair(drawn: NDArray[np.uint64], limits: NDArray[np.uint64], suspects: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which suspects lie in the incomplete run; only words within one bound of the end can."""
    limit = limits[suspects]
    beyond = (_LAST % limit + _ONE) % limit  # 2⁶⁴ mod b
    return suspects[drawn[suspects] > _LAST - beyond]


def half_words(count: int, words: Words) -> NDArray[np.uint32]:
    """`count` uniform 32-bit words."""
    return words((count + 1) // 2).view(np.uint32)[:count]


def study_words(rng: StudyRandom) -> Words:
    """Seeded words for the very sampler that publishes."""

    def words(count: int) -> NDArray[np.uint64]:
        return rng.generator.integers(0, 2**64, size=count, dtype=np.uint64)

    return words

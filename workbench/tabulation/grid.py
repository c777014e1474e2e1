"""A public list of cells over which an answer is given, empty cells included."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers

_FULL = 1 << 62
BLOCK = 1 << 15  # rows whose numbers stay in the cache from one step to the next


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Grid:
    """Listed combinations of unit attributes × every combination of row attributes, the last fastest.

    `combinations` holds the position of each listed attribute (combinations × attributes); None lists all of them, the
    first attribute slowest. Cell number = listed combination × row combinations + row combination.
    """

    listed: tuple[str, ...]
    listed_sizes: tuple[int, ...]
    crossed: tuple[str, ...]
    crossed_sizes: tuple[int, ...]
    combinations: NDArray[np.int32] | None = None

    @property
    def places(self) -> int:
        """How many combinations of unit attributes are listed."""
        return math.prod(self.listed_sizes) if self.combinations is None else len(self.combinations)

    @property
    def crossings(self) -> int:
        """How many combinations of row attributes each of them has."""
        return math.prod(self.crossed_sizes)

    @property
    def cells(self) -> int:
        return self.places * self.crossings


def packed(columns: Sequence[NDArray[np.integer]], sizes: Sequence[int], rows: int) -> Integers:
    """One number per row that orders and tells apart its combination of positions, the first column slowest.

    Where the product is too large for 64 bits, the combinations so far are renumbered; the order stays.
    """
    key, span, first = np.zeros(rows, dtype=np.int64), 1, 0
    for number, size in enumerate(sizes):
        if span >= _FULL // max(size, 1):
            _add(key, columns[first:number], sizes[first:number])
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            span, first = int(key.max(initial=0)) + 1, number
        span *= max(size, 1)
    _add(key, columns[first:], sizes[first:])
    return key


def _add(key: Integers, columns: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> None:
    """Further digits of the key of each row, in place."""
    for start in range(0, len(key), BLOCK):
        part = key[start : start + BLOCK]
        for column, size in zip(columns, sizes, strict=True):
            part *= size
            part += column[start : start + BLOCK]

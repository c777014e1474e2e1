"""Which bin an integer falls into: a look into a small table instead of a search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.tabulation.grid import BLOCK

_DRAWERS = 1 << 12  # two tables of so many entries stay in the cache


def between(edges: Integers, values: Integers, *, lower: int, upper: int) -> NDArray[np.int32]:
    """How many edges are at or below each value, for values in lower … upper.

    The range is cut into drawers of 2^k integers. A drawer with at most one edge in it needs one comparison; where two
    edges share a drawer, the values are searched for.
    """
    shift = max(0, (upper - lower).bit_length() - (_DRAWERS.bit_length() - 1))
    drawers = ((upper - lower) >> shift) + 1
    inner = edges[(edges > lower) & (edges <= upper)]
    below = int(np.count_nonzero(edges <= lower))
    drawer = (inner - lower) >> shift
    if upper - lower >= 1 << 62 or len(np.unique(drawer)) < len(drawer):
        return np.searchsorted(edges, values, side="right").astype(np.int32)
    first = np.full(drawers, below, dtype=np.int32)
    first[1:] += np.cumsum(np.bincount(drawer, minlength=drawers))[:-1].astype(np.int32)
    edge = np.full(drawers, np.iinfo(np.int64).max, dtype=np.int64)
    edge[drawer] = inner
    position = np.empty(len(values), dtype=np.int32)
    for start in range(0, len(values), BLOCK):
        part = values[start : start + BLOCK]
        place = (part - lower) >> shift
        np.add(first[place], part >= edge[place], out=position[start : start + BLOCK])
    return position

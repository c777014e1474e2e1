"""All two-way tables of some dimensions: one histogram per pair, the pairs side by side on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import raise_if
from workbench.core.progress import Context, Part
from workbench.core.together import together
from workbench.microdata.table import Microdata
from workbench.tabulation.answers import TwoWay
from workbench.tabulation.groups import Chosen
from workbench.tabulation.keys import NOWHERE, Beyond, Dimension
from workbench.tabulation.positions import key_problems, placement

_BLOCK = 1 << 17  # rows whose keys stay in the processor's cache while they are counted


def two_way(microdata: Microdata, by: Sequence[Dimension], context: Context) -> TwoWay:
    """Counts of every pair over the rows that are in all dimensions."""
    raise_if(key_problems(microdata, by))
    columns = [placement(microdata, key) for key in by]
    own = [int(key.beyond is Beyond.OWN) for key in by]  # NOWHERE is then the first position of its dimension
    known = [
        column.of_row != NOWHERE for key, column in zip(by, columns, strict=True) if key.beyond is Beyond.LEAVE_OUT
    ]
    chosen = Chosen.where(microdata.rows, known)
    context.step(0.1, "laying out the pairs")
    narrow = [
        (chosen.of(column.of_row).astype(np.int32) + extra).astype(np.min_scalar_type(max(column.size + extra, 1)))
        for column, extra in zip(columns, own, strict=True)
    ]
    sizes = tuple(column.size + extra for column, extra in zip(columns, own, strict=True))
    which = list(combinations(range(len(by)), 2))
    counted = counted_pairs(narrow, sizes, Part(context, 0.1, 1.0))
    return TwoWay(
        columns=tuple(key.column for key in by),
        sizes=sizes,
        tables={pair: Confidential(table) for pair, table in zip(which, counted, strict=True)},
        left_out=Confidential(chosen.left_out),
    )


def counted_pairs(columns: Sequence[NDArray[np.integer]], sizes: Sequence[int], context: Context) -> list[Integers]:
    """The two-way table of every pair of columns of positions, the first column slowest."""
    which = combinations(range(len(columns)), 2)
    tasks = [partial(_table, columns[i], columns[j], (sizes[i], sizes[j])) for i, j in which]
    return together(tasks, context, "counting pairs") if tasks else []


def _table(first: NDArray[np.integer], second: NDArray[np.integer], sizes: tuple[int, int]) -> Integers:
    table = np.zeros(sizes[0] * sizes[1], dtype=np.int64)
    block = max(_BLOCK, 4 * len(table))
    for start in range(0, len(first), block):
        key = first[start : start + block].astype(np.intp)
        key *= sizes[1]
        key += second[start : start + block]
        table += np.bincount(key, minlength=len(table))
    return table.reshape(sizes)

"""All two-way tables of some dimensions: joint histograms of bundles of columns, side by side on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import raise_if
from workbench.core.progress import Context, Part
from workbench.core.together import together
from workbench.microdata.table import Microdata
from workbench.tabulation.answers import TwoWay
from workbench.tabulation.bundles import Bundle, Numbers, packed, widest_bundle
from workbench.tabulation.groups import Chosen
from workbench.tabulation.keys import NOWHERE, Beyond, Dimension, Scale
from workbench.tabulation.positions import key_problems, on_grid, placement
from workbench.tabulation.sums import refuse_overflow, sums

_BLOCK = 1 << 17  # rows whose keys stay in the processor's cache while they are counted


def two_way(microdata: Microdata, by: Sequence[Dimension], weight: Scale | None, context: Context) -> TwoWay:
    """Counts, or sums of weights, of every pair over the rows that are in all dimensions."""
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
    within = Part(context, 0.1, 1.0)
    if weight is None:
        counted = counted_pairs(narrow, sizes, within)
    else:
        refuse_overflow(chosen.rows, weight.most, weight.column)
        each = chosen.of(on_grid(microdata, replace(weight, beyond=Beyond.OWN)).of_row)
        counted = weighted_pairs(narrow, sizes, each, weight.most, within)
    return TwoWay(
        columns=tuple(key.column for key in by),
        sizes=sizes,
        tables={pair: Confidential(table) for pair, table in zip(which, counted, strict=True)},
        left_out=Confidential(chosen.left_out),
    )


def counted_pairs(columns: Sequence[NDArray[np.integer]], sizes: Sequence[int], context: Context) -> list[Integers]:
    """The two-way table of every pair of columns of positions, the first column slowest.

    Columns of few positions are packed into bundles, bundles are counted against each other, and the tables of their
    columns are sums of those counts: far fewer passes over the rows than there are pairs.
    """
    rows = len(columns[0]) if columns else 0
    bundles = [Bundle.of(columns, sizes, members) for members in packed(sizes, widest_bundle(rows, sizes))]
    tasks = [partial(_counts, first, second) for first, second in combinations_with_replacement(bundles, 2)]
    tables = {}
    for found in together(tasks, context, "counting pairs"):
        tables.update(found)
    return [tables[pair] for pair in combinations(range(len(columns)), 2)]


def weighted_pairs(
    columns: Sequence[NDArray[np.integer]], sizes: Sequence[int], weights: Integers, most: int, context: Context
) -> list[Integers]:
    """The same tables as exact sums of weights, none larger than `most`."""
    tables, which = [], list(combinations(range(len(sizes)), 2))
    for done, (i, j) in enumerate(which):
        context.step(done / len(which), "adding up weights in two-way tables")
        both = columns[i].astype(np.int64) * sizes[j] + columns[j]
        tables.append(sums(both, weights, sizes[i] * sizes[j], most=most).reshape(sizes[i], sizes[j]))
    context.step(1.0, "weights added up")
    return tables


def _counts(first: Bundle, second: Bundle) -> dict[tuple[int, int], Integers]:
    """The tables of all pairs of a column of the one and another column of the other."""
    if first is not second:
        joint: Numbers = _joint(first, second)
    elif len(first.members) > 1:
        joint = np.diag(np.bincount(first.codes, minlength=first.size))
    else:
        return {}
    summed = np.rint(second.by_member(first.by_member(joint).T).T).astype(np.int64)
    found = {}
    for i, rows in zip(first.members, first.places, strict=True):
        for j, columns in zip(second.members, second.places, strict=True):
            block = summed[rows, columns]
            if i < j:
                found[i, j] = np.ascontiguousarray(block)
            elif j < i and first is not second:
                found[j, i] = np.ascontiguousarray(block.T)
    return found


def _joint(first: Bundle, second: Bundle) -> Integers:
    table = np.zeros(first.size * second.size, dtype=np.int64)
    block = max(_BLOCK, 2 * len(table))
    for start in range(0, len(first.codes), block):
        key = first.codes[start : start + block].astype(np.intp)
        key *= second.size
        key += second.codes[start : start + block]
        table += np.bincount(key, minlength=len(table))
    return table.reshape(first.size, second.size)

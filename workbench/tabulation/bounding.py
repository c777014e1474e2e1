"""One row for each unit: which one is decided by a total order, so that it does not depend on the order of the file.

Rows are compared by what the rule says, then by all columns in the order of their names, each by code points or by
number, missing first. Rows that are equal in all of that are the same row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, raise_if
from workbench.core.progress import Context
from workbench.microdata.selection import take_rows
from workbench.microdata.table import CodedColumn, Column, Microdata, NumericColumn
from workbench.tabulation.contract import First, Keep, Summed
from workbench.tabulation.groups import Chosen, Groups
from workbench.tabulation.keys import Beyond, Scale
from workbench.tabulation.positions import on_grid
from workbench.tabulation.sums import refuse_overflow, sums

_WHOLE_AGAIN = 1 << 51  # below it an integer survives being divided and multiplied by a power of ten as a double


def bounded(microdata: Microdata, unit: Sequence[str], keep: Keep, context: Context) -> Microdata:
    """The rows kept, in the order of the file; rows without a unit, or without the number of the rule, are gone."""
    context.step(0.0, "finding the rows of each unit")
    units = [microdata.coded(name) for name in unit]
    known = [column.codes.reveal() >= 0 for column in units]
    x = None
    if not isinstance(keep, First):
        raise_if(_bound_problems(keep.of) if isinstance(keep, Summed) else ())
        found = on_grid(microdata, keep.of)
        x = found.of_row
        if keep.of.beyond is not Beyond.REFUSE:
            known.append(found.known)
    inside = Chosen.where(microdata.rows, known)
    rows = np.arange(microdata.rows) if inside.kept is None else np.flatnonzero(inside.kept)
    groups = Groups(
        columns=[column.codes.reveal()[rows] for column in units],
        sizes=[max(len(column.values), 1) for column in units],
        rows=len(rows),
        numbered=True,
    )
    context.step(0.4, "choosing one row of each unit")
    best = _highest(groups, x[rows]) if x is not None else np.arange(len(rows))
    order = keep.by if isinstance(keep, First) else ()
    chosen = _first(microdata, groups, best, rows=rows, order=order)
    context.step(0.8, "taking the rows")
    kept = np.zeros(len(rows), dtype=bool)
    kept[chosen] = True  # in the order of the file, as rows far apart are slow to fetch
    made = take_rows(microdata, rows[kept])
    if isinstance(keep, Summed) and x is not None:
        refuse_overflow(int(groups.count.max(initial=0)), keep.of.most, keep.of.column)
        total = sums(groups.of_row, x[rows], len(groups.occupied), most=keep.of.most)
        made = _with_sums(made, keep.of, total[groups.of_row[kept]])
    context.step(1.0, "one row of each unit")
    return made


def _bound_problems(scale: Scale) -> tuple[Problem, ...]:
    wide = Problem("The bounds are too wide to keep sums exact", scale.column, "Declare narrower bounds")
    return (wide,) if scale.most >= _WHOLE_AGAIN else ()


def _highest(groups: Groups, x: Integers) -> Integers:
    """The rows that have the largest x of their group."""
    most = np.full(len(groups.occupied), np.iinfo(np.int64).min)
    np.maximum.at(most, groups.of_row, x)
    return np.flatnonzero(x == most[groups.of_row])


def _first(
    microdata: Microdata, groups: Groups, candidates: Integers, *, rows: Integers, order: Sequence[str]
) -> Integers:
    """One of the candidates for every group, in the order of groups: the first by `order`, then by all columns."""
    group = groups.of_row[candidates]
    several = np.bincount(group, minlength=len(groups.occupied))[group] > 1
    chosen = np.zeros(len(groups.occupied), dtype=np.int64)
    chosen[group[~several]] = candidates[~several]
    tied = candidates[several]
    if len(tied):
        names = [*order, *sorted(name for name in microdata.columns if name not in order)]
        keys = [_comparable(microdata.columns[name], rows[tied]) for name in reversed(names)]
        arranged = np.lexsort((*keys, group[several]))
        of = group[several][arranged]
        first = np.concatenate([[True], of[1:] != of[:-1]])
        chosen[of[first]] = tied[arranged[first]]
    return chosen


def _comparable(column: Column, rows: Integers) -> NDArray[np.generic]:
    if isinstance(column, CodedColumn):
        return column.codes.reveal()[rows]
    numbers = column.numbers.reveal()[rows]
    return np.where(np.isnan(numbers), -np.inf, numbers)


def _with_sums(microdata: Microdata, scale: Scale, total: Integers) -> Microdata:
    cut = np.clip(total, scale.lower, scale.upper) / float(10**scale.decimals)
    title = microdata.columns[scale.column].title
    column = NumericColumn(name=scale.column, numbers=Confidential(cut), title=title)
    return replace(microdata, columns={**microdata.columns, scale.column: column})

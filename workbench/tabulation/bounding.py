"""One row for each unit: which one is decided by a total order, so that it does not depend on the order of the file.

Rows are compared by what the rule says, then by all columns in the order of their names, each by code points or by
number, missing first. Rows that are equal in all of that are the same row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, raise_if
from workbench.core.progress import Context
from workbench.microdata.selection import seen_rows
from workbench.microdata.table import CodedColumn, Column, Microdata, NumericColumn
from workbench.tabulation.contract import First, Keep, Summed
from workbench.tabulation.grid import packed
from workbench.tabulation.groups import Chosen, Groups
from workbench.tabulation.keys import Beyond, Scale
from workbench.tabulation.positions import on_grid
from workbench.tabulation.sums import refuse_overflow, sums

_WHOLE_AGAIN = 1 << 51  # below it an integer survives being divided and multiplied by a power of ten as a double


def bounded(microdata: Microdata, unit: Sequence[str], keep: Keep, context: Context) -> Microdata:
    """The rows kept, in the order of the file; rows without a unit, or without the number of the rule, are gone."""
    context.step(0.0, "finding the rows of each unit")
    found = _of_units(microdata, unit, keep)
    context.step(0.4, "choosing one row of each unit")
    chosen = found.chosen(microdata, keep)
    context.step(0.8, "taking the rows")
    kept = np.zeros(len(found.rows), dtype=bool)
    kept[chosen] = True  # in the order of the file, as rows far apart are slow to fetch
    made = seen_rows(microdata, found.rows[kept])
    if isinstance(keep, Summed) and found.x is not None:
        groups = found.groups
        refuse_overflow(int(groups.count.max(initial=0)), keep.of.most, keep.of.column)
        total = sums(groups.of_row, found.x, len(groups.occupied), most=keep.of.most)
        made = _with_sums(made, keep.of, total[groups.of_row[kept]])
    context.step(1.0, "one row of each unit")
    return made


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _OfUnits:
    """The rows that have a unit and the number of the rule, their groups, and that number."""

    rows: Integers
    groups: Groups
    x: Integers | None

    def chosen(self, microdata: Microdata, keep: Keep) -> Integers:
        """One of them for every unit, by its place among them, in no order."""
        order = keep.by if isinstance(keep, First) else ()
        if self.x is None:
            alone, tied = _apart(self.groups.of_row, np.arange(len(self.rows)))
        else:
            alone, tied = _highest_sorted(self.groups, self.x) or _highest(self.groups, self.x)
        if not len(tied):
            return alone
        names = [*order, *sorted(name for name in microdata.columns if name not in order)]
        few = seen_rows(microdata, self.rows[tied])
        keys = [_comparable(few.columns[name]) for name in reversed(names)]
        group = self.groups.place[tied]
        arranged = np.lexsort((*keys, group))
        of = group[arranged]
        first = np.concatenate([[True], of[1:] != of[:-1]])
        return np.concatenate([alone, tied[arranged[first]]])


def _of_units(microdata: Microdata, unit: Sequence[str], keep: Keep) -> _OfUnits:
    units = [microdata.coded(name) for name in unit]
    known = [column.codes.reveal() >= 0 for column in units]
    x = None
    if not isinstance(keep, First):
        raise_if(bound_problems(keep.of) if isinstance(keep, Summed) else ())
        found = on_grid(microdata, keep.of)
        x = found.of_row
        if keep.of.beyond is not Beyond.REFUSE:
            known.append(found.known)
    inside = Chosen.where(microdata.rows, known)
    rows = np.arange(microdata.rows) if inside.kept is None else np.flatnonzero(inside.kept)
    groups = Groups(
        columns=[inside.of(column.codes.reveal()) for column in units],
        sizes=[max(len(column.values), 1) for column in units],
        rows=len(rows),
        numbered=True,
    )
    return _OfUnits(rows=rows, groups=groups, x=None if x is None else inside.of(x))


def settled(
    microdata: Microdata, unit: Sequence[str], columns: Sequence[str], keep: Keep, context: Context
) -> Microdata:
    """The rows that agree in these columns with the one row of their unit that the rule keeps, in the file's order.

    Few units have several combinations: only their rows are compared.
    """
    context.step(0.0, "finding units with several values")
    units = [microdata.coded(name) for name in unit]
    inside = Chosen.where(microdata.rows, [column.codes.reveal() >= 0 for column in units])
    rows = np.arange(microdata.rows) if inside.kept is None else np.flatnonzero(inside.kept)
    groups = Groups(
        columns=[inside.of(column.codes.reveal()) for column in units],
        sizes=[max(len(column.values), 1) for column in units],
        rows=len(rows),
        numbered=True,
    )
    fixed = [microdata.coded(name) for name in columns]
    value = packed(
        [inside.of(column.codes.reveal()) + np.int64(1) for column in fixed],
        [len(column.values) + 1 for column in fixed],
        len(rows),
    )
    of_unit = np.zeros(groups.span if groups.dense else len(groups.occupied), dtype=np.int64)
    number = groups.place if groups.dense else groups.of_row
    of_unit[number] = value
    disputed = np.zeros(len(of_unit), dtype=bool)
    agrees = value == of_unit[number]
    disputed[number[~agrees]] = True
    context.step(0.5, "choosing one value for each unit")
    if disputed.any():
        of_disputed = np.flatnonzero(disputed[number])
        few = seen_rows(microdata, rows[of_disputed])
        found = _of_units(few, unit, keep)
        standing = of_disputed[found.rows[found.chosen(few, keep)]]
        of_unit[number[of_disputed]] = -1  # a unit none of whose rows the rule can keep has no row at all
        of_unit[number[standing]] = value[standing]
        agrees[of_disputed] = value[of_disputed] == of_unit[number[of_disputed]]
    context.step(1.0, "one value for each unit")
    if inside.kept is None and agrees.all():
        return microdata
    return seen_rows(microdata, rows[agrees])


def bound_problems(scale: Scale) -> tuple[Problem, ...]:
    """Sums that could lose their last digit when they become a double again."""
    wide = Problem("The bounds are too wide to keep sums exact", scale.column, "Declare narrower bounds")
    return (wide,) if scale.most >= _WHOLE_AGAIN else ()


def _highest(groups: Groups, x: Integers) -> tuple[Integers, Integers]:
    """The rows that have the largest x of their group: those that have it alone, and those that share it."""
    most = np.full(len(groups.occupied), np.iinfo(np.int64).min)
    np.maximum.at(most, groups.of_row, x)
    best = np.flatnonzero(x == most[groups.of_row])
    return _apart(groups.of_row[best], best)


def _apart(group: Integers, rows: Integers) -> tuple[Integers, Integers]:
    """The rows that are the only one of their group here, and those that are not."""
    several = np.bincount(group)[group] > 1 if len(group) else np.zeros(0, dtype=bool)
    return rows[~several], rows[several]


def _highest_sorted(groups: Groups, x: Integers) -> tuple[Integers, Integers] | None:
    """The same by one sort of group, x and row packed into 64 bits; None where they do not fit.

    Rows far apart in memory are slow to compare, and a sort of numbers is not.
    """
    rows = len(x)
    if not rows:
        return None
    least = int(x.min())
    row_bits, x_bits = (rows - 1).bit_length(), (int(x.max()) - least).bit_length()
    if (groups.span - 1).bit_length() + x_bits + row_bits > 64:
        return None
    low = np.uint64(row_bits)
    key = (groups.place.astype(np.uint64) << np.uint64(x_bits)) | (x - least).astype(np.uint64)
    key = (key << low) | np.arange(rows, dtype=np.uint64)
    key.sort()
    value = key >> low
    unit = value >> np.uint64(x_bits)
    last = np.concatenate([unit[1:] != unit[:-1], [True]])
    row = (key & np.uint64((1 << row_bits) - 1)).astype(np.int64)
    shared = np.flatnonzero(last[1:] & (value[1:] == value[:-1])) + 1  # the last of a group, level with the one before
    if not len(shared):
        return row[last], row[:0]
    last[shared] = False
    first = np.searchsorted(value, value[shared], side="left")
    many = shared - first + 1
    within = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    return row[last], row[np.repeat(first, many) + within]


def _comparable(column: Column) -> NDArray[np.generic]:
    if isinstance(column, CodedColumn):
        return column.codes.reveal()
    numbers = column.numbers.reveal()
    return np.where(np.isnan(numbers), -np.inf, numbers)


def _with_sums(microdata: Microdata, scale: Scale, total: Integers) -> Microdata:
    cut = np.clip(total, scale.lower, scale.upper) / float(10**scale.decimals)
    title = microdata.columns[scale.column].title
    column = NumericColumn(name=scale.column, numbers=Confidential(cut), title=title)
    return replace(microdata, columns={**microdata.columns, scale.column: column})

"""One row for each unit: which one is decided by a total order, so that it does not depend on the order of the file.

Rows are compared by what the rule says, then by all columns in the order of their names, each by code points or by
number, missing first. Rows that are equal in all of that are the same row.

Most units have a single row, and most people a single institution: rows are looked at twice in parts that stay in the
cache, several side by side, and only those of the few units that are left are compared with each other (`_of_units`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, raise_if
from workbench.core.progress import Context, Part
from workbench.microdata.selection import seen_rows
from workbench.microdata.table import CodedColumn, Column, Microdata, NumericColumn
from workbench.tabulation.contract import First, Keep, Summed
from workbench.tabulation.grid import packed
from workbench.tabulation.groups import Chosen, Groups, is_dense
from workbench.tabulation.keys import NOWHERE, Beyond, Scale
from workbench.tabulation.parts import Held, coded, numeric, over_parts
from workbench.tabulation.positions import known_numbers, on_grid, scale_problems
from workbench.tabulation.sums import refuse_overflow, sums

_WHOLE_AGAIN = 1 << 51  # below it an integer survives being divided and multiplied by a power of ten as a double
_SHORT = 1 << 31


def bounded(microdata: Microdata, unit: Sequence[str], keep: Keep, context: Context) -> Microdata:
    """The rows kept, in the order of the file; rows without a unit, or without the number of the rule, are gone."""
    context.step(0.0, "finding the rows of each unit")
    kept, few = _Units.of(microdata, unit, _number_of(microdata, keep)).alone(Part(context, 0.0, 0.5))
    context.step(0.5, "choosing one row of each unit")
    some = seen_rows(microdata, few)
    found = _of_units(some, unit, keep)
    chosen = found.chosen(some, keep)
    kept[few[found.rows[chosen]]] = True
    context.step(0.8, "taking the rows")
    rows = np.flatnonzero(kept)
    made = seen_rows(microdata, rows)
    if isinstance(keep, Summed):
        total = on_grid(made, keep.of).of_row
        total[np.searchsorted(rows, few[found.rows[chosen]])] = found.totals(keep.of)[chosen]
        made = _with_sums(made, keep.of, total)
    context.step(1.0, "one row of each unit")
    return made


def _number_of(microdata: Microdata, keep: Keep) -> Held | None:
    """The number that every row kept must have; None where the rule needs none, or has made sure that all have it."""
    if isinstance(keep, First):
        return None
    raise_if(bound_problems(keep.of) if isinstance(keep, Summed) else ())
    raise_if(scale_problems(microdata, keep.of))
    if keep.of.beyond is Beyond.REFUSE:
        known_numbers(microdata, keep.of)
        return None
    return numeric(microdata, keep.of.column)


@dataclass(kw_only=True, repr=False)
class _Units:
    """The number of each row's unit, worked out part by part. Rows without the number of the rule have none."""

    columns: Sequence[Held]
    sizes: Sequence[int]
    rows: int
    needed: Held | None

    @classmethod
    def of(cls, microdata: Microdata, unit: Sequence[str], needed: Held | None) -> _Units:
        """Where there are far more possible units than rows, those that have rows are numbered first."""
        held = [coded(microdata, name) for name in unit]
        sizes = [max(len(column.values), 1) for column, _ in held]
        if is_dense(math.prod(sizes), microdata.rows):
            return cls(columns=[codes for _, codes in held], sizes=sizes, rows=microdata.rows, needed=needed)
        taken = [microdata.coded(name) for name in unit]
        columns: list[NDArray[np.integer]] = [column.codes.reveal() for column in taken]
        inside = Chosen.where(microdata.rows, [codes >= 0 for codes in columns])
        groups = Groups(
            columns=[inside.of(codes) for codes in columns],
            sizes=[max(len(column.values), 1) for column in taken],
            rows=inside.rows,
            numbered=True,
        )
        number = groups.of_row
        if inside.kept is not None:
            number = np.full(microdata.rows, NOWHERE)
            number[inside.kept] = groups.of_row
        held_numbers = [Held(values=number, rows=None)]
        return cls(columns=held_numbers, sizes=[len(groups.occupied)], rows=microdata.rows, needed=needed)

    @cached_property
    def span(self) -> int:
        return math.prod(self.sizes)

    def part(self, start: int, stop: int) -> tuple[slice | Integers, Integers]:
        """The rows of a part that have a unit (a slice where all have), and the number of each one's unit."""
        parts = [column.part(start, stop) for column in self.columns]
        inside = [part >= 0 for part in parts if part.min() < 0]
        if self.needed is not None:
            known = np.isfinite(self.needed.part(start, stop))
            if not known.all():
                inside.append(known)
        number = parts[0].astype(np.int64)
        for part, size in zip(parts[1:], self.sizes[1:], strict=True):
            number *= size
            number += part
        if not inside:
            return slice(start, stop), number
        have = np.flatnonzero(np.logical_and.reduce(inside))
        return start + have, number.take(have)

    def alone(self, context: Context) -> tuple[Bools, Integers]:
        """Which rows are the only one of their unit, and the rows that are not, in order.

        A byte for each unit stays in the cache where more would not. A unit with so many rows that its byte starts anew
        can seem to have one row: there are then more such rows than such units, and all is counted once more in full.
        """
        number: NDArray[np.integer] = np.empty(self.rows, dtype=np.int32 if self.span <= _SHORT else np.int64)
        alone = np.zeros(self.rows, dtype=bool)
        for kind in (np.uint8, np.int64):
            count = self._counted(number, np.dtype(kind), Part(context, 0.0, 0.5))

            def marked(start: int, stop: int, count: NDArray[np.integer] = count) -> Integers:
                part = number[start:stop]
                own = count.take(part, mode="wrap") == 1  # the last entry stands for rows without a unit
                alone[start:stop] = own
                own |= part < 0
                return start + np.flatnonzero(~own)

            few = over_parts(marked, self.rows, Part(context, 0.5, 1.0), "finding the rows of each unit")
            if np.count_nonzero(alone) == np.count_nonzero(count[:-1] == 1):
                break
        return alone, _joined(few)

    def _counted(self, number: NDArray[np.integer], kind: np.dtype[Any], context: Context) -> NDArray[np.integer]:
        """The rows of each unit, where there are no more than two; the numbers of the rows' units are written down."""
        free: deque[NDArray[np.integer]] = deque()  # each thread counts in an array of its own

        def counted(start: int, stop: int) -> None:
            at, found = self.part(start, stop)
            if not isinstance(at, slice):
                number[start:stop] = NOWHERE
            number[at] = found
            try:
                count = free.pop()
            except IndexError:
                count = np.zeros(self.span + 1, dtype=kind)
            np.add.at(count, found, kind.type(1))
            free.append(count)

        over_parts(counted, self.rows, context, "counting the rows of each unit")
        several = [np.minimum(each, 2, out=each) for each in free]
        return reduce(np.add, several) if several else np.zeros(self.span + 1, dtype=kind)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _OfUnits:
    """The rows that have a unit and the number of the rule, their groups, and that number."""

    rows: Integers
    groups: Groups
    x: Integers | None

    def totals(self, of: Scale) -> Integers:
        """Σ x of each row's group, row by row."""
        assert self.x is not None
        refuse_overflow(int(self.groups.count.max(initial=0)), of.most, of.column)
        number = self.groups.of_row
        return sums(number, self.x, len(self.groups.occupied), most=of.most)[number]

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
        found = on_grid(microdata, keep.of)
        x = found.of_row
        if keep.of.beyond is not Beyond.REFUSE:
            known.append(found.known)
    inside = Chosen.where(microdata.rows, known)
    rows = np.arange(microdata.rows) if inside.kept is None else inside.kept
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
    value = _combination(microdata, columns, Part(context, 0.0, 0.1))
    units = _Units.of(microdata, unit, None)
    of_unit = np.zeros(units.span, dtype=value.dtype)
    disputed = np.zeros(units.span, dtype=bool)
    kept = np.zeros(microdata.rows, dtype=bool)

    def written(start: int, stop: int) -> None:
        at, number = units.part(start, stop)
        of_unit[number] = value[at]

    def compared(start: int, stop: int) -> None:
        at, number = units.part(start, stop)
        disputed[number[value[at] != of_unit.take(number)]] = True

    def sorted_out(start: int, stop: int) -> tuple[Integers, Integers]:
        at, number = units.part(start, stop)
        several = disputed.take(number)
        kept[at] = ~several
        which = np.flatnonzero(several)
        return start + which if isinstance(at, slice) else at[which], number[which]

    over_parts(written, microdata.rows, Part(context, 0.1, 0.2), "finding units with several values")
    over_parts(compared, microdata.rows, Part(context, 0.2, 0.35), "finding units with several values")
    few = over_parts(sorted_out, microdata.rows, Part(context, 0.35, 0.5), "finding units with several values")
    context.step(0.5, "choosing one value for each unit")
    rows, number = _joined([rows for rows, _ in few]), _joined([number for _, number in few])
    some = seen_rows(microdata, rows)
    found = _of_units(some, unit, keep)
    standing = found.rows[found.chosen(some, keep)]
    of_unit[number] = -1  # a unit none of whose rows the rule can keep has no row at all
    of_unit[number[standing]] = value[rows[standing]]
    kept[rows] = value[rows] == of_unit[number]
    context.step(1.0, "one value for each unit")
    return microdata if kept.all() else seen_rows(microdata, np.flatnonzero(kept))


def _combination(microdata: Microdata, names: Sequence[str], context: Context) -> NDArray[np.integer]:
    """One number for each row's combination of values, a missing cell being a value."""
    held = [coded(microdata, name) for name in names]
    if math.prod(len(column.values) + 1 for column, _ in held) >= _SHORT:
        columns = [microdata.coded(name) for name in names]
        sizes = [len(column.values) + 1 for column in columns]
        return packed([column.codes.reveal() + np.int64(1) for column in columns], sizes, microdata.rows)
    made = np.zeros(microdata.rows, dtype=np.int32)

    def combined(start: int, stop: int) -> None:
        part = made[start:stop]
        for column, codes in held:
            part *= len(column.values) + 1
            part += codes.part(start, stop)
            part += 1

    over_parts(combined, microdata.rows, context, "finding units with several values")
    return made


def _joined(parts: Sequence[Integers]) -> Integers:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


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

"""Passes over the codes of all rows, in blocks short enough to stay cancellable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from workbench.core.arrays import Bools, Integers
from workbench.core.progress import Context, Part
from workbench.core.together import in_order, together
from workbench.microdata.table import CodedColumn, Codes

T = TypeVar("T")
_ROWS = 1 << 18


def varies_within(unit: CodedColumn, attribute: CodedColumn, context: Context, sentence: str) -> Bools:
    """For each unit (the last entry stands for rows without one): does the attribute vary within it?

    Write each row's code to its unit, then see whether any row disagrees with what was written last.
    """
    units, codes = unit.codes.reveal(), attribute.codes.reveal()
    written = np.zeros(len(unit.values) + 1, codes.dtype)
    bad = np.zeros(len(unit.values) + 1, bool)
    for start in range(0, len(units), _ROWS):
        written[units[start : start + _ROWS]] = codes[start : start + _ROWS]
        context.step(0.5 * start / len(units), sentence)
    for start in range(0, len(units), _ROWS):
        part = units[start : start + _ROWS]
        differs = np.take(written, part, mode="wrap") != codes[start : start + _ROWS]
        bad[part[differs]] = True
        context.step(0.5 + 0.5 * start / len(units), sentence)
    return bad


def repeated_rows(columns: Sequence[CodedColumn], context: Context, sentence: str) -> int:
    """Rows beyond the first of each combination of values, rows without one of them left out.

    Only rows whose first value stands in more than one row can repeat a combination, so only those are sorted.
    """
    first = columns[0].codes.reveal()
    if len(columns[0].values) >= len(first) and all_different(
        first, len(columns[0].values), Part(context, 0.0, 0.1), sentence
    ):
        return 0
    several = met_again(first, len(columns[0].values), Part(context, 0.0, 0.3), sentence)

    def pack(start: int) -> Integers:
        return _packed(columns, slice(start, start + _ROWS), several)

    found = _over_blocks(pack, len(first), Part(context, 0.3, 0.5), sentence)
    keys = np.concatenate(found) if found else np.zeros(0, np.int64)
    keys.sort()
    extra = 0
    for start in range(0, len(keys), _ROWS):
        part = keys[start : start + _ROWS + 1]
        extra += int(np.count_nonzero(part[1:] == part[:-1]))
        context.step(0.8 + 0.2 * start / len(keys), sentence)
    return extra


def _packed(columns: Sequence[CodedColumn], rows: slice, several: Bools) -> Integers:
    codes = [column.codes.reveal()[rows] for column in columns]
    known = np.take(several, codes[0], mode="wrap")
    for part in codes[1:]:
        known &= part >= 0
    key = codes[0][known].astype(np.int64)
    for column, part in zip(columns[1:], codes[1:], strict=True):
        key = key * max(len(column.values), 1) + part[known]
    return key


def met_again(codes: Codes, values: int, context: Context, sentence: str) -> Bools:
    """Whether each value stands in more than one row; the last entry, for missing cells, says no.

    A block's codes are sorted first: equal ones are then neighbours, and those of earlier blocks are looked up in the
    order of memory.
    """
    met, again = np.zeros(values + 1, bool), np.zeros(values + 1, bool)
    blocks = (partial(np.sort, codes[start : start + _ROWS]) for start in range(0, len(codes), _ROWS))
    for number, part in enumerate(in_order(blocks)):
        again[part[1:][part[1:] == part[:-1]]] = True
        again[part[met[part]]] = True
        met[part] = True
        context.step(min(number * _ROWS / len(codes), 1.0), sentence)
    again[-1] = False
    return again


def _over_blocks(work: Callable[[int], T], rows: int, context: Context, sentence: str) -> list[T]:
    """Work on every block of rows, several at a time. Where two write to one place, either may be the last."""
    return together([partial(work, start) for start in range(0, rows, _ROWS)], context, sentence)


def all_different(codes: Codes, values: int, context: Context, sentence: str) -> bool:
    """Whether no value stands in two rows: mark the values that occur, and compare their number with the rows."""
    met = np.zeros(values + 1, bool)

    def mark(start: int) -> int:
        part = codes[start : start + _ROWS]
        met[part] = True
        return int(np.count_nonzero(part >= 0))

    known = sum(_over_blocks(mark, len(codes), context, sentence))
    return int(np.count_nonzero(met[:-1])) == known


def rows_with(column: CodedColumn, chosen: Bools) -> int:
    """How many rows have one of the chosen values; `chosen` has an entry per value."""
    lookup = np.append(chosen, False)
    codes = column.codes.reveal()
    blocks = (codes[start : start + _ROWS] for start in range(0, len(codes), _ROWS))
    return sum(int(np.count_nonzero(np.take(lookup, block, mode="wrap"))) for block in blocks)

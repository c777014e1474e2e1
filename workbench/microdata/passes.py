"""Passes over the codes of all rows, in blocks short enough to stay cancellable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.arrays import Bools, Integers
from workbench.core.progress import Context, Part
from workbench.microdata.table import CodedColumn, Codes

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
    found: list[Integers] = []
    for start in range(0, len(first), _ROWS):
        found.append(_packed(columns, slice(start, start + _ROWS), several))
        context.step(0.3 + 0.2 * start / len(first), sentence)
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

    Write each row's number to its value, then see which rows find another number there.
    """
    kind = np.int32 if len(codes) <= np.iinfo(np.int32).max else np.int64
    written = np.empty(values + 1, kind)
    again = np.zeros(values + 1, bool)
    for start in range(0, len(codes), _ROWS):
        part = codes[start : start + _ROWS]
        written[part] = np.arange(start, start + len(part), dtype=kind)
        context.step(0.5 * start / len(codes), sentence)
    for start in range(0, len(codes), _ROWS):
        part = codes[start : start + _ROWS]
        again[part[np.take(written, part, mode="wrap") != np.arange(start, start + len(part), dtype=kind)]] = True
        context.step(0.5 + 0.5 * start / len(codes), sentence)
    again[-1] = False
    return again


def all_different(codes: Codes, values: int, context: Context, sentence: str) -> bool:
    """Whether no value stands in two rows: mark the values that occur, and compare their number with the rows."""
    met = np.zeros(values + 1, bool)
    known = 0
    for start in range(0, len(codes), _ROWS):
        part = codes[start : start + _ROWS]
        met[part] = True
        known += int(np.count_nonzero(part >= 0))
        context.step(start / len(codes), sentence)
    return int(np.count_nonzero(met[:-1])) == known


def rows_with(column: CodedColumn, chosen: Bools) -> int:
    """How many rows have one of the chosen values; `chosen` has an entry per value."""
    lookup = np.append(chosen, False)
    codes = column.codes.reveal()
    blocks = (codes[start : start + _ROWS] for start in range(0, len(codes), _ROWS))
    return sum(int(np.count_nonzero(np.take(lookup, block, mode="wrap"))) for block in blocks)

"""Columns of a file read as what flows need: numbers, and positions in a list of known codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.flows.structures import Indices, Numbers
from workbench.microdata.table import CodedColumn, Column, NumericColumn

UNKNOWN = -1


def numbers_of(column: Column) -> Numbers:
    """The column as numbers, one per row; not-a-number where it is empty or no number."""
    if isinstance(column, NumericColumn):
        return column.numbers.reveal()
    table = np.full(len(column.values) + 1, np.nan)
    for position, text in enumerate(column.values):
        table[position] = _number(str(text))
    return np.take(table, column.codes.reveal(), mode="wrap")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def positions_of(column: CodedColumn, known: Sequence[str]) -> Indices:
    """For every row, where its code stands in the sorted list `known`; UNKNOWN where it is not there or empty."""
    return rows_of(column, find_codes(column.values, known))


def find_codes(wanted: Sequence[str] | NDArray[np.str_], known: Sequence[str]) -> Indices:
    """Where each text stands in the sorted list `known`; UNKNOWN where it is not there."""
    if not len(known) or not len(wanted):
        return np.full(len(wanted), UNKNOWN, dtype=np.int32)
    listed, texts = np.asarray(known, dtype=np.str_), np.asarray(wanted, dtype=np.str_)
    place = np.minimum(np.searchsorted(listed, texts), len(listed) - 1)
    return np.where(listed[place] == texts, place, UNKNOWN).astype(np.int32)


def rows_of(column: CodedColumn, of_value: Indices) -> Indices:
    """What stands for each distinct value, spread over the rows; UNKNOWN where the cell is empty."""
    lookup = np.append(of_value, np.int32(UNKNOWN))
    return np.take(lookup, column.codes.reveal(), mode="wrap")

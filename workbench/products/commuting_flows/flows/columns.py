"""Columns of a file read as what flows need: positions in a list of known codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.microdata.table import CodedColumn, Texts
from workbench.products.commuting_flows.flows.structures import Indices

UNKNOWN = -1


def positions_of(column: CodedColumn, known: Sequence[str]) -> Indices:
    """For every row, where its code stands in the sorted list `known`; UNKNOWN where it is not there or empty."""
    return rows_of(column, find_codes(column.values, known))


def find_codes(wanted: Texts, known: Sequence[str]) -> Indices:
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

"""Which columns never change within a value of another: a sign of what describes a unit and what a single row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

MOST_ROWS = 200_000  # of the beginning of a file: enough for a suggestion
_LEAST_ROWS_EACH = 2.0


def constant_within(codes: Mapping[str, NDArray[np.int32]]) -> dict[str, tuple[str, ...]]:
    """For every column the others that tell its value, from codes per row (−1 where missing).

    Columns that tell units apart have several rows for most of their values; one with a value for nearly every row
    would tell everything and mean nothing. A column of one value follows from all others and is left out.
    """
    found: dict[str, list[str]] = {name: [] for name in codes}
    sizes = {name: int(column.max(initial=-1)) + 1 for name, column in codes.items()}
    for unit, of_row in codes.items():
        known = of_row >= 0
        units = len(np.unique(of_row[known]))
        if units < 2 or np.count_nonzero(known) < _LEAST_ROWS_EACH * units:
            continue
        for name, values in codes.items():
            if name == unit or not 1 < sizes[name] < units:
                continue
            both = known & (values >= 0)
            pairs = len(np.unique(of_row[both].astype(np.int64) * sizes[name] + values[both]))
            if pairs and pairs == len(np.unique(of_row[both])):
                found[name].append(unit)
    return {name: tuple(units) for name, units in found.items()}

"""What units contribute to groups of rows: how many units there are, and what the largest has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.tabulation.groups import Groups
from workbench.tabulation.sums import sums


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Best:
    """Per group: the most that one unit has of it, and what that unit has in all; 0 where no unit is known."""

    held: Integers
    total: Integers


def different(groups: Groups, codes: NDArray[np.integer], values: int) -> Integers:
    """How many different codes each group has; missing cells count for nothing."""
    pairs = _pairs(groups, codes, values)
    return np.bincount(pairs.positions()[:, 0], minlength=len(groups.occupied)).astype(np.int64, copy=False)


def _pairs(groups: Groups, codes: NDArray[np.integer], values: int) -> Groups:
    """Rows by group and code, where the code is known."""
    known = codes >= 0
    every = bool(known.all())
    columns = [groups.of_row if every else groups.of_row[known], codes if every else codes[known]]
    return Groups(columns=columns, sizes=[max(len(groups.occupied), 1), max(values, 1)], rows=len(columns[0]))


def best_of(groups: Groups, codes: NDArray[np.integer], values: Integers | None, *, total: Integers, most: int) -> Best:
    """The largest contribution to each group: rows, or Σ values; among equals that of the unit with most in all."""
    pairs = _pairs(groups, codes, len(total))
    found = pairs.positions()
    group, unit = found[:, 0].astype(np.int64), found[:, 1]
    if values is None:
        held = pairs.count
    else:
        held = sums(pairs.of_row, values[codes >= 0], len(pairs.occupied), most=most)
    order = np.lexsort((total[unit], held, group))
    last = np.flatnonzero(np.concatenate([group[order][1:] != group[order][:-1], [True]])) if len(order) else order
    winner = order[last]
    made = Best(
        held=np.zeros(len(groups.occupied), dtype=np.int64), total=np.zeros(len(groups.occupied), dtype=np.int64)
    )
    made.held[group[winner]] = held[winner]
    made.total[group[winner]] = total[unit[winner]]
    return made

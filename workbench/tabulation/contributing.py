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


def pairs_of(groups: Groups, codes: NDArray[np.integer], values: int) -> Groups:
    """Rows by group and code, where the code is known."""
    known = codes >= 0
    every = bool(known.all())
    columns = [groups.of_row if every else groups.of_row[known], codes if every else codes[known]]
    return Groups(columns=columns, sizes=[max(len(groups.occupied), 1), max(values, 1)], rows=len(columns[0]))


def different(groups: Groups, pairs: Groups) -> Integers:
    """How many different codes each group has; missing cells count for nothing."""
    return np.bincount(pairs.positions()[:, 0], minlength=len(groups.occupied)).astype(np.int64, copy=False)


def best_of(groups: Groups, pairs: Groups, values: Integers | None, *, total: Integers, most: int) -> Best:
    """The largest contribution to each group: rows, or Σ values; among equals that of the unit with most in all."""
    found = pairs.positions()
    group, unit = found[:, 0].astype(np.int64), found[:, 1]
    held = pairs.count if values is None else sums(pairs.of_row, values, len(pairs.occupied), most=most)
    made = Best(
        held=np.zeros(len(groups.occupied), dtype=np.int64), total=np.zeros(len(groups.occupied), dtype=np.int64)
    )
    if len(group):
        start = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))  # pairs come by group
        totals, rank = np.unique(total, return_inverse=True)
        made.held[group[start]], made.total[group[start]] = _largest(held, rank[unit], totals, start)
    return made


def _largest(held: Integers, rank: Integers, totals: Integers, start: Integers) -> tuple[Integers, Integers]:
    """The most of each run, and the largest total that stands with it: one maximum of both packed into one integer."""
    bits = (len(totals) - 1).bit_length()
    if max(int(held.max()), -int(held.min())) < 1 << (62 - bits):
        best = np.maximum.reduceat((held << bits) + rank, start)
        return best >> bits, totals[best & ((1 << bits) - 1)]
    most = np.maximum.reduceat(held, start)
    among = np.repeat(most, np.diff(start, append=len(held))) == held
    return most, totals[np.maximum.reduceat(np.where(among, rank, 0), start)]

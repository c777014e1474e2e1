"""Exact sums of integers by group, by histograms of doubles that never round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.errors import UserProblem

_EXACT = 1 << 53  # below it every integer is a double
_LIMB = 26
_BLOCK = 1 << 26  # rows whose low limbs add up to less than 2^52


def refuse_overflow(rows: int, most: int, where: str) -> None:
    """A sum of so many rows that could leave 64 bits is refused by its bounds, before anything is added."""
    if rows * most >= 1 << 63:
        raise UserProblem("The sum could become too large to be exact", where, "Declare narrower bounds")


def sums(group: NDArray[np.integer], values: Integers, groups: int, *, most: int, rows: int | None = None) -> Integers:
    """Σ values by group number, where no value is larger than `most` in size and no group's sum leaves 64 bits.

    `rows` is the size of the largest group where it is known.

    A histogram adds doubles. Where a sum could exceed 2^53 the values are split into limbs of 26 bits and the rest: the
    first add up to less than 2^52 in a block of rows, the second to less than 2^37, so both sums are exact, and they
    are put together as integers.
    """
    if most * (len(values) if rows is None else rows) < _EXACT:
        return np.bincount(group, weights=values, minlength=groups).astype(np.int64)
    total = np.zeros(groups, dtype=np.int64)
    for start in range(0, len(values), _BLOCK):
        part, of = values[start : start + _BLOCK], group[start : start + _BLOCK]
        low = np.bincount(of, weights=part & ((1 << _LIMB) - 1), minlength=groups).astype(np.int64)
        high = np.bincount(of, weights=part >> _LIMB, minlength=groups).astype(np.int64)
        total += (high << _LIMB) + low
    return total

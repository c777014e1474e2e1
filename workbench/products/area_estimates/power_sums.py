"""Counts and sums of powers by cell in few passes over the rows, exact.

A histogram adds doubles, which hold integers below 2^53. Where no cell is so large that both could reach it, two sums
share one pass: a·2^k + b, k bits being enough for Σb. Rows are taken in blocks that stay in the cache. Weighted rows,
and very large cells, are added one sum at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.area_estimates.fractional_sums import GRID, SUMS, totals
from workbench.products.area_estimates.people import People, grid_of

_BLOCK = 1 << 18
_EXACT_BITS = 53


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerSums:
    """n, ΣX and ΣX² by cell; ΣY, ΣXY and ΣY² by cell for each outcome; X and Y in thousandths."""

    n: Integers
    x: Integers
    xx: Integers
    y: tuple[Integers, ...]
    xy: tuple[Integers, ...]
    yy: tuple[Integers, ...]


def power_sums(people: People, cells: int) -> PowerSums:
    count = np.bincount(people.cell, minlength=cells)
    most = int(count.max(initial=0))
    bits = (most * GRID).bit_length()
    if people.weight is not None or bits + (most * SUMS).bit_length() > _EXACT_BITS:
        return _one_by_one(people, cells)
    return _shared(people, cells, count, bits)


def _shared(people: People, cells: int, count: Integers, bits: int) -> PowerSums:
    """ΣXY with ΣX (or with ΣY, from the second outcome on), ΣX² with the first ΣY, ΣY² alone."""
    outcomes, factor = len(people.y), float(1 << bits)
    first = np.zeros((2, cells))
    others = np.zeros((outcomes, cells))
    squares = np.zeros((outcomes, cells))
    for start in range(0, len(people), _BLOCK):
        rows = slice(start, start + _BLOCK)
        cell, x = people.cell[rows], grid_of(people.x[rows]).astype(np.float64)
        for place, outcome in enumerate(people.y):
            y = grid_of(outcome[rows]).astype(np.float64)
            if not place:
                first[0] += np.bincount(cell, x * (y * factor + 1.0), cells)
                first[1] += np.bincount(cell, x * x * factor + y, cells)
            else:
                others[place] += np.bincount(cell, y * (x * factor + 1.0), cells)
            squares[place] += np.bincount(cell, y * y, cells)
    (xy, x_sum), (xx, y_sum) = (_apart(sums, bits) for sums in first)
    pairs = [_apart(sums, bits) for sums in others[1:]]
    return PowerSums(
        n=count,
        x=x_sum,
        xx=xx,
        y=(y_sum, *(low for _, low in pairs)),
        xy=(xy, *(high for high, _ in pairs)),
        yy=tuple(sums.astype(np.int64) for sums in squares),
    )


def _apart(sums: Floats, bits: int) -> tuple[Integers, Integers]:
    """Σa and Σb from Σ(a·2^bits + b)."""
    whole = sums.astype(np.int64)
    return whole >> bits, whole & ((1 << bits) - 1)


def _one_by_one(people: People, cells: int) -> PowerSums:
    weight = people.weight

    def added(values: Integers | None) -> Integers:
        taken = values if weight is None else weight if values is None else values * weight
        return np.bincount(people.cell, minlength=cells) if taken is None else totals(taken, people.cell, cells)

    x = grid_of(people.x).astype(np.int64)
    ys = [grid_of(outcome).astype(np.int64) for outcome in people.y]
    return PowerSums(
        n=added(None),
        x=added(x),
        xx=added(x * x),
        y=tuple(added(y) for y in ys),
        xy=tuple(added(x * y) for y in ys),
        yy=tuple(added(y * y) for y in ys),
    )

"""What was drawn, published beside the report: noisy sums or bins, which readers can add up without any further loss.

The codes of `cell` are rows of the report; the product puts the names of the cell in their place.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import Coded, Columns, Units

CELL = "cell"


def noisy_sums(earned: Integers, missing: Integers, *, cap: int, units: int) -> Columns:
    """U and V of every cell, in units of B/L."""
    unit = f"units of {cap / units:g} dollars"
    return Columns(
        columns=(
            _cells(np.arange(len(earned))),
            Units(name="noisy_sum_of_earnings", integers=earned, unit=unit),
            Units(name="noisy_sum_below_cap", integers=missing, unit=unit),
        )
    )


def noisy_bins(cells: Integers, edges: list[Floats], counts: list[Integers]) -> Columns:
    """One row for each bin of each cell: `edges` and `counts` cell by cell."""
    each = np.array([len(bins) for bins in counts])
    return Columns(
        columns=(
            _cells(np.repeat(cells, each)),
            Units(name="earnings_from", integers=_joined([e[:-1] for e in edges]), unit="dollars", additive=False),
            Units(name="earnings_to", integers=_joined([e[1:] for e in edges]), unit="dollars", additive=False),
            Units(name="noisy_people", integers=np.concatenate(counts), unit="people"),
        )
    )


def _cells(codes: Integers) -> Coded:
    return Coded(name=CELL, codes=codes.astype(np.int32))


def _joined(parts: list[Floats]) -> Integers:
    return np.concatenate(parts).astype(np.int64)

"""What was drawn, published beside the report: noisy sums or bins, which readers can add up without any further loss.

The codes of `cell` are rows of the report; the product puts the names of the cell in their place.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.published import Coded, Columns, Units

CELL = "cell"
_EARNED, _BELOW = "noisy_sum_of_earnings", "noisy_sum_below_cap"


def noisy_sums(earned: Integers, missing: Integers, *, cap: int, units: int) -> Columns:
    """U and V of every cell, in units of B/L."""
    unit = f"units of {cap / units:,g} dollars"
    return Columns(
        columns=(
            _cells(np.arange(len(earned))),
            Units(name=_EARNED, integers=earned, unit=unit),
            Units(name=_BELOW, integers=missing, unit=unit),
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


def parts_note(beside: Columns | None) -> tuple[str, ...]:
    """How readers of noisy-parts.csv get from its values to counts and means."""
    if beside is None:
        return ()
    if any(column.name == _BELOW for column in beside.columns):
        (unit,) = {column.unit for column in beside.columns if isinstance(column, Units)}
        return (
            f"noisy-parts.csv holds the noisy sums from which counts and means follow, in {unit}: {_EARNED} is the sum "
            f"of earnings, {_BELOW} the sum of what is missing to the cap. The count is both together × the unit / the "
            f"cap. Mean earnings are the cap × {_EARNED} / both together. Cells can be added up first.",
        )
    return (
        "noisy-parts.csv holds the noisy number of people in each bin of pay, from earnings_from up to below "
        "earnings_to; the last bin includes the cap. Neighbouring bins can be added up, and cells with the same bins.",
    )


def _cells(codes: Integers) -> Coded:
    return Coded(name=CELL, codes=codes.astype(np.int32))


def _joined(parts: list[Floats]) -> Integers:
    return np.concatenate(parts).astype(np.int64)

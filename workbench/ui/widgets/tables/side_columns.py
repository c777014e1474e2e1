"""The columns of a comparison: how values, bounds and errors are written, and how they are put in order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.side_by_side import Beside, Compared, SideBySide
from workbench.ui.widgets.tables.table_model import Column, shown
from workbench.ui.widgets.tables.table_views import in_two_lines


def share(value: object) -> str:
    """A relative error as a percentage; more than a thousand per cent is said as such."""
    number = float(value) if isinstance(value, int | float | np.floating) else float("nan")
    if np.isnan(number):
        return "–"
    if np.isinf(number):
        return "true 0"
    return (
        "> 999 %"
        if number > 9.99
        else f"{number:.0%}".replace("%", " %")
        if number >= 0.095
        else f"{100 * number:.1f} %"
    )


def relative_error(values: Floats, true: Floats) -> Floats:
    """|value − true| ÷ true; 0 where both are 0, infinite where only the truth is."""
    difference = np.abs(values - true)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = difference / np.abs(true)
    error[(true == 0) & (difference == 0)] = 0.0
    found: Floats = error
    return found


def with_decimals(decimals: int) -> Callable[[object], str]:
    """A number with all the decimals its column is published with; a dash where there is none."""

    def written(value: object) -> str:
        number = float(value) if isinstance(value, int | float | np.floating) else float("nan")
        return f"{number:,.{decimals}f}".replace("-", "−") if np.isfinite(number) else shown(number)

    return written


def offered(rows: SideBySide, compared: Compared) -> str:
    return f"{rows.title}: {compared.name}" if rows.title else compared.name


def values_column(column: Beside, compared: Compared) -> Column:
    """What one side says, row by row; a value with bounds is followed by them."""
    values, written = column.values.reveal(), with_decimals(compared.decimals) if compared.decimals else shown
    unit = f" ({compared.unit})" if compared.unit else ""
    tip = f"{column.about or column.heading}{unit}"
    if column.low is None or column.high is None:
        return Column(in_two_lines(column.heading), values.__getitem__, number=True, show=written, tip=tip,
                      told=partial(_why_none, column, written))  # fmt: skip
    low, high = column.low.reveal(), column.high.reveal()

    def cell(row: int) -> object:
        return between(values[row], low[row], high[row], written)

    return Column(in_two_lines(column.heading), cell, number=True, tip=tip, told=partial(_why_none, column, written))


def between(value: float, low: float, high: float, written: Callable[[object], str]) -> str:
    """“12 ± 3”, “12 [9, 20]” where the bounds lie unevenly, “[0, 2]” where only they are known, and the value alone
    where they say no more."""
    bounds = f"[{written(low)}, {written(high)}]"
    if np.isnan(value):
        return bounds if np.isfinite(low) or np.isfinite(high) else written(value)
    if low == high or np.isnan(low) or np.isnan(high):
        return written(value)
    below, above = written(value - low), written(high - value)
    return f"{written(value)} ± {above}" if below == above else f"{written(value)} {bounds}"


def _why_none(column: Beside, written: Callable[[object], str], row: int) -> str:
    said = column.marks.said(row) if column.marks is not None else ""
    return f"Suppressed: {said}. {_bounded(column, row, written)} For reviewers only." if said else ""


def _bounded(column: Beside, row: int, written: Callable[[object], str]) -> str:
    """What an attacker still works out of a value that is not there."""
    if column.low is None or column.high is None:
        return "Nothing bounds it."
    low, high = (float(each.reveal()[row]) for each in (column.low, column.high))
    if not np.isfinite(low) and not np.isfinite(high):
        return "Nothing bounds it."
    if np.isfinite(low) and np.isfinite(high):
        return f"An attacker finds a value from {written(low)} to {written(high)}."
    return f"An attacker finds at {f'least {written(low)}' if np.isfinite(low) else f'most {written(high)}'}."


def errors_column(column: Beside, compared: Compared) -> Column:
    """How far one side is from the truth, as a share of it or in its unit."""
    values, true = column.values.reveal(), compared.true.reveal()
    title = f"error of\n{in_two_lines(column.heading)}"
    if compared.relative:
        error = relative_error(values, true)
        return Column(
            title,
            error.__getitem__,
            number=True,
            show=share,
            tip="|value − true| ÷ true; “true 0” where the true value is 0",
        )
    unit = f" ({compared.unit})" if compared.unit else ""
    spoken = with_decimals(compared.decimals) if compared.decimals else None
    distance = np.abs(values - true)
    return Column(title, distance.__getitem__, number=True, show=spoken, tip=f"|value − true|{unit}")


def by_number(values: Floats) -> NDArray[np.intp]:
    """Ascending; what is missing counts as smallest, so that descending starts with the largest number."""
    return np.argsort(np.where(np.isnan(values), -np.inf, values))


def by_error(values: Floats, true: Floats) -> NDArray[np.intp]:
    """By relative error; where the truth is below one, by the difference itself, which is never infinite."""
    return by_number(np.abs(values - true) / np.maximum(np.abs(true), 1))


def by_distance(values: Floats, true: Floats) -> NDArray[np.intp]:
    return by_number(np.abs(values - true))

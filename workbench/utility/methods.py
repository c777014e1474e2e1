"""The error of every method beside the release, where a plan compares with more than one.

For each quantity and method: rows without a value, mean and largest |value − true| over the rows with a value, and how
often its interval contains the true value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.quantities import show
from workbench.core.side_by_side import Beside, Compared, SideBySide
from workbench.core.value_words import ValueName, declare

declare({"methods": ValueName("Methods compared"), "closest_method": ValueName("Smallest mean error")})
_FEW = 2  # today's disclosure limitation and the release: every measure compares those two


def methods_compared(tables: Sequence[SideBySide]) -> tuple[Finding, ...]:
    """One finding over all quantities; none where only one other method, or none, stands beside the release."""
    compared = [(table, each) for table in tables for each in table.quantities]
    if max((len(each.others) for _, each in compared), default=0) <= _FEW:
        return ()
    first = compared[0][1]
    whole = [column for column in first.others if len(_distances(column, first)) == first.rows > 0]
    known = {column.heading: _mean_error(column, first) for column in whole}  # a method that leaves out has it easy
    closest = min(known, key=known.__getitem__, default="")
    said = _closest(closest, _measured(known[closest], first), len(known)) if known else (
        "No method has a value in every row."
    )  # fmt: skip
    return (
        Finding(
            id="methods-compared",
            title="Methods compared",
            status=Status.INFO,
            sentence=f"{said} {len(first.others)} methods are compared on {first.name}.",
            values={"methods": len(first.others), "closest_method": closest},
            tables=tuple(_table(table) for table in tables if table.quantities),
            figures=tuple(_figure(table, each) for table, each in compared if _leads(table, each)),
            does_not_prove="Each method was drawn once; another draw would give other errors. Privacy is not compared.",
        ),
    )


def _closest(name: str, error: str, whole: int) -> str:
    """The best of several; where one alone leaves no row out there is nothing to be better than."""
    if whole == 1:
        return f"Only {name} has a value in every row; its mean error is {error}."
    return (
        f"{name[:1].upper()}{name[1:]} has the smallest mean error of the methods with a value in every row ({error})."
    )


def _measured(error: float, compared: Compared) -> str:
    return f"{show(error, 3)} {compared.unit}".strip()


def _leads(table: SideBySide, compared: Compared) -> bool:
    """One figure for each table, of its first quantity: the others stand in the table, each in a unit of its own."""
    return compared is table.quantities[0] and len(compared.others) > _FEW


def _named(table: SideBySide, compared: Compared) -> str:
    return f"{table.title}: {compared.name}" if table.title else compared.name


def _table(table: SideBySide) -> Table:
    return Table(
        title=f"Error by method{f': {table.title}' if table.title else ''}",
        columns=(
            "Value",
            "Method",
            "Rows without a value",
            "Mean error",
            "Largest error",
            "Unit",
            "Intervals that hold, %",
        ),
        rows=tuple(_row(column, each) for each in table.quantities for column in each.others),
        note="An interval holds where it contains the true value.",
    )


def _row(column: Beside, compared: Compared) -> tuple[Value, ...]:
    distance = _distances(column, compared)
    gone = compared.rows - len(distance)
    errors = (float(distance.mean()), float(distance.max())) if len(distance) else (None, None)
    return compared.name, column.heading, gone, *errors, compared.unit or None, _held(column, compared)


def _held(column: Beside, compared: Compared) -> float | None:
    """The share of rows with bounds whose bounds hold the truth."""
    if column.low is None or column.high is None:
        return None
    low, high, true = column.low.reveal(), column.high.reveal(), compared.true.reveal()
    there = ~(np.isnan(low) | np.isnan(high) | np.isnan(true)) & (low < high)
    return float(100 * np.mean((low <= true)[there] & (true <= high)[there])) if there.any() else None


def _distances(column: Beside, compared: Compared) -> np.ndarray:
    distance = np.abs(column.values.reveal() - compared.true.reveal())
    return distance[np.isfinite(distance)]


def _mean_error(column: Beside, compared: Compared) -> float:
    distance = _distances(column, compared)
    return float(distance.mean()) if len(distance) else float("nan")


def _figure(table: SideBySide, compared: Compared) -> Figure:
    errors = [(column.heading, _mean_error(column, compared)) for column in compared.others]
    known = [(heading, error) for heading, error in errors if np.isfinite(error)]
    return Figure(
        kind=Kind.BARS,
        title=f"Mean error by method: {_named(table, compared)}",
        x=Axis(label="Method", categories=tuple(heading for heading, _ in known)),
        y=Axis(label="Mean |value − true|", unit=compared.unit),
        series=(Series(name="mean error", x=_places(known), y=tuple(error for _, error in known)),),
    )


def _places(of: Iterable[object]) -> tuple[float, ...]:
    return tuple(float(place) for place, _ in enumerate(of))

"""A figure as a table: what "copy data" and "save CSV" write, and the numbers that hover shows."""

from __future__ import annotations

import csv
import io
import math

from workbench.core.figures import Axis, Figure, Kind
from workbench.core.quantities import short_power

Cell = str | float


def table_of(figure: Figure) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """(titles, rows): one row per point of each series, or per cell of a heat map."""
    if figure.kind is Kind.HEAT_MAP:
        return (figure.y.title(), figure.x.title(), "value"), [
            (position(figure.y, row), position(figure.x, column), value)
            for row, line in enumerate(figure.grid)
            for column, value in enumerate(line)
        ]
    if figure.kind is Kind.DISTRIBUTION:
        return ("series", f"{figure.x.title()} from", f"{figure.x.title()} to", figure.y.title()), [
            (series.name, low, high, height)
            for series in figure.series
            for low, high, height in zip(series.x, series.x[1:], series.y, strict=False)
        ]
    bounded = any(series.low or series.high for series in figure.series)
    rows: list[tuple[Cell, ...]] = []
    for series in figure.series:
        for at, (x, y) in enumerate(zip(series.x, series.y, strict=False)):
            bounds = (_at(series.low, at), _at(series.high, at)) if bounded else ()
            rows.append((series.name, position(figure.x, x), position(figure.y, y), *bounds))
    return ("series", figure.x.title(), figure.y.title(), *(("low", "high") if bounded else ())), rows


def _at(values: tuple[float, ...], at: int) -> Cell:
    return values[at] if at < len(values) else ""


def position(axis: Axis, value: float) -> Cell:
    """A place on an axis: its category's name, or the number."""
    whole = round(value) if math.isfinite(value) else -1
    return axis.categories[whole] if 0 <= whole < len(axis.categories) else value


def as_text(figure: Figure, *, separator: str) -> str:
    """The table with titles, separated by tabs (for the clipboard) or commas (for a file)."""
    titles, rows = table_of(figure)
    target = io.StringIO()
    writer = csv.writer(target, delimiter=separator, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows(rows)
    return target.getvalue()


def number(value: float) -> str:
    """A number for a tool tip: four digits, thousands separated, a real minus sign."""
    if math.isnan(value):
        return "not defined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e9 or size < 1e-4:
        text = short_power(value)
    elif value == round(value):
        text = f"{value:,.0f}"
    else:
        text = f"{value:,.1f}" if size >= 1000 else f"{value:.4g}"
    return text.replace("-", "−")

"""What a figure says, in numbers: as a table for "copy data" and "save CSV", and read off its lines at a place."""

from __future__ import annotations

import csv
import io
import math
from bisect import bisect_left

from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.quantities import short_power

Cell = str | float
Rows = list[tuple[Cell, ...]]


def table_of(figure: Figure) -> tuple[tuple[str, ...], Rows]:
    """(titles, rows): one row per point of each series, or per cell of a heat map or table."""
    if figure.kind is Kind.HEAT_MAP:
        return _heat_table(figure)
    if figure.kind is Kind.TABLE:
        return _cell_table(figure)
    if figure.kind is Kind.DISTRIBUTION and not figure.cumulative:
        return ("series", f"{figure.x.title()} from", f"{figure.x.title()} to", figure.y.title()), [
            (series.name, low, high, height)
            for series in figure.series
            for low, high, height in zip(series.x, series.x[1:], series.y, strict=False)
        ]
    return _point_table(figure)


def _point_table(figure: Figure) -> tuple[tuple[str, ...], Rows]:
    """The columns that some series fills; a map's `high` is what the size of its circles shows."""
    mapped = figure.kind is Kind.MAP
    names = {"keys": "key", "low": "low", "high": "size" if mapped else "high",
             "value": figure.colour.title() if figure.colour is not None else "value"}  # fmt: skip
    used = [name for name in names if any(getattr(series, name) for series in figure.series)]
    rows: Rows = []
    for series in figure.series:
        for at, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
            more = (_at(getattr(series, name), at) for name in used)
            rows.append((series.name, position(figure.x, x), position(figure.y, y), *more))
    return ("series", figure.x.title(), figure.y.title(), *(names[name] for name in used)), rows


def _heat_table(figure: Figure) -> tuple[tuple[str, ...], Rows]:
    """Every cell by its place; the paths over it, where there are some, follow with their own names."""
    value = figure.colour.title() if figure.colour is not None else "value"
    titles = (figure.y.title(), figure.x.title(), value)
    rows: Rows = [
        (*cell_place(figure, row, column), number)
        for row, line in enumerate(figure.grid)
        for column, number in enumerate(line)
    ]
    if not figure.series:
        return titles, rows
    paths: Rows = [
        (series.name, position(figure.y, y), position(figure.x, x), "")
        for series in figure.series
        for x, y in zip(series.x, series.y, strict=True)
    ]
    return ("layer", *titles), [("surface", *row) for row in rows] + paths


def _cell_table(figure: Figure) -> tuple[tuple[str, ...], Rows]:
    marks = marks_by_cell(figure)
    rows: Rows = []
    for row, line in enumerate(figure.grid):
        for column, value in enumerate(line):
            series, at = marks.get((row, column), (None, 0))
            mark = (series.name, _at(series.low, at), _at(series.high, at)) if series is not None else ("", "", "")
            rows.append((*cell_place(figure, row, column), "" if math.isnan(value) else value, *mark))
    return (figure.y.title(), figure.x.title(), "value", "mark", "low", "high"), rows


def marks_by_cell(figure: Figure) -> dict[tuple[int, int], tuple[Series, int]]:
    """(row, column) of a table → the series that marks it and the place in that series; the first one counts."""
    found: dict[tuple[int, int], tuple[Series, int]] = {}
    for series in figure.series:
        for at, (column, row) in enumerate(zip(series.x, series.y, strict=True)):
            found.setdefault((int(row), int(column)), (series, at))
    return found


def cell_place(figure: Figure, row: int, column: int) -> tuple[Cell, Cell]:
    """(upright, across): the names of a cell of the grid, its numbers, or the middle of the cell where axes are."""
    if figure.extent is None:
        return position(figure.y, row), position(figure.x, column)
    left, right, low, high = figure.extent
    return (
        _middle(figure.y, low, high, (row + 0.5) / len(figure.grid)),
        _middle(figure.x, left, right, (column + 0.5) / len(figure.grid[0])),
    )


def _middle(axis: Axis, low: float, high: float, share: float) -> float:
    return low * (high / low) ** share if axis.log and low > 0 else low + share * (high - low)


def _at(values: tuple[float, ...] | tuple[str, ...], at: int) -> Cell:
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


def values_at(figure: Figure, x: float) -> tuple[tuple[str, float], ...]:
    """What every line of the figure says at x, between its points as the eye reads it: along the axes' own scales."""
    found = ((series.name, _between(figure, series, x)) for series in figure.series)
    return tuple((name, value) for name, value in found if value is not None and math.isfinite(value))


def _between(figure: Figure, series: Series, x: float) -> float | None:
    """The line's height at x; None beside its ends or in a gap. Its points go from left to right."""
    if not series.x or not series.x[0] <= x <= series.x[-1]:
        return None
    after = bisect_left(series.x, x)
    if series.x[after] == x:
        return series.y[after]
    left, right = series.x[after - 1 : after + 1]
    low, high = series.y[after - 1 : after + 1]
    across = (math.log(x / left) / math.log(right / left)) if figure.x.log else (x - left) / (right - left)
    if figure.y.log and low > 0 and high > 0:
        return low * math.exp(across * math.log(high / low))
    return low + across * (high - low)

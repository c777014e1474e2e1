"""Figures as data. The window draws them with pyqtgraph, the report with matplotlib, both from these values.

A figure is checked when it is made: fields that its kind does not draw are a mistake of whoever made it, a Defect.
What the numbers are is never a mistake: gaps, zeros and infinities are drawn as gaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from workbench.core.errors import Defect
from workbench.core.plain import LATER

Point = tuple[float, float]
Ring = tuple[Point, ...]  # a line through these points; an area's ring ends where it began


class Kind(StrEnum):
    LINES = "lines"  # with low and high: a band
    SCATTER = "scatter"
    BARS = "bars"  # side by side, or stacked; with low and high: whiskers
    HEAT_MAP = "heat map"  # a grid of numbers as colours; series are paths laid over it
    DISTRIBUTION = (
        "distribution"  # a histogram: x holds the n+1 edges, y the n heights; cumulative: steps through (x, y)
    )
    INTERVAL = "interval"  # y with low and high
    MAP = "map"  # x and y are coordinates; `high` is shown as the area of a circle, `value` as colour
    TABLE = "table"  # a grid of numbers as text; each series marks cells, x the column, y the row


GRIDDED = frozenset({Kind.HEAT_MAP, Kind.TABLE})
_CLICKED = frozenset({Kind.SCATTER, Kind.INTERVAL, Kind.MAP, Kind.TABLE})
_BOUNDED = frozenset({Kind.LINES, Kind.BARS, Kind.INTERVAL, Kind.TABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    label: str
    unit: str = ""
    log: bool = False
    categories: tuple[str, ...] = ()  # names of the positions 0, 1, 2 … where the axis is not a number

    def title(self) -> str:
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One named line, cloud, set of bars or layer of a map. Plain tuples of floats: a figure is itself a value.

    `keys` names what each point stands for, so that a click can tell. `areas` holds the rings of each place of a map;
    x and y are then a point inside it.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    dashed: bool = False
    muted: bool = False  # drawn in grey: context, not the subject
    value: tuple[float, ...] = field(default=(), metadata=LATER)
    keys: tuple[str, ...] = field(default=(), metadata=LATER)
    areas: tuple[tuple[Ring, ...], ...] = field(default=(), metadata=LATER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A reference line across the plot, with its name: the claimed ε, today's error.

    `moves` names a setting of the mechanism, where there is one: dragging the line in the window sets it.
    """

    name: str
    value: float
    vertical: bool = False
    moves: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Data plus kind, axes with units, series with names.

    `grid` holds the cells of heat maps and tables, row by row. Row 0 is at the top; with an `extent` (left, right, low,
    high: the outer edges of the grid in numbers of the axes) it is at the bottom and the cells are evenly spaced on the
    axes' scales. `colour` names what colours show, with its unit.

    `picks` and `polygon` name settings of the exploration that made the figure: a click on a point sets the one to the
    point's key, an outline drawn on a map the other to the outline's corners.
    """

    kind: Kind
    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...] = ()
    marks: tuple[Mark, ...] = ()
    grid: tuple[tuple[float, ...], ...] = ()
    outlined: tuple[tuple[int, int], ...] = ()  # (row, column) of cells that matter most
    subtitle: str = ""
    colour: Axis | None = field(default=None, metadata=LATER)
    extent: tuple[float, float, float, float] | None = field(default=None, metadata=LATER)
    stacked: bool = field(default=False, metadata=LATER)
    cumulative: bool = field(default=False, metadata=LATER)
    picks: str = field(default="", metadata=LATER)
    polygon: str = field(default="", metadata=LATER)

    WRITTEN_STILL: ClassVar[Mapping[str, object]] = {"extra": {}}  # a field that is gone: reports keep their digests

    def __post_init__(self) -> None:
        for fault in (*_faults(self), *(fault for series in self.series for fault in _series_faults(self, series))):
            raise Defect(f"a figure of kind {self.kind.value} {fault}")


def _faults(figure: Figure) -> Iterator[str]:
    kind, gridded = figure.kind, figure.kind in GRIDDED
    widths = {len(row) for row in figure.grid}
    if figure.grid and not gridded:
        yield "has a grid, which it does not draw"
    if len(widths) > 1:
        yield "has rows of different lengths"
    wide = max(widths, default=0)
    if any(not (0 <= row < len(figure.grid) and 0 <= column < wide) for row, column in figure.outlined):
        yield "outlines a cell that its grid does not have"
    if figure.extent is not None and (kind is not Kind.HEAT_MAP or figure.x.categories or figure.y.categories):
        yield "has an extent, which only heat maps between two axes of numbers have"
    if figure.extent is not None and not (figure.extent[0] < figure.extent[1] and figure.extent[2] < figure.extent[3]):
        yield "has an extent without width or height"
    if figure.colour is not None and kind not in {Kind.HEAT_MAP, Kind.MAP}:
        yield "names what colours show, and colours show nothing"
    if figure.stacked and (kind is not Kind.BARS or figure.y.log):
        yield "is stacked, which only bars over an even axis can be"
    if figure.cumulative and kind is not Kind.DISTRIBUTION:
        yield "is cumulative, which only a distribution can be"
    if figure.picks and not any(series.keys for series in figure.series):
        yield "lets a point be picked, and no point has a key"
    if figure.polygon and kind is not Kind.MAP:
        yield "lets a polygon be drawn, which only a map does"


def _series_faults(figure: Figure, series: Series) -> Iterator[str]:
    kind, many = figure.kind, len(series.y)
    edges = 1 if kind is Kind.DISTRIBUTION and not figure.cumulative and many else 0
    if len(series.x) != many + edges:
        yield "has a series whose x and y do not belong together"
    if any(part and len(part) != many for part in (series.low, series.high, series.value, series.keys, series.areas)):
        yield "has a series with a bound, value, key or area too few or too many"
    if series.low and kind not in _BOUNDED:
        yield "has lower bounds, which it does not draw"
    if kind in _BOUNDED and bool(series.low) != bool(series.high):
        yield "has bounds on one side only"
    if series.high and kind not in _BOUNDED and kind is not Kind.MAP:
        yield "has upper bounds, which it does not draw"
    if series.keys and kind not in _CLICKED:
        yield "has keys, and its points cannot be clicked"
    if (series.value or series.areas) and kind is not Kind.MAP:
        yield "has values for colours or areas, which only a map draws"
    if series.value and figure.colour is None:
        yield "has colours that nothing explains"
    if figure.stacked and series.low:
        yield "has whiskers on bars that stand on each other"
    if kind is Kind.TABLE and not all(_on_grid(figure, x, y) for x, y in zip(series.x, series.y, strict=False)):
        yield "marks a cell that its grid does not have"


def _on_grid(figure: Figure, column: float, row: float) -> bool:
    whole = column == int(column) and row == int(row)
    return whole and 0 <= row < len(figure.grid) and 0 <= column < len(figure.grid[0])

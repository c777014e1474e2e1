"""Figures as data. The window draws them with pyqtgraph, the report with matplotlib, both from these values."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    LINES = "lines"
    SCATTER = "scatter"
    BARS = "bars"
    HEAT_MAP = "heat map"
    DISTRIBUTION = "distribution"  # a histogram: x holds the n+1 edges, y the n heights
    INTERVAL = "interval"  # y with low and high
    MAP = "map"  # x and y are coordinates, size the value


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
    """One named line, cloud or set of bars. Plain tuples of floats, so that a figure is itself a value."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    dashed: bool = False
    muted: bool = False  # drawn in grey: context, not the subject


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
    """Data plus kind, axes with units, series with names. `grid` is used by heat maps only (row by row)."""

    kind: Kind
    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...] = ()
    marks: tuple[Mark, ...] = ()
    grid: tuple[tuple[float, ...], ...] = ()
    outlined: tuple[tuple[int, int], ...] = ()  # (row, column) of heat-map cells that matter most
    subtitle: str = ""
    extra: dict[str, str] = field(default_factory=dict)


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

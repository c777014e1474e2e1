"""Draws the series of a figure into a pyqtgraph plot, one function per kind, and says which range holds it all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from workbench.core.arrays import Floats
from workbench.core.figures import Figure, Kind, Series
from workbench.ui import theme
from workbench.ui.widgets.figures.axes import to_scale
from workbench.ui.widgets.figures.heat import HeatCells
from workbench.ui.widgets.figures.legend import DISC, FEW, SeriesLook, looks_of

Bounds = tuple[float, float, float, float]  # left, right, low, high in scale space


def draw(plot: Any, figure: Figure) -> Bounds:
    """Put the figure's items into an empty plot; the bounds hold data and reference lines."""
    if figure.kind is Kind.HEAT_MAP:
        cells = HeatCells(figure)
        plot.addItem(cells)
        area = cells.boundingRect()
        return area.left(), area.right(), area.top(), area.bottom()
    drawer = _DRAWERS[figure.kind]
    seen: list[tuple[Floats, Floats]] = []
    count = len(figure.series)
    for number, (series, look) in enumerate(zip(figure.series, looks_of(figure), strict=True)):
        seen.append(drawer(plot, figure, series, look, (number, count)))
    return bounds(figure, seen)


def bounds(figure: Figure, seen: Sequence[tuple[Floats, Floats]]) -> Bounds:
    """The range of everything drawn and every mark, with a little air; categories get half a step at both ends."""
    across = np.concatenate([x for x, _ in seen] or [np.zeros(0)])
    up = np.concatenate([y for _, y in seen] or [np.zeros(0)])
    across = np.append(across, to_scale(figure.x, [mark.value for mark in figure.marks if mark.vertical]))
    up = np.append(up, to_scale(figure.y, [mark.value for mark in figure.marks if not mark.vertical]))
    left, right = _span(across)
    low, high = _span(up)
    if figure.x.categories:
        left, right = -0.6, len(figure.x.categories) - 0.4
    elif figure.kind is not Kind.DISTRIBUTION:
        left, right = _aired(left, right, 0.03, 0.03)
    if figure.y.categories:
        return left, right, -0.6, len(figure.y.categories) - 0.4
    grounded = figure.kind in {Kind.BARS, Kind.DISTRIBUTION} and not figure.y.log and low >= 0
    return (left, right, *_aired(low, high, 0.0 if grounded else 0.06, 0.08))


def _span(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _aired(low: float, high: float, below: float, above: float) -> tuple[float, float]:
    length = high - low
    return low - below * length, high + above * length


def _pen(look: SeriesLook, width: float = 2.0) -> QPen:
    style = Qt.PenStyle.DashLine if look.dashed else Qt.PenStyle.SolidLine
    pen: QPen = pg.mkPen(QColor(look.colour), width=width, style=style)
    return pen


Place = tuple[int, int]  # (number of this series, how many there are)
Drawer = Callable[[Any, Figure, Series, SeriesLook, Place], tuple[Floats, Floats]]


def _lines(plot: Any, figure: Figure, series: Series, look: SeriesLook, place: Place) -> tuple[Floats, Floats]:
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    if series.low and series.high:
        _band(plot, figure, series, look)
    plot.addItem(pg.PlotCurveItem(x, y, pen=_pen(look, 1.5 if series.muted else 2.2), connect="finite", antialias=True))
    if look.dotted:
        at = slice(None) if len(x) <= FEW else slice(len(x) // 14 + place[0] * 3, None, max(1, len(x) // 7))
        _dots(plot, x[at], y[at], look, 7)
    return x, np.concatenate([y, to_scale(figure.y, series.low), to_scale(figure.y, series.high)])


def _band(plot: Any, figure: Figure, series: Series, look: SeriesLook) -> None:
    ink = QColor(look.colour)
    ink.setAlpha(45)
    x = to_scale(figure.x, series.x)
    edges = [pg.PlotCurveItem(x, to_scale(figure.y, values), pen=None) for values in (series.low, series.high)]
    for edge in edges:
        plot.addItem(edge)
    plot.addItem(pg.FillBetweenItem(*edges, brush=ink))


def _dots(plot: Any, x: Floats, y: Floats, look: SeriesLook, size: float) -> None:
    known = np.isfinite(x) & np.isfinite(y)
    edge = (
        pg.mkPen(QColor(theme.tokens().surface), width=0.8)
        if look.symbol not in "+x"
        else pg.mkPen(look.colour, width=2)
    )
    plot.addItem(
        pg.ScatterPlotItem(x[known], y[known], symbol=look.symbol, size=size, pen=edge, brush=QColor(look.colour))
    )


def _scatter(plot: Any, figure: Figure, series: Series, look: SeriesLook, _place: Place) -> tuple[Floats, Floats]:
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    _dots(plot, x, y, look, 8 if len(x) < 500 else 5)
    return x, y


def _map(plot: Any, figure: Figure, series: Series, look: SeriesLook, place: Place) -> tuple[Floats, Floats]:
    """Places as discs whose area follows `high`, on one scale for all series; every later series is a ring around."""
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    ink = QColor(look.colour)
    ink.setAlpha(DISC)
    value = np.nan_to_num(np.asarray(series.high, dtype=np.float64)) if series.high else np.ones(len(x))
    top = max((max(one.high, default=0.0) for one in figure.series), default=0.0)
    size = 6 + 26 * np.sqrt(np.clip(value, 0, None) / top) if series.high and top > 0 else np.full(len(x), 10.0)
    ring = place[0] > 0
    edge = pg.mkPen(QColor(look.colour), width=2) if ring else pg.mkPen(QColor(theme.tokens().surface), width=0.8)
    plot.addItem(pg.ScatterPlotItem(x, y, symbol="o", size=size, pen=edge, brush=None if ring else ink))
    return x, y


def _bars(plot: Any, figure: Figure, series: Series, look: SeriesLook, place: Place) -> tuple[Floats, Floats]:
    number, count = place
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    step = 1.0 if figure.x.categories or len(x) < 2 else float(np.nanmin(np.diff(np.unique(x))))
    wide = 0.74 * step / count
    shift = (number - (count - 1) / 2) * wide
    ground = _ground(figure)
    plot.addItem(
        pg.BarGraphItem(x=x + shift, y0=ground, height=np.nan_to_num(y - ground), width=wide * 0.92,
                        pen=pg.mkPen(QColor(theme.tokens().surface), width=1), brush=QColor(look.colour))
    )  # fmt: skip
    return np.concatenate([x - step / 2, x + step / 2]), np.append(y, ground)


def _ground(figure: Figure) -> float:
    """Where bars stand: at zero, or a little below the smallest value of a logarithmic axis."""
    if not figure.y.log:
        return 0.0
    known = to_scale(figure.y, [value for series in figure.series for value in series.y])
    known = known[np.isfinite(known)]
    return float(np.floor(known.min() - 0.05)) if len(known) else 0.0


def _distribution(plot: Any, figure: Figure, series: Series, look: SeriesLook, place: Place) -> tuple[Floats, Floats]:
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    ink = QColor(look.colour)
    ink.setAlpha(200 if place[1] == 1 else 90)
    ground = _ground(figure)
    heights = np.nan_to_num(y, nan=ground)[: max(0, len(x) - 1)]
    if len(heights):
        plot.addItem(
            pg.PlotCurveItem(x, heights, stepMode="center", fillLevel=ground, brush=ink, pen=_pen(look, 1.4))
        )  # fmt: skip
    return x, np.append(y, ground)


def _interval(plot: Any, figure: Figure, series: Series, look: SeriesLook, place: Place) -> tuple[Floats, Floats]:
    number, count = place
    shift = (number - (count - 1) / 2) * 0.18 if figure.x.categories else 0.0
    x, y = to_scale(figure.x, series.x) + shift, to_scale(figure.y, series.y)
    low = to_scale(figure.y, series.low) if series.low else y
    high = to_scale(figure.y, series.high) if series.high else y
    bars = pg.ErrorBarItem(x=x, y=y, top=high - y, bottom=y - low, beam=0.12 if figure.x.categories else None,
                           pen=_pen(look, 2))  # fmt: skip
    plot.addItem(bars)
    _dots(plot, x, y, look, 10)
    return x, np.concatenate([y, low, high])


_DRAWERS: dict[Kind, Drawer] = {
    Kind.LINES: _lines,
    Kind.SCATTER: _scatter,
    Kind.BARS: _bars,
    Kind.DISTRIBUTION: _distribution,
    Kind.INTERVAL: _interval,
    Kind.MAP: _map,
}

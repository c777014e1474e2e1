"""Draws the series of a figure into a pyqtgraph plot, one function per kind, and says which range holds it all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor

from workbench.core.arrays import Floats
from workbench.core.figures import Figure, Kind, Series
from workbench.core.palette import FEW, Look, looks_of
from workbench.ui import theme
from workbench.ui.widgets.figures.axes import to_scale
from workbench.ui.widgets.figures.cells import MarkedCells
from workbench.ui.widgets.figures.heat import HeatCells, draw_paths
from workbench.ui.widgets.figures.legend import SYMBOLS, ink, pen_of
from workbench.ui.widgets.figures.maps import draw_layer
from workbench.ui.widgets.figures.raster import MANY, PointCloud

Bounds = tuple[float, float, float, float]  # left, right, low, high in scale space
Drawn = tuple[Floats, Floats]  # what has to be in view
_SMOOTH = 1_200  # points of a line that are drawn one by one; of more, the least and the greatest of every stretch


def draw(plot: Any, figure: Figure) -> Bounds:
    """Put the figure's items into an empty plot; the bounds hold data and reference lines."""
    if figure.kind in {Kind.HEAT_MAP, Kind.TABLE}:
        cells = HeatCells(figure) if figure.kind is Kind.HEAT_MAP else MarkedCells(figure)
        plot.addItem(cells)
        if figure.kind is Kind.HEAT_MAP:
            draw_paths(plot, figure)
        area = cells.boundingRect()
        return area.left(), area.right(), area.top(), area.bottom()
    if figure.stacked:
        return bounds(figure, _stacked(plot, figure))
    drawer = _DRAWERS[figure.kind]
    count = len(figure.series)
    looked = enumerate(zip(figure.series, looks_of(figure), strict=True))
    return bounds(figure, [drawer(plot, figure, series, look, (number, count)) for number, (series, look) in looked])


def bounds(figure: Figure, seen: Sequence[Drawn]) -> Bounds:
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


Place = tuple[int, int]  # (number of this series, how many there are)
Drawer = Callable[[Any, Figure, Series, Look, Place], Drawn]


def _lines(plot: Any, figure: Figure, series: Series, look: Look, place: Place) -> Drawn:
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    if series.low and series.high:
        _band(plot, figure, series, look)
    curve = thinned(x, y)
    pen = pen_of(look, 1.5 if series.muted else 2.2)
    plot.addItem(pg.PlotCurveItem(*curve, pen=pen, connect="finite", antialias=True))
    if look.dotted:
        at = slice(None) if len(x) <= FEW else slice(len(x) // 14 + place[0] * 3, None, max(1, len(x) // 7))
        _dots(plot, x[at], y[at], look, 7)
    return x, np.concatenate([y, to_scale(figure.y, series.low), to_scale(figure.y, series.high)])


def thinned(x: Floats, y: Floats, most: int = _SMOOTH) -> Drawn:
    """A long line as the eye sees it: the least and the greatest height of every stretch, in their order."""
    if len(x) <= most:
        return x, y
    each = -(-len(x) // (most // 2))
    whole = len(x) // each * each
    heights = np.where(np.isfinite(y[:whole]), y[:whole], 0.0).reshape(-1, each)
    pair = np.sort(np.stack([heights.argmin(axis=1), heights.argmax(axis=1)], axis=1), axis=1)
    at = np.unique(np.concatenate([(pair + np.arange(len(heights))[:, None] * each).ravel(), np.arange(whole, len(x)),
                                   np.flatnonzero(~np.isfinite(y)), [0, len(x) - 1]]))  # fmt: skip
    return x[at], y[at]


def _band(plot: Any, figure: Figure, series: Series, look: Look) -> None:
    faint = ink(look)
    faint.setAlpha(45)
    x = to_scale(figure.x, series.x)
    edges = [
        pg.PlotCurveItem(*thinned(x, to_scale(figure.y, values)), pen=None) for values in (series.low, series.high)
    ]
    for edge in edges:
        plot.addItem(edge)
    plot.addItem(pg.FillBetweenItem(*edges, brush=faint))


def _dots(plot: Any, x: Floats, y: Floats, look: Look, size: float) -> None:
    known = np.isfinite(x) & np.isfinite(y)
    if np.count_nonzero(known) > MANY:
        plot.addItem(PointCloud(x[known], y[known], ink(look)))
        return
    edge = pg.mkPen(QColor(theme.tokens().surface), width=0.8)
    size *= 1.3 if look.symbol in {"star", "plus", "cross", "diamond"} else 1.0
    symbol = SYMBOLS[look.symbol]
    plot.addItem(pg.ScatterPlotItem(x[known], y[known], symbol=symbol, size=size, pen=edge, brush=ink(look)))


def _scatter(plot: Any, figure: Figure, series: Series, look: Look, _place: Place) -> Drawn:
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    if look.lined:  # a line of reference through the cloud, such as "equal"
        plot.addItem(pg.PlotCurveItem(x, y, pen=pen_of(look), connect="finite", antialias=True))
    else:
        _dots(plot, x, y, look, 8 if len(x) < 500 else 5)
    return x, y


def _bars(plot: Any, figure: Figure, series: Series, look: Look, place: Place) -> Drawn:
    number, count = place
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    step = _step(figure, x)
    wide = 0.74 * step / count
    at = x + (number - (count - 1) / 2) * wide
    ground = _ground(figure)
    _bar_item(plot, at, np.full(len(x), ground), np.nan_to_num(y - ground), wide * 0.92, look)
    low, high = to_scale(figure.y, series.low), to_scale(figure.y, series.high)
    if len(low):
        whisker = pg.mkPen(QColor(theme.tokens().text), width=1.4)
        plot.addItem(pg.ErrorBarItem(x=at, y=y, top=high - y, bottom=y - low, beam=wide * 0.3, pen=whisker))
    return np.concatenate([x - step / 2, x + step / 2]), np.concatenate([y, low, high, [ground]])


def _stacked(plot: Any, figure: Figure) -> list[Drawn]:
    """What is above zero is stacked upwards, what is below downwards."""
    reached: dict[tuple[float, bool], float] = {}
    seen: list[Drawn] = []
    for series, look in zip(figure.series, looks_of(figure), strict=True):
        x, y = to_scale(figure.x, series.x), np.nan_to_num(to_scale(figure.y, series.y))
        feet = np.zeros(len(y))
        for at, (place, height) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            feet[at] = reached.get((place, height < 0), 0.0)
            reached[place, height < 0] = feet[at] + height
        step = _step(figure, x)
        _bar_item(plot, x, feet, y, 0.66 * step, look)
        seen.append((np.concatenate([x - step / 2, x + step / 2]), np.concatenate([feet, feet + y])))
    return seen


def _step(figure: Figure, x: Floats) -> float:
    return 1.0 if figure.x.categories or len(x) < 2 else float(np.nanmin(np.diff(np.unique(x))))


def _bar_item(plot: Any, x: Floats, feet: Floats, heights: Floats, width: float, look: Look) -> None:
    edge = pg.mkPen(QColor(theme.tokens().surface), width=1)
    plot.addItem(pg.BarGraphItem(x=x, y0=feet, height=heights, width=width, pen=edge, brush=ink(look)))


def _ground(figure: Figure) -> float:
    """Where bars stand: at zero, or a little below the smallest value of a logarithmic axis."""
    if not figure.y.log:
        return 0.0
    known = to_scale(figure.y, [value for series in figure.series for value in series.y])
    known = known[np.isfinite(known)]
    return float(np.floor(known.min() - 0.05)) if len(known) else 0.0


def _distribution(plot: Any, figure: Figure, series: Series, look: Look, place: Place) -> Drawn:
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    if figure.cumulative:
        plot.addItem(pg.PlotCurveItem(*_steps(x, y), pen=pen_of(look, 2.2), connect="finite", antialias=True))
        return x, y
    fill = ink(look)
    fill.setAlpha(200 if place[1] == 1 else 90)
    ground = _ground(figure)
    heights = np.nan_to_num(y, nan=ground)
    if len(heights):
        plot.addItem(
            pg.PlotCurveItem(x, heights, stepMode="center", fillLevel=ground, brush=fill, pen=pen_of(look, 1.4))
        )  # fmt: skip
    return x, np.append(y, ground)


def _steps(x: Floats, y: Floats) -> Drawn:
    """From one point level to the next place, then up: a share that holds until more is added."""
    if len(x) > _SMOOTH:
        return thinned(x, y)
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[: 2 * len(y) - 1]


def _interval(plot: Any, figure: Figure, series: Series, look: Look, place: Place) -> Drawn:
    number, count = place
    apart = min(0.18, 0.8 / count)
    shift = (number - (count - 1) / 2) * apart if figure.x.categories else 0.0
    x, y = to_scale(figure.x, series.x) + shift, to_scale(figure.y, series.y)
    low = to_scale(figure.y, series.low) if series.low else y
    high = to_scale(figure.y, series.high) if series.high else y
    beam = apart * 0.65 if figure.x.categories else None
    plot.addItem(pg.ErrorBarItem(x=x, y=y, top=high - y, bottom=y - low, beam=beam, pen=pen_of(look, 2)))
    _dots(plot, x, y, look, 10 if count < 5 else 7)
    return x, np.concatenate([y, low, high])


_DRAWERS: dict[Kind, Drawer] = {
    Kind.LINES: _lines,
    Kind.SCATTER: _scatter,
    Kind.BARS: _bars,
    Kind.DISTRIBUTION: _distribution,
    Kind.INTERVAL: _interval,
    Kind.MAP: draw_layer,
}

"""The layers of a map: areas or places coloured by a number, circles whose area is a number, outlines in grey."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from workbench.core.arrays import Floats
from workbench.core.colour_scale import scale_of
from workbench.core.figures import Figure, Series
from workbench.core.palette import Look
from workbench.ui import theme
from workbench.ui.widgets.figures.axes import to_scale
from workbench.ui.widgets.figures.legend import DISC, ink, pen_of
from workbench.ui.widgets.figures.raster import MANY, AreaPicture, PointCloud

_OVER = 3  # outlines lie above what is filled


def draw_layer(plot: Any, figure: Figure, series: Series, look: Look, _place: Any) -> tuple[Floats, Floats]:
    """One series; what has to be in view are its places or the corners of its areas."""
    if series.areas:
        return _areas(plot, figure, series, look)
    x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
    if len(x) > MANY:
        plot.addItem(PointCloud(x, y, _fills(figure, series) if series.value else ink(look)))
    else:
        _places(plot, figure, series, look, (x, y))
    return x, y


def _fills(figure: Figure, series: Series) -> NDArray[np.uint8]:
    colours = theme.tokens()
    return scale_of(figure).colours(series.value, colours.ramp, colours.handle)


def _areas(plot: Any, figure: Figure, series: Series, look: Look) -> tuple[Floats, Floats]:
    edge = pg.mkPen(QColor(theme.tokens().surface), width=0.8) if series.value else pen_of(look, 1.4)
    edge.setCosmetic(True)
    item = AreaPicture(series.areas, _fills(figure, series) if series.value else None, edge)
    item.setZValue(0 if series.value else _OVER)
    plot.addItem(item)
    area = item.boundingRect()
    return np.array([area.left(), area.right()]), np.array([area.top(), area.bottom()])


def _places(plot: Any, figure: Figure, series: Series, look: Look, at: tuple[Floats, Floats]) -> None:
    """Discs whose area follows `high`, on one scale for all series; later series are rings around."""
    x, y = at
    faint = ink(look)
    faint.setAlpha(DISC)
    value = np.nan_to_num(np.asarray(series.high, dtype=np.float64))
    top = max((max(one.high, default=0.0) for one in figure.series), default=0.0)
    size = 6 + 26 * np.sqrt(np.clip(value, 0, None) / top) if len(value) and top > 0 else np.full(len(x), 10.0)
    ring = look.symbol == "ring"
    edge = pg.mkPen(ink(look), width=2) if ring else pg.mkPen(QColor(theme.tokens().surface), width=0.8)
    brush: Any = None if ring else faint
    if series.value:
        brush = [QColor(*colour) for colour in _fills(figure, series).tolist()]
    plot.addItem(pg.ScatterPlotItem(x, y, symbol="o", size=size, pen=edge, brush=brush))

"""MarkedCells: a table whose marked cells have a tint and a symbol; hover says what can be found out about them."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from workbench.core.figure_values import marks_by_cell, number
from workbench.core.figures import Figure
from workbench.core.palette import Look, looks_of
from workbench.ui import theme
from workbench.ui.widgets.figures.heat import grid_area, paint_frame
from workbench.ui.widgets.figures.legend import ink, paint_symbol

_TINT = 60  # of 255
_STRONG = 200  # where cells are too small for a symbol


class MarkedCells(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph is untyped
    """Cell (row, column) covers the unit square around (column, row); row 0 is at the top."""

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self._figure = figure
        looks = dict(zip(map(id, figure.series), looks_of(figure), strict=True))
        self._marked: dict[tuple[int, int], Look] = {
            cell: looks[id(series)] for cell, (series, _) in marks_by_cell(figure).items()
        }

    def boundingRect(self) -> QRectF:
        return grid_area(self._figure)

    def paint(self, painter: QPainter, *_rest: Any) -> None:
        transform = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ratio = painter.device().devicePixelRatioF()
        font = QFont(theme.ui_font())
        font.setPixelSize(max(1, round((theme.base_size() - 1) * ratio)))
        painter.setFont(font)
        one = transform.mapRect(QRectF(0, 0, 1, 1))
        roomy = self._roomy(one, QFontMetricsF(font))
        for row, line in enumerate(self._figure.grid):
            for column, value in enumerate(line):
                place = transform.mapRect(QRectF(column - 0.5, row - 0.5, 1, 1))
                self._paint_cell(painter, place, value, self._marked.get((row, column)), ratio if roomy else 0)
        for row, column in self._figure.outlined:
            paint_frame(painter, transform.mapRect(QRectF(column - 0.5, row - 0.5, 1, 1)), ratio)
        painter.restore()

    def _roomy(self, one: QRectF, metrics: QFontMetricsF) -> bool:
        """Whether every number fits beside a symbol: all or none, as a gap is no number."""
        known = (value for line in self._figure.grid for value in line if not math.isnan(value))
        widest = max((metrics.horizontalAdvance(number(value)) for value in known), default=0.0)
        return widest <= one.width() - 26 and metrics.height() <= one.height()

    def _paint_cell(self, painter: QPainter, place: QRectF, value: float, look: Look | None, ratio: float) -> None:
        """`ratio` is that of device pixels, 0 where there is no room for words."""
        ground = QColor(theme.tokens().surface)
        if look is not None:
            ground = ink(look)
            ground.setAlpha(_TINT if ratio else _STRONG)
        painter.setPen(QPen(QColor(theme.tokens().border), 1))
        painter.setBrush(ground)
        painter.drawRect(place)
        if not ratio:
            return
        if look is not None:
            paint_symbol(painter, QPointF(place.left() + 13 * ratio, place.center().y()), look, 10.0 * ratio)
        if not math.isnan(value):
            painter.setPen(QColor(theme.tokens().text))
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(place.adjusted(4, 0, -8, 0), right, number(value))

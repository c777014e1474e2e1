"""HeatCells: a heat map with the number in every cell, where all fit, and an outline around the cells that matter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.core.colour_scale import scale_of
from workbench.core.figure_values import number
from workbench.core.figures import Figure
from workbench.core.palette import FEW, looks_of
from workbench.ui import theme
from workbench.ui.widgets.figures.axes import to_scale
from workbench.ui.widgets.figures.legend import SYMBOLS, ink, pen_of

_STRIP, _NARROWEST_STRIP = 160, 60  # pixels
_RULED = 900  # cells up to which lines part them and numbers may stand in them


def ink_on(ground: QColor) -> QColor:
    """Black or white, whichever is easier to read on this ground (relative luminance as in WCAG)."""
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in
             (ground.redF(), ground.greenF(), ground.blueF())]  # fmt: skip
    light = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    return QColor("#10161d") if light > 0.179 else QColor("#ffffff")


class HeatScale(QWidget):
    """Which colour is which number: what is shown, and a strip from its lowest to its highest value."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ("", "", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_figure(self, figure: Figure) -> None:
        scale = scale_of(figure)
        title = figure.colour.title() if figure.colour is not None else ""
        title += " (log scale)" if scale.log else ""
        self._words = (title, short(scale.low), short(scale.high))
        named = f"{title}: c" if title else "C"
        self.setAccessibleName(f"{named}olours from {self._words[1]} to {self._words[2]}")
        self.update()

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(theme.base_size() - 1)
        return font

    def sizeHint(self) -> QSize:
        return QSize(_STRIP + 100, math.ceil(QFontMetricsF(self._font()).height()) + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font())
        metrics, tall, left = QFontMetricsF(self._font()), self.height(), 0.0
        title, low, high = self._words
        ends = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high) + 20
        if title:
            painter.setPen(QColor(theme.tokens().text))
            room = max(40.0, self.width() - ends - _NARROWEST_STRIP - 14)
            said = metrics.elidedText(title, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(0, 0, room, tall), Qt.AlignmentFlag.AlignVCenter, said)
            left = metrics.horizontalAdvance(said) + 14
        painter.setPen(QColor(theme.tokens().muted))
        painter.drawText(QRectF(left, 0, self.width(), tall), Qt.AlignmentFlag.AlignVCenter, low)
        strip_wide = max(20.0, min(_STRIP, self.width() - left - ends))
        strip = QRectF(left + metrics.horizontalAdvance(low) + 8, (tall - 10) / 2, strip_wide, 10)
        shades = QLinearGradient(strip.topLeft(), strip.topRight())
        ramp = theme.tokens().ramp
        for place, colour in enumerate(ramp):
            shades.setColorAt(place / (len(ramp) - 1), QColor(colour))
        right = QRectF(strip.right() + 8, 0, self.width(), tall)
        painter.drawText(right, Qt.AlignmentFlag.AlignVCenter, high)
        painter.fillRect(strip, shades)
        painter.end()


class HeatCells(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph is untyped
    """Cell (row, column) covers the unit square around (column, row) and row 0 is at the top, or the extent is shared
    out evenly and row 0 is at the bottom."""

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self._grid = figure.grid
        self._outlined = figure.outlined
        self._area = grid_area(figure)
        colours = theme.tokens()
        scale, missing = scale_of(figure), colours.raised
        rows = [scale.colours(line, colours.ramp, missing) for line in figure.grid]
        self._colours = np.stack(rows) if rows else np.zeros((1, 1, 3), dtype=np.uint8)
        self._image = _picture(self._colours if figure.extent is None else self._colours[::-1])

    def boundingRect(self) -> QRectF:
        return QRectF(self._area)

    def cell(self, row: int, column: int) -> QRectF:
        rows, columns = self._colours.shape[:2]
        wide, tall = self._area.width() / columns, self._area.height() / rows
        return QRectF(self._area.left() + column * wide, self._area.top() + row * tall, wide, tall)

    def ground(self, row: int, column: int) -> QColor:
        """The cell's colour: the ramp's lightest for the lowest value; grey where there is no number."""
        return QColor(*self._colours[row, column].tolist())

    def paint(self, painter: QPainter, *_rest: Any) -> None:
        transform = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ratio = painter.device().devicePixelRatioF()
        if self._colours.shape[0] * self._colours.shape[1] > _RULED:
            painter.drawImage(transform.mapRect(self._area), self._image)
        else:
            self._paint_cells(painter, transform, ratio)
        for row, column in self._outlined:
            paint_frame(painter, transform.mapRect(self.cell(row, column)), ratio)
        painter.restore()

    def _paint_cells(self, painter: QPainter, transform: Any, ratio: float) -> None:
        font = QFont(theme.ui_font())
        font.setPixelSize(max(1, round((theme.base_size() - 1) * (ratio if ratio != 1 else 1))))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        one = transform.mapRect(self.cell(0, 0))
        widest = max((metrics.horizontalAdvance(short(value)) for line in self._grid for value in line), default=0.0)
        numbered = widest <= one.width() - 4 and metrics.height() <= one.height()  # all or none: a gap is no number
        for row, line in enumerate(self._grid):
            for column, value in enumerate(line):
                place, ground = transform.mapRect(self.cell(row, column)), self.ground(row, column)
                painter.setPen(QPen(QColor(theme.tokens().surface), 1))
                painter.setBrush(ground)
                painter.drawRect(place)
                if numbered:
                    painter.setPen(ink_on(ground))
                    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, short(value))


def grid_area(figure: Figure) -> QRectF:
    """The grid in scale space."""
    columns = max((len(line) for line in figure.grid), default=1)
    if figure.extent is None:
        return QRectF(-0.5, -0.5, columns, max(1, len(figure.grid)))
    left, right = to_scale(figure.x, figure.extent[:2])
    low, high = to_scale(figure.y, figure.extent[2:])
    return QRectF(left, low, right - left, high - low)


def _picture(colours: NDArray[np.uint8]) -> QImage:
    tall, wide = colours.shape[:2]
    whole = np.ascontiguousarray(colours)
    return QImage(whole.data, wide, tall, wide * 3, QImage.Format.Format_RGB888).copy()  # with its own memory


def paint_frame(painter: QPainter, cell: QRectF, ratio: float) -> None:
    """Around a cell that matters most."""
    inner = cell.adjusted(2, 2, -2, -2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.tokens().surface), 5 * ratio))
    painter.drawRect(inner)
    painter.setPen(QPen(QColor(theme.tokens().fail), 2.5 * ratio))
    painter.drawRect(inner)


def draw_paths(plot: Any, figure: Figure) -> None:
    """Paths over the surface in a casing, their points marked where they are few, their ends marked larger."""
    casing = QColor(theme.tokens().surface)
    for series, look in zip(figure.series, looks_of(figure), strict=True):
        x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
        for pen in (pg.mkPen(casing, width=5), pen_of(look, 2.4)):
            plot.addItem(pg.PlotCurveItem(x, y, pen=pen, connect="finite", antialias=True))
        known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        dots = known if len(known) <= FEW else known[-1:]
        size = np.where(dots == known[-1], 14, 8) if len(known) else 8
        plot.addItem(pg.ScatterPlotItem(x[dots], y[dots], symbol=SYMBOLS[look.symbol], size=size,
                                        pen=pg.mkPen(casing, width=1.2), brush=ink(look)))  # fmt: skip


def short(value: float) -> str:
    """A number for a cell: three decimals below ten, otherwise as hover shows it."""
    if not math.isfinite(value):
        return number(value) if math.isinf(value) else "–"
    if value != round(value) and 0.001 <= abs(value) < 10:
        return f"{value:.3f}".replace("-", "−")
    return number(value)

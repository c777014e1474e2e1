"""HeatCells: a heat map with the number in every cell, where all fit, and an outline around the cells that matter."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.core.figures import Figure
from workbench.ui import theme
from workbench.ui.widgets.figures.data import number

_STRIP = 160  # pixels


def mixed(low: QColor, high: QColor, share: float) -> QColor:
    """A colour between two, evenly by channel."""
    return QColor(
        *(round(a + (b - a) * share) for a, b in zip(low.getRgb()[:3], high.getRgb()[:3], strict=True))  # type: ignore[index]
    )


def ink_on(ground: QColor) -> QColor:
    """Black or white, whichever is easier to read on this ground (relative luminance as in WCAG)."""
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in
             (ground.redF(), ground.greenF(), ground.blueF())]  # fmt: skip
    light = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    return QColor("#10161d") if light > 0.179 else QColor("#ffffff")


def ends() -> tuple[QColor, QColor]:
    """The colours of the lowest and the highest value, in the theme in force."""
    dark = theme.tokens().dark
    return (QColor("#1e2b3a"), QColor("#9cc9f5")) if dark else (QColor("#e8f0f8"), QColor("#08427d"))


class HeatScale(QWidget):
    """Which colour is which number: a strip from the lowest to the highest value of a heat map."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ("", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_figure(self, figure: Figure) -> None:
        self._words = tuple(short(value) for value in span_of(figure))  # type: ignore[assignment]
        self.setAccessibleName(f"Colours from {self._words[0]} to {self._words[1]}")
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
        painter.setPen(QColor(theme.tokens().muted))
        metrics, tall = QFontMetricsF(self._font()), self.height()
        left = metrics.horizontalAdvance(self._words[0]) + 8
        strip = QRectF(left, (tall - 10) / 2, min(_STRIP, self.width() / 2), 10)
        shades = QLinearGradient(strip.topLeft(), strip.topRight())
        low, high = ends()
        shades.setColorAt(0, low)
        shades.setColorAt(1, high)
        painter.drawText(QRectF(0, 0, left, tall), Qt.AlignmentFlag.AlignVCenter, self._words[0])
        painter.drawText(
            QRectF(strip.right() + 8, 0, self.width(), tall), Qt.AlignmentFlag.AlignVCenter, self._words[1]
        )
        painter.fillRect(strip, shades)
        painter.end()


def span_of(figure: Figure) -> tuple[float, float]:
    """The lowest and the highest value of a heat map."""
    known = [value for line in figure.grid for value in line if math.isfinite(value)]
    return (min(known), max(known)) if known else (0.0, 1.0)


class HeatCells(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph is untyped
    """Cell (row, column) covers the unit square around (column, row); row 0 is at the top."""

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self._grid = figure.grid
        self._outlined = figure.outlined
        self.low, self.high = span_of(figure)

    def boundingRect(self) -> QRectF:
        columns = max((len(line) for line in self._grid), default=1)
        return QRectF(-0.5, -0.5, columns, max(1, len(self._grid)))

    def ground(self, value: float) -> QColor:
        """The cell's colour: paper for the lowest value, the theme's strongest blue for the highest."""
        low, high = ends()
        if not math.isfinite(value):
            return QColor(theme.tokens().raised)
        span = self.high - self.low
        return mixed(low, high, (value - self.low) / span if span > 0 else 0.5)

    def paint(self, painter: QPainter, *_rest: Any) -> None:
        transform = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ratio = painter.device().devicePixelRatioF()
        font = QFont(theme.ui_font())
        font.setPixelSize(max(1, round((theme.base_size() - 1) * (ratio if ratio != 1 else 1))))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        one = transform.mapRect(QRectF(0, 0, 1, 1))
        widest = max((metrics.horizontalAdvance(short(value)) for line in self._grid for value in line), default=0.0)
        numbered = widest <= one.width() - 4 and metrics.height() <= one.height()  # all or none: a gap is no number
        for row, line in enumerate(self._grid):
            for column, value in enumerate(line):
                cell = transform.mapRect(QRectF(column - 0.5, row - 0.5, 1, 1))
                self._paint_cell(painter, cell, value, numbered=numbered)
        for row, column in self._outlined:
            cell = transform.mapRect(QRectF(column - 0.5, row - 0.5, 1, 1)).adjusted(2, 2, -2, -2)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.tokens().surface), 5 * ratio))
            painter.drawRect(cell)
            painter.setPen(QPen(QColor(theme.tokens().fail), 2.5 * ratio))
            painter.drawRect(cell)
        painter.restore()

    def _paint_cell(self, painter: QPainter, cell: QRectF, value: float, *, numbered: bool) -> None:
        ground = self.ground(value)
        painter.setPen(QPen(QColor(theme.tokens().surface), 1))
        painter.setBrush(ground)
        painter.drawRect(cell)
        if numbered:
            painter.setPen(ink_on(ground))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, short(value))


def short(value: float) -> str:
    """A number for a cell: three decimals below ten, otherwise as hover shows it."""
    if not math.isfinite(value):
        return number(value) if math.isinf(value) else "–"
    if value != round(value) and 0.001 <= abs(value) < 10:
        return f"{value:.3f}".replace("-", "−")
    return number(value)

"""A legend above the plot that wraps and never covers data. What a look means is decided in `core/palette.py`."""

from __future__ import annotations

from collections.abc import Sequence

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.core.palette import Look
from workbench.ui import theme

DISC = 170  # how far a disc of a map covers what is beneath, of 255
SYMBOLS = {
    "circle": "o", "square": "s", "triangle": "t1", "diamond": "d", "star": "star", "plus": "+",
    "turned triangle": "t", "hexagon": "h", "cross": "x",
}  # fmt: skip
DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)


def ink(look: Look) -> QColor:
    """The colour of a series in the theme in force."""
    colours = theme.tokens()
    return QColor(look.ink(colours.series, colours.border_strong))


def pen_of(look: Look, width: float = 2.0) -> QPen:
    pen = QPen(ink(look), width, DASHES[look.dash % len(DASHES)])
    pen.setCosmetic(True)
    return pen


class LegendStrip(QWidget):
    """Swatches with names in as many lines as the width asks for."""

    def __init__(self) -> None:
        super().__init__()
        self._looks: tuple[Look, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_looks(self, looks: Sequence[Look]) -> None:
        self._looks = tuple(looks)
        self.setAccessibleName("Legend: " + ", ".join(look.name for look in looks))
        self.updateGeometry()
        self.update()

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(theme.base_size() - 1)
        return font

    def _places(self, width: int) -> tuple[list[QRectF], int]:
        metrics = QFontMetrics(self._font())
        high, left, top = metrics.height() + 4, 0.0, 0.0
        places: list[QRectF] = []
        for look in self._looks:
            wide = min(float(width), 30.0 + metrics.horizontalAdvance(look.name))
            if left and left + wide > width:
                left, top = 0.0, top + high
            places.append(QRectF(left, top, wide, high))
            left += wide + 16
        return places, int(top + high) if places else 0

    def heightForWidth(self, width: int) -> int:
        return self._places(width)[1]

    def sizeHint(self) -> QSize:
        return QSize(120, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.heightForWidth(max(self.width(), 80)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font())
        metrics = QFontMetrics(self._font())
        for look, place in zip(self._looks, self._places(self.width())[0], strict=True):
            paint_swatch(painter, QRectF(place.left(), place.top(), 22, place.height()), look)
            painter.setPen(QColor(theme.tokens().text))
            name = metrics.elidedText(look.name, Qt.TextElideMode.ElideRight, int(place.width() - 28))
            painter.drawText(place.adjusted(28, 0, 2, 0), Qt.AlignmentFlag.AlignVCenter, name)
        painter.end()


def paint_swatch(painter: QPainter, rect: QRectF, look: Look) -> None:
    colour, middle = ink(look), rect.center()
    if look.filled:
        painter.setPen(QPen(colour, 1))
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(middle.x() - 7, middle.y() - 5, 14, 10), 2, 2)
        return
    if look.lined:
        painter.setPen(pen_of(look))
        painter.drawLine(QPointF(rect.left(), middle.y()), QPointF(rect.right(), middle.y()))
    if not look.dotted or look.symbol == "outline":
        return
    if look.symbol in {"disc", "ring"}:
        _paint_place(painter, middle, colour, ring=look.symbol == "ring")
        return
    paint_symbol(painter, middle, look, 9.0)


def _paint_place(painter: QPainter, at: QPointF, colour: QColor, *, ring: bool) -> None:
    """As on the map: a disc that lets through what is beneath, or a ring."""
    faint = QColor(colour)
    faint.setAlpha(DISC)
    painter.setPen(QPen(colour, 2) if ring else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if ring else faint)
    painter.drawEllipse(at, 5.0, 5.0)


def paint_symbol(painter: QPainter, at: QPointF, look: Look, size: float) -> None:
    """The same shape as in the plot."""
    painter.save()
    painter.translate(at)
    painter.scale(size, size)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink(look))
    painter.drawPath(Symbols[SYMBOLS[look.symbol]])
    painter.restore()

"""The look of each series, and a legend above the plot that wraps and never covers data.

Every series differs from the others by colour and by symbol or dash, so that no figure depends on colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.core.figures import Figure, Kind
from workbench.ui import theme

FEW = 40  # so many points are each drawn; a longer line shows its symbol here and there
_NAMED_MUTED = 3
DISC = 170  # how far a disc of a map covers what is beneath, of 255
SYMBOLS = ("o", "s", "t", "d", "star", "+")


@dataclass(frozen=True, slots=True)
class SeriesLook:
    name: str
    colour: str
    symbol: str
    dashed: bool
    filled: bool  # bars and histograms
    dotted: bool  # shows its symbol along the line


def looks_of(figure: Figure) -> tuple[SeriesLook, ...]:
    """One look per series, in order. Muted series are grey and use up no colour."""
    colours, taken = theme.tokens(), 0
    made: list[SeriesLook] = []
    filled = figure.kind in {Kind.BARS, Kind.DISTRIBUTION}
    solid = sum(not series.dashed for series in figure.series)
    for series in figure.series:
        dotted = figure.kind is not Kind.LINES or len(series.x) <= FEW or solid > 1
        colour = colours.border_strong if series.muted else colours.series[taken % len(colours.series)]
        symbol = "x" if series.muted else SYMBOLS[taken % len(SYMBOLS)]
        if figure.kind is Kind.MAP:
            symbol = "ring" if made else "disc"  # that tells the series apart
        taken += 0 if series.muted else 1
        made.append(SeriesLook(series.name, colour, symbol, series.dashed, filled, dotted))
    return tuple(made)


def legend_of(figure: Figure) -> tuple[SeriesLook, ...]:
    """What the legend names: every series, but many grey ones as one entry; hovering tells them apart."""
    looks = looks_of(figure)
    muted = [number for number, series in enumerate(figure.series) if series.muted]
    if len(muted) <= _NAMED_MUTED:
        return looks
    first = replace(looks[muted[0]], name=f"{len(muted)} others, for comparison")
    return (*(look for number, look in enumerate(looks) if number not in muted), first)


class LegendStrip(QWidget):
    """Swatches with names in as many lines as the width asks for."""

    def __init__(self) -> None:
        super().__init__()
        self._looks: tuple[SeriesLook, ...] = ()
        self._lines = True
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_looks(self, looks: Sequence[SeriesLook], *, lines: bool) -> None:
        self._looks, self._lines = tuple(looks), lines
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
            paint_swatch(painter, QRectF(place.left(), place.top(), 22, place.height()), look, line=self._lines)
            painter.setPen(QColor(theme.tokens().text))
            name = metrics.elidedText(look.name, Qt.TextElideMode.ElideRight, int(place.width() - 28))
            painter.drawText(place.adjusted(28, 0, 2, 0), Qt.AlignmentFlag.AlignVCenter, name)
        painter.end()


def paint_swatch(painter: QPainter, rect: QRectF, look: SeriesLook, *, line: bool) -> None:
    colour, middle = QColor(look.colour), rect.center()
    if look.filled:
        painter.setPen(QPen(colour, 1))
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(middle.x() - 7, middle.y() - 5, 14, 10), 2, 2)
        return
    if line:
        style = Qt.PenStyle.DashLine if look.dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(colour, 2, style))
        painter.drawLine(QPointF(rect.left(), middle.y()), QPointF(rect.right(), middle.y()))
    if not look.dotted:
        return
    if look.symbol in {"disc", "ring"}:
        _paint_place(painter, middle, colour, ring=look.symbol == "ring")
        return
    painter.setPen(QPen(colour, 1.6))
    painter.setBrush(colour)
    _paint_symbol(painter, middle, look.symbol)


def _paint_place(painter: QPainter, at: QPointF, colour: QColor, *, ring: bool) -> None:
    """As on the map: a disc that lets through what is beneath, or a ring."""
    ink = QColor(colour)
    ink.setAlpha(DISC)
    painter.setPen(QPen(colour, 2) if ring else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if ring else ink)
    painter.drawEllipse(at, 5.0, 5.0)


def _paint_symbol(painter: QPainter, at: QPointF, symbol: str) -> None:
    x, y, half = at.x(), at.y(), 4.0
    shapes: dict[str, list[tuple[float, float]]] = {
        "s": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        "t": [(-1.1, -1), (1.1, -1), (0, 1.1)],
        "d": [(0, -1.2), (1, 0), (0, 1.2), (-1, 0)],
        "star": [(0, -1.3), (0.4, -0.4), (1.3, -0.3), (0.6, 0.3), (0.8, 1.2), (0, 0.7), (-0.8, 1.2), (-0.6, 0.3),
                 (-1.3, -0.3), (-0.4, -0.4)],
    }  # fmt: skip
    if symbol in shapes:
        painter.drawPolygon(QPolygonF([QPointF(x + a * half, y + b * half) for a, b in shapes[symbol]]))
    elif symbol == "+":
        painter.drawLine(QPointF(x - half, y), QPointF(x + half, y))
        painter.drawLine(QPointF(x, y - half), QPointF(x, y + half))
    elif symbol == "x":
        painter.drawLine(QPointF(x - half, y - half), QPointF(x + half, y + half))
        painter.drawLine(QPointF(x - half, y + half), QPointF(x + half, y - half))
    else:
        painter.drawEllipse(at, half, half)

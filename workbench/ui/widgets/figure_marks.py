"""Reference lines with labels that stay inside the plot, and the line a person can drag."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics

from workbench.core.figures import Figure
from workbench.ui import theme
from workbench.ui.widgets.figure_axes import to_scale


class LabelledLine:
    """A line across the plot with its name beside it, moved to the side that has room."""

    def __init__(self, plot: Any, place: float, *, vertical: bool, name: str, colour: str, dashed: bool) -> None:
        self._plot, self._name, self.vertical, self._row = plot, name, vertical, 0
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        self.line = pg.InfiniteLine(
            place, angle=90 if vertical else 0, pen=pg.mkPen(QColor(colour), width=1.6, style=style)
        )
        ground = QColor(theme.tokens().surface)
        ground.setAlpha(225)
        self._label = pg.TextItem("", color=QColor(colour), fill=ground)
        self._font = QFont(theme.ui_font())
        self._font.setPixelSize(theme.base_size() - 1)
        self._font.setWeight(QFont.Weight.DemiBold)
        self._label.setFont(self._font)
        self.line.setZValue(5)
        self._label.setZValue(8)
        plot.addItem(self.line, ignoreBounds=True)
        plot.addItem(self._label, ignoreBounds=True)

    def set_name(self, name: str) -> None:
        self._name = name
        self.place()

    def set_row(self, row: int) -> None:
        """Labels of several upright lines stand under each other."""
        self._row = row

    def remove(self) -> None:
        self._plot.removeItem(self.line)
        self._plot.removeItem(self._label)

    def place(self) -> None:
        """Put the label where it is whole: away from the nearer edge."""
        box = self._plot.getViewBox()
        (left, right), (low, high) = box.viewRange()
        if box.yInverted():
            low, high = high, low
        wide, tall = max(1.0, box.width()), max(1.0, box.height())
        metrics = QFontMetrics(self._font)
        value = float(self.line.value())
        if self.vertical:
            across = (value - left) / (right - left) if right > left else 0.5
            room = int(wide * max(across, 1 - across)) - 12
            anchor = (0.0, 0.0) if across < 0.5 else (1.0, 0.0)
            down = (3 + self._row * (metrics.height() + 4)) * (high - low) / tall
            nudge = (4 if across < 0.5 else -4) * (right - left) / wide
            at = QPointF(value + nudge, high - down)
        else:
            up = (value - low) / (high - low) if high != low else 0.5
            room = int(wide) - 12
            anchor = (1.0, 0.0) if up * tall > tall - metrics.height() - 8 else (1.0, 1.0)
            at = QPointF(right - 5 * (right - left) / wide, value)
        self._label.setText(metrics.elidedText(self._name, Qt.TextElideMode.ElideRight, max(20, room)))
        self._label.setAnchor(anchor)
        self._label.setPos(at)


def marks_of(plot: Any, figure: Figure) -> list[LabelledLine]:
    """The figure's reference lines. A name that repeats is written once: the lines look alike."""
    made: list[LabelledLine] = []
    named: set[str] = set()
    row = 0
    for mark in figure.marks:
        place = float(to_scale(figure.x if mark.vertical else figure.y, [mark.value])[0])
        if place != place:
            continue
        line = LabelledLine(plot, place, vertical=mark.vertical, name="" if mark.name in named else mark.name,
                            colour=theme.tokens().fail, dashed=True)  # fmt: skip
        named.add(mark.name)
        line.set_row(row)
        row += 1 if mark.vertical else 0
        made.append(line)
    return made

"""Reference lines with labels that stay inside the plot, and the line a person can drag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics

from workbench.core.arrays import Floats
from workbench.core.figures import Figure
from workbench.ui import theme
from workbench.ui.widgets.figures.axes import to_scale


class LabelledLine:
    """A line across the plot with its name beside it, moved to the side that has room."""

    def __init__(self, plot: Any, place: float, *, vertical: bool, name: str, colour: str, dashed: bool) -> None:
        self._plot, self._name, self.vertical, self._row = plot, name, vertical, 0
        self._obstacles: tuple[tuple[Floats, Floats], ...] = ()
        self._uprights: tuple[float, ...] = ()
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

    def avoid(self, obstacles: Sequence[tuple[Floats, Floats]], uprights: Sequence[float]) -> None:
        """What is drawn already: a level line's label goes to the end where it covers less of it."""
        self._obstacles, self._uprights = tuple(obstacles), tuple(uprights)

    def _emptier_end(self, value: float, *, wide: float, tall: float) -> bool:
        """True for the right end, given the label's size in scale space."""
        (left, right), _ = self._plot.getViewBox().viewRange()
        hits = []
        for start in (right - wide, left):
            at = np.linspace(start, start + wide, 25)
            covered = sum(4 for place in self._uprights if start <= place <= start + wide)
            for xs, ys in self._obstacles:
                heights = np.interp(at, xs, ys, left=np.nan, right=np.nan)
                covered += int(np.count_nonzero((heights > value - 0.2 * tall) & (heights < value + 1.2 * tall)))
            hits.append(covered)
        return hits[0] <= hits[1]

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
            below = up * tall > tall - metrics.height() - 8
            length = (metrics.horizontalAdvance(self._name) + 14) * (right - left) / wide
            at_right = self._emptier_end(value, wide=length, tall=(metrics.height() + 6) * abs(high - low) / tall)
            anchor = (1.0 if at_right else 0.0, 0.0 if below else 1.0)
            inset = 5 * (right - left) / wide
            lift = (-2 if below else 2) * (high - low) / tall
            at = QPointF(right - inset if at_right else left + inset, value + lift)
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
    uprights = [float(line.line.value()) for line in made if line.vertical]
    for line in made:
        line.avoid(_curves(figure), uprights)
    return made


def _curves(figure: Figure) -> list[tuple[Floats, Floats]]:
    """The lines and clouds as heights over rising x."""
    found = []
    for series in figure.series:
        x, y = to_scale(figure.x, series.x), to_scale(figure.y, series.y)
        x = x[: len(y)]
        known = np.isfinite(x) & np.isfinite(y[: len(x)])
        order = np.argsort(x[known])
        if known.any():
            found.append((x[known][order], y[: len(x)][known][order]))
    return found

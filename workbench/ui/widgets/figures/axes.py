"""Axes for pyqtgraph that say numbers and names the way a reader expects them.

Data are drawn in scale space (the logarithm to base ten on a logarithmic axis); only the axis and hover translate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QTextOption

from workbench.core.figures import Axis
from workbench.ui import theme
from workbench.ui.widgets.figures.ticks import linear_ticks, log_ticks, tick_text

_ACROSS, _UPRIGHT = 46, 13  # pixels without which the name of a category is left out
_END = 9  # pixels by which a number may stand out at the end of an axis
_LONGEST = 130  # pixels of a name beside an upright axis


def to_scale(axis: Axis, values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """From data to what is drawn. What a logarithm cannot show becomes not-a-number and is left out."""
    numbers = np.asarray(values, dtype=np.float64)
    if axis.log:
        numbers = np.log10(np.where(numbers > 0, numbers, np.nan))
    return np.where(np.isfinite(numbers), numbers, np.nan)


def from_scale(axis: Axis, value: float) -> float:
    return float(10.0**value) if axis.log else float(value)


def all_whole(parts: Iterable[Sequence[float]]) -> bool:
    """Whether all these numbers are whole, and one is not 0 or 1: shares that happen to be 0 or 1 are no counts."""
    most = 0.0
    for values in parts:
        numbers = np.asarray(values, dtype=np.float64)
        if not len(numbers) or not np.array_equal(numbers, np.round(numbers)):
            return False
        most = max(most, float(np.abs(numbers).max()))
    return most > 1


class PlainAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph is untyped
    """Category names, plain numbers, or round values on a logarithmic scale."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._axis = Axis(label="")
        self._step = 0.0
        self._each = 1.0  # pixels for the name of a category
        self._least = 1.0  # pixels without which a name is left out
        self._whole = False
        self._side = side
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=4, tickTextOffset=5)
        self.label.document().setDefaultTextOption(QTextOption(Qt.AlignmentFlag.AlignHCenter))

    def show_axis(self, axis: Axis, *, whole: bool = False) -> None:
        """Take over label and scale; colours and fonts of the theme in force. What is counted has whole ticks."""
        colours = theme.tokens()
        self._axis, self._whole = axis, whole
        self.setPen(pg.mkPen(QColor(colours.border_strong)))
        self.setTextPen(pg.mkPen(QColor(colours.muted)))
        font = QFont(theme.ui_font())
        font.setPixelSize(theme.base_size() - 2)
        self.setTickFont(font)
        metrics = QFontMetrics(font)
        widest = max((metrics.horizontalAdvance(name) for name in axis.categories), default=0)
        self._least = _UPRIGHT if self._sideways else min(_ACROSS, widest + 8)
        size = f"{theme.base_size() - 1}px"
        named = bool(axis.title()) and self._side == "bottom"  # the upright axis is named above the plot
        self.setLabel(axis.title() if named else "", **{"color": colours.muted, "font-size": size})
        self.showLabel(named)
        self._fit_title()
        self.picture = None
        self.update()

    def resizeEvent(self, event: Any = None) -> None:
        """The name of the axis is put beneath its middle, in as many lines as it needs."""
        self._fit_title()
        super().resizeEvent(event)

    def _fit_title(self) -> None:
        """A name wider than the plot is wrapped: pyqtgraph would cut it off at both ends."""
        if self.orientation != "bottom" or self.label is None:  # None: the plot is closed
            return
        room, before = int(self.size().width()), self.label.textWidth()
        self.label.setTextWidth(-1)
        if 0 < room < self.label.boundingRect().width():
            self.label.setTextWidth(room)
        if self.label.textWidth() != before:
            self._updateHeight()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        low, high = min(low, high), max(low, high)  # an axis that runs downwards gives them the other way round
        if self._axis.categories:
            first, last = max(0, int(np.ceil(low))), min(len(self._axis.categories) - 1, int(np.floor(high)))
            each = self._length() / max(high - low, 1e-9)
            step = max(1, math.ceil(self._least / max(each, 1e-9)))
            self._each = each * step
            return [(1.0, [float(place) for place in range(first, last + 1, step)])]
        each = 27 if self._sideways else 62
        most = min(max(2, int(size / each)), 9)
        if self._axis.log:
            return [(1.0, [float(np.log10(value)) for value in log_ticks(10.0**low, 10.0**high, most)])]
        values = linear_ticks(low, high, most, whole=self._whole)
        self._step = values[1] - values[0] if len(values) > 1 else 0.0
        return [(self._step or 1.0, values)]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        if self._axis.categories:
            return [self._fitted(self._axis.categories[round(value)]) for value in values]
        if self._axis.log:
            return [tick_text(float(f"{10.0**value:.6g}")) for value in values]
        return [tick_text(value, self._step) for value in values]

    @property
    def _sideways(self) -> bool:
        return self._side in {"left", "right"}

    def boundingRect(self) -> QRectF:
        """With room for half a number at both ends: pyqtgraph leaves out what does not fit, such as the 0 of bars."""
        rect: QRectF = super().boundingRect()
        return rect.adjusted(0, -_END, 0, _END) if self._sideways else rect.adjusted(-2 * _END, 0, 2 * _END, 0)

    def _length(self) -> float:
        """Of the plot along this axis; the axis item itself also runs beneath the names of the other axis."""
        box = self.linkedView()
        size = self if box is None else box
        return float(size.height() if self._sideways else size.width())

    def _fitted(self, name: str) -> str:
        font: Any = self.style["tickFont"] or QFont()
        metrics = QFontMetrics(font)
        if self._sideways:
            return metrics.elidedText(name, Qt.TextElideMode.ElideRight, _LONGEST)
        return in_lines(name, metrics, int(max(18, self._each - 10)))

    def _updateMaxTextSize(self, size: float) -> None:
        """pyqtgraph takes a text for lower than it is, which shows with two lines: the axis' name would touch them."""
        super()._updateMaxTextSize(size if self._sideways else size / 0.8)

    def name_at(self, place: float) -> str:
        """The whole name of the category nearest to a place of the axis; empty where there is none."""
        nearest = round(place)
        return self._axis.categories[nearest] if 0 <= nearest < len(self._axis.categories) else ""


def in_lines(name: str, metrics: QFontMetrics, room: int) -> str:
    """A name in one line, or in two that break between words; what is still too long ends in an ellipsis."""
    if metrics.horizontalAdvance(name) <= room:
        return name
    words, first = name.split(), ""
    while len(words) > 1 and metrics.horizontalAdvance(f"{first} {words[0]}".strip()) <= room:
        first = f"{first} {words.pop(0)}".strip()
    rest = metrics.elidedText(" ".join(words), Qt.TextElideMode.ElideRight, room)
    return f"{first}\n{rest}" if first else rest

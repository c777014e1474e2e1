"""Axes for pyqtgraph that say numbers and names the way a reader expects them.

Data are drawn in scale space (the logarithm to base ten on a logarithmic axis); only the axis and hover translate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics

from workbench.core.figures import Axis
from workbench.ui import theme
from workbench.ui.widgets.figure_ticks import linear_ticks, log_ticks, tick_text


def to_scale(axis: Axis, values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """From data to what is drawn. What a logarithm cannot show becomes not-a-number and is left out."""
    numbers = np.asarray(values, dtype=np.float64)
    if axis.log:
        numbers = np.log10(np.where(numbers > 0, numbers, np.nan))
    return np.where(np.isfinite(numbers), numbers, np.nan)


def from_scale(axis: Axis, value: float) -> float:
    return float(10.0**value) if axis.log else float(value)


class PlainAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph is untyped
    """Category names, plain numbers, or round values on a logarithmic scale."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._axis = Axis(label="")
        self._step = 0.0
        self._side = side
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=4, tickTextOffset=5)

    def show_axis(self, axis: Axis) -> None:
        """Take over label and scale; colours and fonts of the theme in force."""
        colours = theme.tokens()
        self._axis = axis
        self.setPen(pg.mkPen(QColor(colours.border_strong)))
        self.setTextPen(pg.mkPen(QColor(colours.muted)))
        font = QFont(theme.ui_font())
        font.setPixelSize(theme.base_size() - 2)
        self.setTickFont(font)
        size = f"{theme.base_size() - 1}px"
        named = bool(axis.title()) and self._side == "bottom"  # the upright axis is named above the plot
        self.setLabel(axis.title() if named else "", **{"color": colours.muted, "font-size": size})
        self.showLabel(named)
        self.picture = None
        self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        low, high = min(low, high), max(low, high)  # an axis that runs downwards gives them the other way round
        if self._axis.categories:
            first, last = max(0, int(np.ceil(low))), min(len(self._axis.categories) - 1, int(np.floor(high)))
            return [(1.0, [float(place) for place in range(first, last + 1)])]
        each = 27 if self._side in {"left", "right"} else 62
        most = min(max(2, int(size / each)), 9)
        if self._axis.log:
            return [(1.0, [float(np.log10(value)) for value in log_ticks(10.0**low, 10.0**high, most)])]
        values = linear_ticks(low, high, most)
        self._step = values[1] - values[0] if len(values) > 1 else 0.0
        return [(self._step or 1.0, values)]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        if self._axis.categories:
            return [self._fitted(self._axis.categories[round(value)]) for value in values]
        if self._axis.log:
            return [tick_text(float(f"{10.0**value:.6g}")) for value in values]
        return [tick_text(value, self._step) for value in values]

    def _fitted(self, name: str) -> str:
        sideways = self._side in {"left", "right"}
        room = 130 if sideways else self.width() / max(1, len(self._axis.categories)) - 8
        font: Any = self.style["tickFont"] or QFont()
        return QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideRight, int(max(18, room)))

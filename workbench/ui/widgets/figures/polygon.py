"""PolygonPen: corners set by clicks on a map. Enter or a double click closes the polygon, Backspace takes one back."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QColor

from workbench.core.figures import Point, Ring
from workbench.ui import theme

_ENOUGH = 3


class PolygonPen:
    """The outline being drawn, in the coordinates of the map."""

    def __init__(self, plot: Any) -> None:
        self._plot = plot
        self.corners: list[Point] = []
        colour = QColor(theme.tokens().accent)
        self._line = pg.PlotCurveItem(pen=pg.mkPen(colour, width=2), antialias=True)
        self._dots = pg.ScatterPlotItem(size=8, pen=pg.mkPen(QColor(theme.tokens().surface)), brush=colour)
        for item in (self._line, self._dots):
            item.setZValue(7)
            plot.addItem(item, ignoreBounds=True)

    def add(self, x: float, y: float) -> None:
        """A corner; the second click of a double click adds none."""
        if not self.corners or self.corners[-1] != (x, y):
            self.corners.append((x, y))
        self._show()

    def take_back(self) -> None:
        if self.corners:
            self.corners.pop()
        self._show()

    def closed(self) -> Ring | None:
        """The polygon, or None where there are too few corners for one."""
        return tuple(self.corners) if len(self.corners) >= _ENOUGH else None

    def remove(self) -> None:
        for item in (self._line, self._dots):
            self._plot.removeItem(item)

    def _show(self) -> None:
        ring = [*self.corners, *self.corners[:1]]
        self._line.setData([x for x, _ in ring], [y for _, y in ring])
        self._dots.setData([x for x, _ in self.corners], [y for _, y in self.corners])

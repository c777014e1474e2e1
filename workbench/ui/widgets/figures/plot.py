"""PlotArea: the pyqtgraph part of a figure. The wheel scrolls the page; dragging zooms into a rectangle.

Arrow keys step through the points of a focused plot and show their values, as the mouse does. Escape, or a double
click, shows everything again.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QLabel

from workbench.core.figures import GRIDDED, Axis, Figure, Kind, Ring
from workbench.core.outlines import width_of_degree
from workbench.ui import theme
from workbench.ui.widgets.figures.axes import PlainAxis, all_whole, from_scale, to_scale
from workbench.ui.widgets.figures.draw import draw
from workbench.ui.widgets.figures.hover import Reader, Spot
from workbench.ui.widgets.figures.marks import LabelledLine, marks_of
from workbench.ui.widgets.figures.polygon import PolygonPen
from workbench.ui.widgets.figures.raster import AreaPicture

_STILL = 4  # pixels that the mouse may move in a click
_ENTER = {Qt.Key.Key_Return, Qt.Key.Key_Enter}
_EMPTY = Figure(kind=Kind.LINES, title="", x=Axis(label=""), y=Axis(label=""))


class PlotArea(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph is untyped
    """Draws one figure at a time."""

    handle_moved = Signal(float)
    zoomed = Signal(bool)
    picked = Signal(str)  # the key of a point or cell that was clicked
    polygon_drawn = Signal(object)  # a Ring, or None where drawing was given up

    def __init__(self) -> None:
        self._across, self._up = PlainAxis("bottom"), PlainAxis("left")
        super().__init__(axisItems={"bottom": self._across, "left": self._up})
        self.figure = _EMPTY
        self._reader = Reader(_EMPTY)
        self._marks: list[LabelledLine] = []
        self._handle: LabelledLine | None = None
        self._handle_wish: tuple[float, str] | None = None
        self._bounds = (0.0, 1.0, 0.0, 1.0)
        self._stop = -1
        self._spot: Spot | None = None
        self._pen: PolygonPen | None = None
        self._pressed = QPoint()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMinimumSize(160, 160)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAntialiasing(True)
        plot = self.getPlotItem()
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.layout.setContentsMargins(1, 8, 14, 1)  # the last number of an axis stands out by half
        plot.getViewBox().setMouseMode(pg.ViewBox.RectMode)
        plot.getViewBox().sigRangeChanged.connect(self._on_range)
        plot.getViewBox().sigRangeChangedManually.connect(self._on_zoom)
        self._tip = QLabel(self)
        self._tip.setProperty("role", "hover")
        self._tip.setTextFormat(Qt.TextFormat.PlainText)
        self._tip.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._tip.hide()
        self._cross = pg.InfiniteLine(angle=90)
        self._dots = pg.ScatterPlotItem()

    def show_figure(self, figure: Figure) -> None:
        """Draw a figure in the theme in force, whole."""
        self.figure = figure
        self._reader = Reader(figure)
        colours, plot = theme.tokens(), self.getPlotItem()
        self._tip.hide()
        self._marks, self._handle, self._stop = [], None, -1
        plot.clear()
        self.setBackground(QColor(colours.surface))
        self._pen = None
        whole = figure.kind is not Kind.MAP
        self._across.show_axis(figure.x, whole=whole and all_whole(series.x for series in figure.series))
        self._up.show_axis(figure.y, whole=whole and all_whole(series.y for series in figure.series))
        self._up.setWidth(None)
        gridded = figure.kind in GRIDDED
        box = plot.getViewBox()
        box.invertY(gridded and figure.extent is None)
        box.setAspectLocked(figure.kind is Kind.MAP, ratio=width_of_degree(figure))
        box.setMouseEnabled(x=not gridded, y=not gridded)
        box.disableAutoRange()
        box.setLimits(xMin=None, xMax=None, yMin=None, yMax=None)
        self._grid_lines(not gridded)
        self._bounds = draw(plot, figure)
        self._marks = marks_of(plot, figure)
        self._add_hover_items(colours)
        self._redraw_handle()
        self.reset_view()
        self._on_range()  # where the view stays as it was, nothing else places the names of the lines

    def _grid_lines(self, wanted: bool) -> None:
        categories = bool(self.figure.x.categories), bool(self.figure.y.categories)
        self._across.setGrid(40 if wanted and not categories[0] else False)
        self._up.setGrid(40 if wanted and not categories[1] else False)

    def _add_hover_items(self, colours: theme.Tokens) -> None:
        self._cross = pg.InfiniteLine(angle=90, pen=pg.mkPen(QColor(colours.muted), width=1))
        self._dots = pg.ScatterPlotItem(size=11, pen=pg.mkPen(QColor(colours.text), width=2), brush=None)
        for item in (self._cross, self._dots):
            item.setZValue(9)
            item.hide()
            self.getPlotItem().addItem(item, ignoreBounds=True)

    def reset_view(self) -> None:
        left, right, low, high = self._bounds
        self.getPlotItem().setRange(xRange=(left, right), yRange=(low, high), padding=0)
        self.zoomed.emit(False)

    def set_handle(self, value: float | None, label: str = "") -> None:
        """Show a line that can be dragged, at a value of the x axis; None takes it away. No signal."""
        self._handle_wish = None if value is None else (value, label)
        handle = self._handle
        if handle is None or value is None:
            self._redraw_handle()
            return
        handle.line.blockSignals(True)
        handle.line.setValue(float(to_scale(self.figure.x, [value])[0]))
        handle.line.blockSignals(False)
        handle.set_name(label)

    def _redraw_handle(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
        if self._handle_wish is None:
            return
        value, label = self._handle_wish
        place = float(to_scale(self.figure.x, [value])[0])
        if place != place:
            return
        colour = theme.tokens().accent
        handle = LabelledLine(self.getPlotItem(), place, vertical=True, name=label, colour=colour, dashed=False)
        handle.set_row(sum(1 for mark in self._marks if mark.vertical))
        handle.line.setMovable(True)
        handle.line.setPen(pg.mkPen(QColor(colour), width=2.4))
        handle.line.setHoverPen(pg.mkPen(QColor(colour), width=4))
        handle.line.setCursor(Qt.CursorShape.SizeHorCursor)
        handle.line.setBounds(self._bounds[:2])
        handle.line.sigDragged.connect(self._on_handle)
        self._handle = handle
        handle.place()

    def _on_handle(self, line: Any) -> None:
        value = from_scale(self.figure.x, float(line.value()))
        if self._handle_wish is not None:
            self._handle_wish = (value, self._handle_wish[1])
        if self._handle is not None:
            self._handle.place()
        self.handle_moved.emit(value)

    def _on_range(self, *_ignored: Any) -> None:
        for mark in (*self._marks, *([self._handle] if self._handle else [])):
            mark.place()

    def _on_zoom(self, *_ignored: Any) -> None:
        self.zoomed.emit(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_marks"):
            self._on_range()

    def sizeHint(self) -> QSize:
        return QSize(380, 200)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def draw_polygon(self) -> None:
        """From now on clicks set corners, until Enter or a double click closes the polygon or Escape gives it up."""
        if self._pen is not None:
            self._pen.remove()
        self._pen = PolygonPen(self.getPlotItem())
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setFocus()

    def _end_polygon(self, ring: Ring | None) -> None:
        if self._pen is not None:
            self._pen.remove()
            self._pen = None
            self.unsetCursor()
            self.polygon_drawn.emit(ring)

    def finish_painting(self) -> None:
        """Before a picture is taken: an axis takes its width from the numbers it has painted, areas come in slices."""
        self.grab()
        self.getPlotItem().layout.activate()
        self.grab()
        for item in self.getPlotItem().items:
            if isinstance(item, AreaPicture):
                item.finish()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()
        if self._pen is None:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        clicked = event.button() is Qt.MouseButton.LeftButton and (at - self._pressed).manhattanLength() <= _STILL
        if self._pen is not None:
            if clicked:
                place = self._place(at)
                self._pen.add(place.x(), place.y())
            return
        super().mouseReleaseEvent(event)
        if clicked and (key := self._key(at)):
            self.picked.emit(key)

    def _place(self, at: QPoint) -> QPointF:
        place: QPointF = self.getPlotItem().getViewBox().mapSceneToView(self.mapToScene(at))
        return place

    def _key(self, at: QPoint) -> str:
        box = self.getPlotItem().getViewBox()
        if not box.sceneBoundingRect().contains(self.mapToScene(at)):
            return ""
        place, (x_pixel, y_pixel) = self._place(at), box.viewPixelSize()
        return self._reader.key_at(place.x(), place.y(), x_pixel=x_pixel, y_pixel=y_pixel)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._pen is not None:
            if ring := self._pen.closed():
                self._end_polygon(ring)
            return
        super().mouseDoubleClickEvent(event)
        self.reset_view()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pen is not None:
            return
        super().mouseMoveEvent(event)
        if event.buttons() == Qt.MouseButton.NoButton:
            at = event.position().toPoint()
            self.hover_at(at)
            hand = bool(self.figure.picks) and bool(self._key(at))
            self.setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)

    def hover_at(self, at: QPoint) -> None:
        """Show the values nearest to a place of the widget."""
        box = self.getPlotItem().getViewBox()
        scene = self.mapToScene(at)
        place = box.mapSceneToView(scene)
        if not box.sceneBoundingRect().contains(scene):
            self.show_spot(self._name_at(scene, place.x()))
            return
        x_pixel, y_pixel = box.viewPixelSize()
        self.show_spot(self._reader.at(place.x(), place.y(), x_pixel=x_pixel, y_pixel=y_pixel))

    def _name_at(self, scene: QPointF, across: float) -> Spot | None:
        """Beneath the plot: the whole name of the category, which its tick may have shortened."""
        beneath = self._across.sceneBoundingRect().contains(scene)
        name = self._across.name_at(across) if beneath else ""
        bottom = self.getPlotItem().getViewBox().viewRange()[1][0]
        return Spot(float(round(across)), float(bottom), (name,)) if name else None

    def show_spot(self, spot: Spot | None) -> None:
        self._spot = spot
        found = spot is not None
        self._tip.setVisible(found)
        crossed = self.figure.kind in {Kind.LINES, Kind.DISTRIBUTION}
        self._cross.setVisible(found and crossed)
        self._dots.setVisible(found and bool(spot.dots if spot else ()))
        if spot is None:
            return
        self._cross.setValue(spot.x)
        self._dots.setData(x=[dot[0] for dot in spot.dots], y=[dot[1] for dot in spot.dots])
        self._tip.setText("\n".join(spot.lines))
        self._tip.adjustSize()
        scene = self.getPlotItem().getViewBox().mapViewToScene(pg.Point(spot.x, spot.y))
        at = self.mapFromScene(scene)
        left = at.x() + 14 if at.x() + 14 + self._tip.width() < self.width() else at.x() - 14 - self._tip.width()
        top = min(max(2, at.y() - self._tip.height() - 10), self.height() - self._tip.height() - 2)
        self._tip.move(max(2, left), top)
        self._tip.raise_()

    def hover_text(self) -> str:
        """What hover shows at the moment."""
        return "" if self._tip.isHidden() else self._tip.text()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.show_spot(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key = Qt.Key(event.key())
        if self._pen is not None:
            self._drawing_key(key)
        elif key in _ENTER and self._spot is not None and self._spot.key:
            self.picked.emit(self._spot.key)
        elif key in steps and self._reader.count():
            self._stop = min(max(self._stop + steps[key], 0), self._reader.count() - 1)
            self.show_spot(self._reader.stop(self._stop))
        elif key == Qt.Key.Key_Escape:
            self.show_spot(None)
            self.reset_view()
        else:
            event.ignore()

    def _drawing_key(self, key: Qt.Key) -> None:
        if self._pen is None:
            return
        if key == Qt.Key.Key_Escape:
            self._end_polygon(None)
        elif key == Qt.Key.Key_Backspace:
            self._pen.take_back()
        elif key in _ENTER and (ring := self._pen.closed()):
            self._end_polygon(ring)

"""Very many points or areas in one item, so that the window never waits for them.

PointCloud places its dots in a picture by arithmetic on arrays: 70,000 points take a few milliseconds, at any zoom.
AreaPicture paints its areas in slices of a few milliseconds, one per turn of the event loop; `finish` paints the rest.
Both keep their picture until the view changes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QTransform

from workbench.core.arrays import Floats
from workbench.core.figures import Ring

MANY = 2_000  # points beyond which one item draws them all
_CROWDED = 20_000  # points beyond which dots get smaller
_SLICE = 0.02  # seconds of painting in one turn


class _Picture(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph is untyped
    """An item that is a picture of the visible part of the plot, made anew when the view changes."""

    def __init__(self, area: QRectF) -> None:
        super().__init__()
        self._area = area
        self._image = QImage()
        self._made_for: tuple[Any, ...] = ()

    def boundingRect(self) -> QRectF:
        return QRectF(self._area)

    def paint(self, painter: QPainter, *_rest: Any) -> None:
        transform = painter.transform()
        box = self.getViewBox()
        seen = transform.mapRect(box.viewRect()) if box is not None else transform.mapRect(self._area)
        wanted = (seen.toRect(), *_numbers(transform))
        if wanted != self._made_for and seen.width() >= 1 and seen.height() >= 1:
            self._made_for = wanted
            self._image = QImage(seen.toRect().size(), QImage.Format.Format_ARGB32_Premultiplied)
            self._image.fill(0)
            shifted = QTransform(transform)
            shifted *= QTransform.fromTranslate(-seen.toRect().left(), -seen.toRect().top())
            self._fill(shifted, painter.device().devicePixelRatioF())
        painter.save()
        painter.resetTransform()
        painter.drawImage(seen.toRect().topLeft(), self._image)
        painter.restore()

    def _fill(self, transform: QTransform, ratio: float) -> None:
        raise NotImplementedError


def _numbers(transform: QTransform) -> tuple[float, ...]:
    return transform.m11(), transform.m12(), transform.m21(), transform.m22(), transform.dx(), transform.dy()


class PointCloud(_Picture):
    """Dots of one colour, or each of its own (rows of red, green and blue)."""

    def __init__(self, x: Floats, y: Floats, colour: QColor | NDArray[np.uint8]) -> None:
        known = np.isfinite(x) & np.isfinite(y)
        self._x, self._y = x[known], y[known]
        if isinstance(colour, QColor):
            self._colours = np.array([(colour.red(), colour.green(), colour.blue())], dtype=np.uint8)
        else:
            self._colours = colour[known]
        wide = (float(self._x.min()), float(np.ptp(self._x))) if len(self._x) else (0.0, 0.0)
        tall = (float(self._y.min()), float(np.ptp(self._y))) if len(self._y) else (0.0, 0.0)
        super().__init__(QRectF(wide[0], tall[0], wide[1], tall[1]))

    def _fill(self, transform: QTransform, ratio: float) -> None:
        across = np.rint(transform.m11() * self._x + transform.dx()).astype(np.int64)
        down = np.rint(transform.m22() * self._y + transform.dy()).astype(np.int64)
        wide, tall = self._image.width(), self._image.height()
        radius = max(1, round((1.0 if len(self._x) > _CROWDED else 2.0) * ratio))
        near = (across > -radius) & (across < wide + radius) & (down > -radius) & (down < tall + radius)
        across, down = across[near], down[near]
        red, green, blue = np.broadcast_to(self._colours, (len(near), 3))[near].T.astype(np.uint32)
        ink = (np.uint32(255) << 24) | (red << 16) | (green << 8) | blue
        pixels = np.zeros((tall, wide), dtype=np.uint32)
        for dx in range(-radius, radius + 1):
            for dy in range(-radius, radius + 1):
                if dx * dx + dy * dy <= radius * radius + 0.5:
                    x, y = across + dx, down + dy
                    inside = (x >= 0) & (x < wide) & (y >= 0) & (y < tall)
                    pixels[y[inside], x[inside]] = ink[inside]
        picture = QImage(pixels.data, wide, tall, wide * 4, QImage.Format.Format_ARGB32_Premultiplied)
        self._image = picture.copy()  # its own memory


def corners_of(areas: Sequence[tuple[Ring, ...]]) -> Floats:
    """All corners of all rings under each other, as rows of x and y."""
    rings = chain.from_iterable(areas)
    return np.fromiter(chain.from_iterable(chain.from_iterable(rings)), dtype=np.float64).reshape(-1, 2)


class AreaPicture(_Picture):
    """Areas filled each with a colour, or outlined with one pen where there are no fills."""

    def __init__(self, areas: Sequence[tuple[Ring, ...]], fills: NDArray[np.uint8] | None, pen: QPen) -> None:
        self._fills, self._pen = fills, pen
        self._rings = [tuple(len(ring) for ring in rings) for rings in areas]
        self._corners = corners_of(areas)
        self._paths: list[QPainterPath] = []
        self._used = 0  # corners that are in a path already
        self._next = 0
        self._transform = QTransform()
        low, high = self._corners.min(axis=0, initial=np.inf), self._corners.max(axis=0, initial=-np.inf)
        if not len(self._corners):
            low, high = np.zeros(2), np.ones(2)
        super().__init__(QRectF(low[0], low[1], high[0] - low[0], high[1] - low[1]))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._continue)

    @property
    def done(self) -> bool:
        return self._next >= len(self._rings)

    def _fill(self, transform: QTransform, _ratio: float) -> None:
        self._transform, self._next = transform, 0
        self._slice(_SLICE)

    def _continue(self) -> None:
        self._slice(_SLICE)
        self.update()

    def finish(self) -> None:
        """Paint what is left now: the picture is wanted whole, by whoever saves it."""
        while not self.done and not self._image.isNull():
            self._slice(_SLICE)
        self.update()

    def _slice(self, seconds: float) -> None:
        until = time.perf_counter() + seconds
        painter = QPainter(self._image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setTransform(self._transform)
        painter.setPen(self._pen)
        seen = self._transform.inverted()[0].mapRect(QRectF(self._image.rect()))
        while not self.done and time.perf_counter() < until:
            path = self._path(self._next)
            if path.boundingRect().intersects(seen):
                if self._fills is not None:
                    painter.setBrush(QColor(*self._fills[self._next].tolist()))
                painter.drawPath(path)
            self._next += 1
        painter.end()
        if not self.done:
            self._timer.start(0)

    def _path(self, number: int) -> QPainterPath:
        """Made when it is first painted: thousands at once would take as long as painting them."""
        while len(self._paths) <= number:
            path = QPainterPath()
            for length in self._rings[len(self._paths)]:
                ring = self._corners[self._used : self._used + length]
                self._used += length
                if length > 1:
                    path.addPath(pg.arrayToQPath(ring[:, 0], ring[:, 1]))
            self._paths.append(path)
        return self._paths[number]

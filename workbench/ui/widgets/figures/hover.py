"""What is under the mouse, in words: the series' names and values at a place of the figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.figure_values import cell_place, marks_by_cell, number, position
from workbench.core.figures import GRIDDED, Figure, Kind, Series
from workbench.core.outlines import inside
from workbench.ui.widgets.figures.axes import from_scale, to_scale
from workbench.ui.widgets.figures.heat import grid_area
from workbench.ui.widgets.figures.raster import corners_of

_NEAR = 16.0  # pixels within which a click means a point


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in scale space with the lines to show; `dots` are the points meant, `key` what a click on it means."""

    x: float
    y: float
    lines: tuple[str, ...]
    dots: tuple[tuple[float, float], ...] = ()
    key: str = ""


class Reader:
    """Finds the spot nearest to the mouse, and the next one for the arrow keys."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self._gridded = figure.kind in GRIDDED
        self._by_point = figure.kind in {Kind.SCATTER, Kind.MAP, Kind.INTERVAL}
        self._scaled = [(to_scale(figure.x, s.x), to_scale(figure.y, s.y)) for s in figure.series]
        self._area = grid_area(figure)
        self._marks = marks_by_cell(figure) if figure.kind is Kind.TABLE else {}

    @cached_property
    def _stops(self) -> Floats:
        if self._gridded or not self._scaled:
            return np.zeros(0)
        edged = self.figure.kind is Kind.DISTRIBUTION and not self.figure.cumulative
        parts = [(x[:-1] + x[1:]) / 2 if edged else x for x, _ in self._scaled]
        joined = np.unique(np.concatenate(parts))
        stops: Floats = joined[np.isfinite(joined)]
        return stops

    @cached_property
    def _points(self) -> tuple[Integers, Integers]:
        """(series, place in it) of every known point, from left to right."""
        series = np.concatenate([np.full(len(x), k) for k, (x, _) in enumerate(self._scaled)] or [np.zeros(0, int)])
        places = np.concatenate([np.arange(len(x)) for x, _ in self._scaled] or [np.zeros(0, int)])
        across = np.concatenate([np.where(np.isfinite(y), x, np.nan) for x, y in self._scaled] or [np.zeros(0)])
        order = np.argsort(across, kind="stable")[: int(np.isfinite(across).sum())]
        return series[order].astype(np.int64), places[order].astype(np.int64)

    def at(self, x: float, y: float, *, x_pixel: float, y_pixel: float) -> Spot | None:
        """The spot nearest to a place; a pixel's size in both directions weighs distances as the eye does."""
        if self._gridded:
            return self._cell(*self._cell_at(x, y))
        if self._by_point:
            return self._area_at(x, y) or self._nearest_point(x, y, x_pixel, y_pixel)
        return self.stop(int(np.argmin(np.abs(self._stops - x)))) if len(self._stops) else None

    def key_at(self, x: float, y: float, *, x_pixel: float, y_pixel: float) -> str:
        """The key of the point or cell that a click here means; empty beside all of them."""
        spot = self.at(x, y, x_pixel=x_pixel, y_pixel=y_pixel)
        if spot is None or not spot.key:
            return ""
        away = math.hypot((spot.x - x) / x_pixel, (spot.y - y) / y_pixel)
        return spot.key if self._gridded or not spot.dots or away <= _NEAR else ""

    def count(self) -> int:
        if self._gridded:
            return sum(len(line) for line in self.figure.grid)
        return len(self._points[0]) if self._by_point else len(self._stops)

    def stop(self, which: int) -> Spot | None:
        """The spot with this number, counted from the left (heat maps and tables: row by row)."""
        if not 0 <= which < self.count():
            return None
        if self._gridded:
            wide = len(self.figure.grid[0])
            return self._cell(which // wide, which % wide)
        if self._by_point:
            return self._point(int(self._points[0][which]), int(self._points[1][which]))
        x = float(self._stops[which])
        lines, dots = [self._x_words(x)], []
        for series, (xs, ys) in zip(self.figure.series, self._scaled, strict=True):
            found = self._value(series, xs, ys, x)
            if found is not None:
                dots.append((x, found[0]))
                lines.append(f"{series.name}: {found[1]}")
        return Spot(x, dots[0][1] if dots else 0.0, tuple(lines), tuple(dots))

    def _value(self, series: Series, xs: Floats, ys: Floats, x: float) -> tuple[float, str] | None:
        """(height in scale space, words). Between two points of a line the value is read off the line."""
        if self.figure.kind is Kind.DISTRIBUTION:
            at = int(np.searchsorted(xs, x, side="right")) - 1
            return (float(ys[at]), number(series.y[at])) if 0 <= at < len(ys) else None
        known = np.isfinite(xs) & np.isfinite(ys)
        if not known.any():
            return None
        xs, ys = xs[known], ys[known]
        exact = np.flatnonzero(np.isclose(xs, x, rtol=0, atol=1e-12))
        if len(exact):
            where = int(np.flatnonzero(known)[exact[0]])
            return float(ys[exact[0]]), number(series.y[where]) + _bounds(series, where)
        if self.figure.kind is not Kind.LINES or not xs.min() <= x <= xs.max():
            return None
        order = np.argsort(xs)
        height = float(np.interp(x, xs[order], ys[order]))
        return height, f"≈ {number(from_scale(self.figure.y, height))}"

    def _nearest_point(self, x: float, y: float, x_pixel: float, y_pixel: float) -> Spot | None:
        best: tuple[float, int, int] | None = None
        for which, (xs, ys) in enumerate(self._scaled):
            if self.figure.series[which].areas:
                continue
            away = ((xs - x) / x_pixel) ** 2 + ((ys - y) / y_pixel) ** 2
            if not len(away) or np.isnan(away).all():
                continue
            at = int(np.nanargmin(away))
            if best is None or away[at] < best[0]:
                best = (float(away[at]), which, at)
        return None if best is None else self._point(best[1], best[2])

    @cached_property
    def _boxes(self) -> list[tuple[int, Floats]]:
        """For every series of filled areas: the smallest and the largest coordinates of each area."""
        made = []
        for which, series in enumerate(self.figure.series):
            if series.areas and not series.muted:
                corners = corners_of(series.areas)
                many = np.array([sum(len(ring) for ring in rings) for rings in series.areas])
                starts = np.concatenate([[0], np.cumsum(many)[:-1]])
                low, high = np.minimum.reduceat(corners, starts), np.maximum.reduceat(corners, starts)
                made.append((which, np.concatenate([low, high], axis=1)))
        return made

    def _area_at(self, x: float, y: float) -> Spot | None:
        """The area of a map that holds the place."""
        for which, box in self._boxes:
            held = (box[:, 0] <= x) & (box[:, 1] <= y) & (x <= box[:, 2]) & (y <= box[:, 3])
            for at in np.flatnonzero(held).tolist():
                if inside(self.figure.series[which].areas[at], np.array([x]), np.array([y]))[0]:
                    return self._point(which, at)
        return None

    def _point(self, which: int, at: int) -> Spot:
        series, (xs, ys) = self.figure.series[which], self._scaled[which]
        place = (float(xs[at]), float(ys[at]))
        key = series.keys[at] if series.keys else ""
        lines = self._map_words(series, at) if self.figure.kind is Kind.MAP else self._point_words(series, at)
        return Spot(*place, ((key, *lines) if key else (series.name, *lines)), () if series.areas else (place,), key)

    def _point_words(self, series: Series, at: int) -> tuple[str, ...]:
        height = f"{number(series.y[at])}{_bounds(series, at)} {self.figure.y.unit}".strip()
        return f"{self.figure.x.label}: {self._position(at, series)}", f"{self.figure.y.label}: {height}"

    def _map_words(self, series: Series, at: int) -> tuple[str, ...]:
        """The numbers that colour and size show; coordinates only where there is nothing else to say."""
        figure, words = self.figure, []
        if series.value and figure.colour is not None:
            words.append(f"{figure.colour.label}: {number(series.value[at])} {figure.colour.unit}".strip())
        if series.high:
            words.append(f"{'Size' if series.value else 'Value'}: {number(series.high[at])}")
        if not words or not series.keys:
            words.append(f"{figure.x.label}: {number(series.x[at])}")
            words.append(f"{figure.y.label}: {number(series.y[at])}")
        return tuple(words)

    def _position(self, at: int, series: Series) -> str:
        place = position(self.figure.x, series.x[at])
        return place if isinstance(place, str) else number(place)

    def _x_words(self, x: float) -> str:
        figure = self.figure
        place = position(figure.x, from_scale(figure.x, x))
        if figure.kind is Kind.DISTRIBUTION and figure.series and not figure.cumulative:
            edges = to_scale(figure.x, figure.series[0].x)
            at = int(np.clip(np.searchsorted(edges, x) - 1, 0, len(edges) - 2))
            pair = figure.series[0].x[at : at + 2]
            return f"{figure.x.label}: {number(pair[0])} to {number(pair[1])} {figure.x.unit}".strip()
        words = place if isinstance(place, str) else f"{number(place)} {figure.x.unit}".strip()
        return f"{figure.x.label}: {words}"

    def _cell_at(self, x: float, y: float) -> tuple[int, int]:
        grid, area = self.figure.grid, self._area
        wide = max((len(line) for line in grid), default=1)
        return (
            math.floor((y - area.top()) / area.height() * max(1, len(grid))),
            math.floor((x - area.left()) / area.width() * wide),
        )

    def _cell(self, row: int, column: int) -> Spot | None:
        figure, grid = self.figure, self.figure.grid
        if not (0 <= row < len(grid) and 0 <= column < len(grid[row])):
            return None
        places = zip((figure.y, figure.x), cell_place(figure, row, column), strict=True)
        lines = [f"{axis.label}: {place if isinstance(place, str) else number(place)}" for axis, place in places]
        wide, tall = self._area.width() / len(grid[row]), self._area.height() / len(grid)
        x, y = self._area.left() + (column + 0.5) * wide, self._area.top() + (row + 0.5) * tall
        more, key = self._cell_words(row, column)
        return Spot(x, y, (*lines, *more), key=key)

    def _cell_words(self, row: int, column: int) -> tuple[tuple[str, ...], str]:
        figure, value = self.figure, self.figure.grid[row][column]
        framed = " (outlined)" if (row, column) in figure.outlined else ""
        if figure.kind is Kind.HEAT_MAP:
            label, unit = (figure.colour.label, figure.colour.unit) if figure.colour is not None else ("value", "")
            return (f"{label}: {number(value)} {unit}".strip() + framed,), ""
        said = [f"{'no number' if math.isnan(value) else f'value: {number(value)}'}{framed}"]
        series, at = self._marks.get((row, column), (None, 0))
        if series is None:
            return tuple(said), ""
        said.append(series.name)
        if series.low:
            said.append(f"between {number(series.low[at])} and {number(series.high[at])}")
        return tuple(said), series.keys[at] if series.keys else ""


def _bounds(series: Series, at: int) -> str:
    if at < len(series.low) and at < len(series.high):
        return f" ({number(series.low[at])} to {number(series.high[at])})"
    return ""

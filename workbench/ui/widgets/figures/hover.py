"""What is under the mouse, in words: the series' names and values at a place of the figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.figures import Figure, Kind, Series
from workbench.ui.widgets.figures.axes import from_scale, to_scale
from workbench.ui.widgets.figures.data import number, position


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in scale space with the lines to show; `dots` are the points meant."""

    x: float
    y: float
    lines: tuple[str, ...]
    dots: tuple[tuple[float, float], ...] = ()


class Reader:
    """Finds the spot nearest to the mouse, and the next one for the arrow keys."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self._by_point = figure.kind in {Kind.SCATTER, Kind.MAP, Kind.INTERVAL}
        pairs = [(to_scale(figure.x, s.x), to_scale(figure.y, s.y)) for s in figure.series]
        self._scaled = pairs
        self._stops = self._find_stops()

    def _find_stops(self) -> NDArray[np.float64]:
        if self.figure.kind is Kind.HEAT_MAP or not self._scaled:
            return np.zeros(0)
        parts = [(x[:-1] + x[1:]) / 2 if self.figure.kind is Kind.DISTRIBUTION else x for x, _ in self._scaled]
        joined = np.unique(np.concatenate(parts))
        stops: NDArray[np.float64] = joined[np.isfinite(joined)]
        return stops

    def at(self, x: float, y: float, *, x_pixel: float, y_pixel: float) -> Spot | None:
        """The spot nearest to a place; a pixel's size in both directions weighs distances as the eye does."""
        if self.figure.kind is Kind.HEAT_MAP:
            return self._cell(round(y), round(x))
        if self._by_point:
            return self._nearest_point(x, y, x_pixel, y_pixel)
        return self.stop(int(np.argmin(np.abs(self._stops - x)))) if len(self._stops) else None

    def count(self) -> int:
        if self.figure.kind is Kind.HEAT_MAP:
            return sum(len(line) for line in self.figure.grid)
        return len(self._stops)

    def stop(self, which: int) -> Spot | None:
        """The spot with this number, counted from the left (heat maps: row by row)."""
        if not 0 <= which < self.count():
            return None
        if self.figure.kind is Kind.HEAT_MAP:
            wide = max(len(line) for line in self.figure.grid)
            return self._cell(which // wide, which % wide)
        x = float(self._stops[which])
        lines, dots = [self._x_words(x)], []
        for series, (xs, ys) in zip(self.figure.series, self._scaled, strict=True):
            found = self._value(series, xs, ys, x)
            if found is not None:
                dots.append((x, found[0]))
                lines.append(f"{series.name}: {found[1]}")
        return Spot(x, dots[0][1] if dots else 0.0, tuple(lines), tuple(dots))

    def _value(
        self, series: Series, xs: NDArray[np.float64], ys: NDArray[np.float64], x: float
    ) -> tuple[float, str] | None:
        """(height in scale space, words). Between two points of a line the value is read off the line."""
        if self.figure.kind is Kind.DISTRIBUTION:
            bin_ = int(np.searchsorted(xs, x, side="right")) - 1
            return (float(ys[bin_]), number(series.y[bin_])) if 0 <= bin_ < len(ys) else None
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
            away = ((xs - x) / x_pixel) ** 2 + ((ys - y) / y_pixel) ** 2
            if not len(away) or np.isnan(away).all():
                continue
            at = int(np.nanargmin(away))
            if best is None or away[at] < best[0]:
                best = (float(away[at]), which, at)
        if best is None:
            return None
        _, which, at = best
        series, (xs, ys) = self.figure.series[which], self._scaled[which]
        height = f"{number(series.y[at])}{_bounds(series, at)} {self.figure.y.unit}".strip()
        lines = (
            series.name,
            f"{self.figure.x.label}: {self._position(at, series)}",
            f"{self.figure.y.label}: {height}",
        )
        return Spot(float(xs[at]), float(ys[at]), lines, ((float(xs[at]), float(ys[at])),))

    def _position(self, at: int, series: Series) -> str:
        place = position(self.figure.x, series.x[at])
        return place if isinstance(place, str) else number(place)

    def _x_words(self, x: float) -> str:
        figure = self.figure
        place = position(figure.x, from_scale(figure.x, x))
        if figure.kind is Kind.DISTRIBUTION and figure.series:
            edges = to_scale(figure.x, figure.series[0].x)
            at = int(np.clip(np.searchsorted(edges, x) - 1, 0, len(edges) - 2))
            pair = figure.series[0].x[at : at + 2]
            return f"{figure.x.label}: {number(pair[0])} to {number(pair[1])} {figure.x.unit}".strip()
        words = place if isinstance(place, str) else f"{number(place)} {figure.x.unit}".strip()
        return f"{figure.x.label}: {words}"

    def _cell(self, row: int, column: int) -> Spot | None:
        grid = self.figure.grid
        if not (0 <= row < len(grid) and 0 <= column < len(grid[row])):
            return None
        lines = [f"{axis.label}: {place if isinstance(place, str) else number(place)}"
                 for axis, place in ((self.figure.y, position(self.figure.y, row)),
                                     (self.figure.x, position(self.figure.x, column)))]  # fmt: skip
        marked = " (outlined)" if (row, column) in self.figure.outlined else ""
        return Spot(float(column), float(row), (*lines, f"value: {number(grid[row][column])}{marked}"))


def _bounds(series: Series, at: int) -> str:
    if at < len(series.low) and at < len(series.high):
        return f" ({number(series.low[at])} to {number(series.high[at])})"
    return ""

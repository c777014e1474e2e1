"""Heat maps: where cells are few each shows its number, so colour is never alone. Paths lie over the surface."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.colour_scale import scale_of
from workbench.core.figures import Axis, Figure
from workbench.core.palette import FEW, LIGHT_RAMP, looks_of
from workbench.core.visible import visible
from workbench.report.legend import DASHES, MARKERS, ink, size_of
from workbench.report.scales import INK, finite, name_positions
from workbench.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MISSING = "#dedede"
_FRAME = "#D55E00"
_MOST_NUMBERS = 15  # rows and columns up to which each cell shows its number; beyond, a colour bar does
_RULED = 900  # cells up to which white lines part them
_MOST_CELLS = 10_000  # cells that are drawn one by one; more of them become a picture inside the drawing


def heat_map(axes: Axes, figure: Figure) -> None:
    """The grid with row 0 on top, or between its axes. Infinite and missing cells are grey and say so."""
    values = np.array([finite(row) for row in figure.grid] or [[math.nan]], dtype=float)
    rows, columns = values.shape
    drawn = axes.pcolormesh(
        *_edges(figure, rows, columns), np.ma.masked_invalid(values), cmap=colours(), norm=colour_norm(figure),
        edgecolors="white" if values.size < _RULED else "face", linewidth=0.8 if values.size < _RULED else 0.1,
        rasterized=values.size > _MOST_CELLS,
    )  # fmt: skip
    for side in axes.spines.values():
        side.set_visible(False)
    numbered = max(rows, columns) <= _MOST_NUMBERS and figure.extent is None
    if figure.extent is None:
        _number_axes(axes, figure, rows)
    if numbered:
        _write_numbers(axes, figure)
    _frames(axes, figure, rows, columns)
    _paths(axes, figure)
    if not numbered or figure.colour is not None:
        colour_bar(axes, drawn, figure)


def colours() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("ink", list(LIGHT_RAMP)).with_extremes(bad=MISSING)


def colour_norm(figure: Figure) -> Any:
    from matplotlib.colors import LogNorm, Normalize

    scale = scale_of(figure)
    high = scale.high if scale.high > scale.low else scale.low * 2 if scale.log else scale.low + 1
    return (LogNorm if scale.log else Normalize)(scale.low, high)


def colour_bar(axes: Axes, drawn: Any, figure: Figure) -> None:
    """Which colour is which number, with the unit."""
    bar = axes.figure.colorbar(drawn, ax=axes, shrink=0.85, pad=0.02, format=lambda value, _: number(value))
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8, labelcolor=INK, length=2)
    bar.ax.minorticks_off()
    if figure.colour is not None:
        bar.set_label(visible(figure.colour.title()), fontsize=8, color=INK)


def _edges(figure: Figure, rows: int, columns: int) -> tuple[Floats, Floats]:
    if figure.extent is None:
        return np.arange(columns + 1, dtype=np.float64) - 0.5, np.arange(rows + 1, dtype=np.float64) - 0.5
    left, right, low, high = figure.extent
    return _spread(figure.x, left, right, columns), _spread(figure.y, low, high, rows)


def _spread(axis: Axis, low: float, high: float, cells: int) -> Floats:
    """Edges that are evenly spaced on the axis' own scale."""
    made: Floats = np.geomspace(low, high, cells + 1) if axis.log and low > 0 else np.linspace(low, high, cells + 1)
    return made


def _number_axes(axes: Axes, figure: Figure, rows: int) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_ylim(rows - 0.5, -0.5)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    name_positions(axes, figure.x, across=True)
    name_positions(axes, figure.y, across=False)


def _frames(axes: Axes, figure: Figure, rows: int, columns: int) -> None:
    across, up = _edges(figure, rows, columns)
    for row, column in figure.outlined:
        wide, tall = across[column + 1] - across[column], up[row + 1] - up[row]
        frame(axes, (float(across[column]), float(up[row])), float(wide), float(tall))


def frame(axes: Axes, corner: tuple[float, float], wide: float, tall: float) -> None:
    """Around a cell that matters most."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle(corner, wide, tall, fill=False, edgecolor=_FRAME, linewidth=2.2, zorder=5, clip_on=False))


def _paths(axes: Axes, figure: Figure) -> None:
    """Each path in a white casing, its points marked where they are few, its end marked larger."""
    from matplotlib.patheffects import Normal, Stroke

    for series, look in zip(figure.series, looks_of(figure), strict=True):
        x, y, colour = finite(series.x), finite(series.y), ink(look)
        axes.plot(
            x, y, color=colour, linewidth=1.8, linestyle=DASHES[look.dash % len(DASHES)], zorder=6,
            path_effects=[Stroke(linewidth=3.6, foreground="white"), Normal()],
        )  # fmt: skip
        shown = slice(None) if len(x) <= FEW else slice(-1, None)
        for part, size in ((shown, 4.5), (slice(-1, None), 8)):
            axes.plot(
                x[part], y[part], linestyle="", marker=MARKERS[look.symbol], color=colour, zorder=7,
                markersize=size_of(look.symbol, size), markeredgecolor="white", markeredgewidth=0.8,
            )  # fmt: skip


def _write_numbers(axes: Axes, figure: Figure) -> None:
    """White on dark cells, ink on light ones."""
    width = max((len(row) for row in figure.grid), default=1)
    scale = scale_of(figure)
    for place, row in enumerate(figure.grid):
        dark = np.nan_to_num(scale.shares(row)) > 0.5
        for column, value in enumerate(row):
            axes.text(
                column, place, _shown(value, 3 if width <= 8 else 2), ha="center", va="center",
                fontsize=8 if width <= 10 else 6.5, color="white" if dark[column] else INK,
            )  # fmt: skip


def _shown(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else number(value, digits)

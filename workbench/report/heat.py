"""Heat maps: every cell shows its number and the cells that matter most have a frame, so colour is never alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.figures import Figure
from workbench.report.scales import INK, finite, name_positions
from workbench.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHADES = ("#f4f7fa", "#9cc4de", "#0072B2", "#00344f")
_FRAME = "#D55E00"
_MOST_NUMBERS = 15  # rows and columns up to which each cell shows its number; beyond, a colour bar does


def heat_map(axes: Axes, figure: Figure) -> None:
    """The grid with row 0 on top. Infinite and missing cells are grey and say so."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.ticker import MaxNLocator

    values = np.array([finite(row) for row in figure.grid] or [[math.nan]], dtype=float)
    rows, columns = values.shape
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    scale = Normalize(low, high if high > low else low + 1)
    shades = LinearSegmentedColormap.from_list("ink", list(_SHADES)).with_extremes(bad="#dedede")
    drawn = axes.pcolormesh(
        np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5, np.ma.masked_invalid(values),
        cmap=shades, norm=scale, edgecolors="white", linewidth=0.8,
    )  # fmt: skip
    axes.set_ylim(rows - 0.5, -0.5)
    for side in axes.spines.values():
        side.set_visible(False)
    _frame(axes, figure)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    name_positions(axes, figure.x, across=True)
    name_positions(axes, figure.y, across=False)
    if max(rows, columns) <= _MOST_NUMBERS:
        _write_numbers(axes, figure, scale)
    else:
        axes.figure.colorbar(drawn, ax=axes, shrink=0.8, format=lambda value, _: number(value))


def _frame(axes: Axes, figure: Figure) -> None:
    from matplotlib.patches import Rectangle

    for row, column in figure.outlined:
        axes.add_patch(
            Rectangle(
                (column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=_FRAME, linewidth=2.2, zorder=5, clip_on=False
            )
        )


def _write_numbers(axes: Axes, figure: Figure, scale: Any) -> None:
    """White on dark cells, ink on light ones."""
    width = max((len(row) for row in figure.grid), default=1)
    for place, row in enumerate(figure.grid):
        for column, value in enumerate(row):
            axes.text(
                column, place, _shown(value, 3 if width <= 8 else 2), ha="center", va="center",
                fontsize=8 if width <= 10 else 6.5, color="white" if _is_dark(value, scale) else INK,
            )  # fmt: skip


def _shown(value: float | None, digits: int) -> str:
    """A grid that came back from JSON holds nothing where it held not-a-number."""
    return "–" if value is None or math.isnan(value) else number(value, digits)


def _is_dark(value: float | None, scale: Any) -> bool:
    return value is not None and math.isfinite(value) and float(scale(value)) > 0.5

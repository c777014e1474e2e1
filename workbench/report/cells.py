"""A table with marked cells: numbers as text, marks as tint, symbol and legend, what an attacker can find beneath."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workbench.core.figures import Figure, Series
from workbench.core.palette import looks_of
from workbench.report.heat import frame
from workbench.report.legend import MARKERS, ink, size_of
from workbench.report.scales import INK, RULE, name_positions
from workbench.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NUMBERS = 12  # columns up to which cells hold their numbers
_MOST_ROWS = 40  # rows up to which they do


def marked_table(axes: Axes, figure: Figure) -> None:
    """Row 0 on top. A cell without a number is empty; beyond a page's worth of cells only the marks are drawn."""
    from matplotlib.patches import Rectangle

    rows, columns = len(figure.grid), max((len(row) for row in figure.grid), default=1)
    small = columns > _MOST_NUMBERS or rows > _MOST_ROWS
    for series, look in zip(figure.series, looks_of(figure), strict=True):
        colour = ink(look)
        for column, row in zip(series.x, series.y, strict=True):
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=(colour, 0.9 if small else 0.22)))
        if not small:
            left = [column - 0.42 for column in series.x]
            axes.plot(
                left,
                series.y,
                linestyle="",
                marker=MARKERS[look.symbol],
                color=colour,
                markersize=size_of(look.symbol, 4.5),
            )
            _bounds(axes, series)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(max(rows, 1) - 0.5, -0.5)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.xaxis.set_label_position("top")
    for row, column in figure.outlined:
        frame(axes, (column - 0.5, row - 0.5), 1, 1)
    name_positions(axes, figure.x, across=True)
    name_positions(axes, figure.y, across=False)
    if not small:
        axes.hlines([row - 0.5 for row in range(rows + 1)], -0.5, columns - 0.5, color=RULE, linewidth=0.6)
        _numbers(axes, figure)


def _numbers(axes: Axes, figure: Figure) -> None:
    """Flush right; a marked cell that keeps its number has it above its bounds."""
    for row, line in enumerate(figure.grid):
        for column, value in enumerate(line):
            if not math.isnan(value):
                axes.text(column + 0.44, row, number(value), ha="right", va="center", fontsize=7.5, color=INK)


def _bounds(axes: Axes, series: Series) -> None:
    for column, row, low, high in zip(series.x, series.y, series.low, series.high, strict=False):
        axes.text(column - 0.34, row, f"{number(low)} – {number(high)}", va="center", fontsize=6.5, color=INK)

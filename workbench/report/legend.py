"""The legend beneath a plot, and what the names of looks mean to matplotlib. The window's legend names the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from workbench.core import palette
from workbench.core.figures import GRIDDED, Figure
from workbench.core.palette import Look, legend_of
from workbench.core.visible import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MUTED = "#8c96a0"
MARKERS = {
    "circle": "o", "square": "s", "triangle": "^", "diamond": "D", "star": "*", "plus": "P", "turned triangle": "v",
    "hexagon": "h", "cross": "X", "disc": "o", "ring": "o", "coloured": "o", "outline": "",
}  # fmt: skip
DASHES: tuple[Any, ...] = ("-", "--", (0, (2, 1.5)), (0, (6, 2, 1.5, 2)), (0, (10, 3)))


def size_of(symbol: str, size: float) -> float:
    """Symbols with much air are drawn larger, to weigh as much as a disc of this size."""
    return size * {"star": 1.7, "plus": 1.4, "cross": 1.2, "ring": 1.2, "disc": 1.2}.get(symbol, 1.0)


def ink(look: Look) -> str:
    return look.ink(palette.LIGHT, MUTED)


def entries(figure: Figure) -> tuple[Look, ...]:
    """What has to be named: one series of points is named by its caption, marks and paths never are."""
    looks = legend_of(figure)
    return looks if len(looks) > 1 or figure.kind in GRIDDED or len(figure.series) > 1 else ()


def shape(figure: Figure) -> tuple[int, int]:
    """Rows and columns of the legend: as few rows as the names allow, evenly filled."""
    named = entries(figure)
    longest = max((len(look.name) for look in named), default=0)
    most = max(1, min(len(named), 84 // (longest + 8)))
    rows = math.ceil(len(named) / most)
    return rows, math.ceil(len(named) / max(rows, 1))


def draw_legend(canvas: Canvas, figure: Figure, *, alone: bool = False) -> None:
    """Below the plot, or alone on its canvas."""
    named = entries(figure)
    if named:
        handles = [_handle(look) for look in named]
        names = [visible(look.name) for look in named]
        columns = shape(figure)[1]
        canvas.legend(
            handles, names, loc="center" if alone else "outside lower center", ncols=columns, frameon=False, fontsize=8
        )


def _handle(look: Look) -> Any:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    colour = ink(look)
    if look.filled:
        return Patch(facecolor=colour)
    hollow = look.symbol == "ring"
    return Line2D(
        [], [], color=colour, linestyle=DASHES[look.dash % len(DASHES)] if look.lined else "",
        marker=MARKERS[look.symbol] if look.dotted else "", markersize=size_of(look.symbol, 5),
        markerfacecolor="none" if hollow else colour, markeredgewidth=1.4 if hollow else 0.5,
        markeredgecolor=colour if hollow else "white",
    )  # fmt: skip

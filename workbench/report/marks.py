"""Reference lines across a plot, named in the margin, where a name covers nothing and is never cut."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from workbench.core.figures import GRIDDED, Figure, Mark
from workbench.core.visible import visible
from workbench.report.scales import INK, PLOT_HEIGHT
from workbench.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE = 10.5  # points from one line of a name to the next
_NAME_WIDTH, _NARROW_NAME = 20, 9  # characters of a name beside the plot


def draw_marks(axes: Axes, figure: Figure, *, narrow: bool = False) -> None:
    """Lines first, so that the axes' final limits are known when the names are placed."""
    if figure.kind in GRIDDED and figure.extent is None:
        return
    drawable = [mark for mark in figure.marks if _can_be_drawn(mark, axes)]
    for mark in drawable:
        across = axes.axvline if mark.vertical else axes.axhline
        across(mark.value, color=INK, linewidth=1.1, linestyle=(0, (5, 2)), zorder=2.5)
    axes.autoscale_view()
    line = _LINE / (72 * PLOT_HEIGHT)
    upright = [mark for mark in drawable if mark.vertical]
    level = [mark for mark in drawable if not mark.vertical]
    _name_beside(axes, level, line, width=_NARROW_NAME if narrow else _NAME_WIDTH)
    _name_above(axes, upright, line)
    _mention_rest(axes, [mark for mark in figure.marks if mark not in drawable], 1.02 + line * len(upright))


def _can_be_drawn(mark: Mark, axes: Axes) -> bool:
    scale = axes.get_xscale() if mark.vertical else axes.get_yscale()
    return math.isfinite(mark.value) and (scale != "log" or mark.value > 0)


def _share(axes: Axes, value: float, *, vertical: bool) -> float:
    """Where the value lies along its axis, 0 to 1."""
    point = (value, 0.0) if vertical else (0.0, value)
    blend = axes.get_xaxis_transform() if vertical else axes.get_yaxis_transform()
    inside: Any = axes.transAxes.inverted().transform(blend.transform(point))
    return float(inside[0 if vertical else 1])


def _name_beside(axes: Axes, marks: list[Mark], line: float, *, width: int) -> None:
    """Names of level lines to the right of the plot, pushed apart where they would touch."""
    lowest = -math.inf
    for mark in sorted(marks, key=lambda each: each.value):
        name = "\n".join(textwrap.wrap(visible(mark.name), width)) or visible(mark.name)
        half = line * (name.count("\n") + 1) / 2
        middle = max(_share(axes, mark.value, vertical=False), lowest + half)
        lowest = middle + half
        axes.text(1.015, middle, name, transform=axes.transAxes, fontsize=8, color=INK, va="center", linespacing=1.15)


def _name_above(axes: Axes, marks: list[Mark], line: float) -> None:
    """Names of upright lines above the plot, each on a row of its own, so that they never run into each other."""
    ordered = sorted(marks, key=lambda each: each.value)
    for row, mark in enumerate(ordered):
        at = _share(axes, mark.value, vertical=True)
        side = "left" if at < 0.25 else "right" if at > 0.75 else "center"
        axes.text(
            at, 1.02 + row * line, visible(mark.name), transform=axes.transAxes, fontsize=8, color=INK, ha=side,
            va="bottom",
        )  # fmt: skip


def _mention_rest(axes: Axes, marks: list[Mark], above: float) -> None:
    """A mark at infinity has no place on paper, but is not passed over in silence."""
    if marks:
        words = "; ".join(f"{visible(mark.name)}: {number(mark.value)}" for mark in marks)
        axes.text(0.0, above, f"Outside the plot: {words}", transform=axes.transAxes, fontsize=7.5, color=INK)

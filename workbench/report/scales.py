"""Axes of report figures: units, thousands separators, logarithms, names for positions."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workbench.core.figures import GRIDDED, Axis, Figure, Kind
from workbench.core.visible import visible
from workbench.report import legend
from workbench.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#1c2733"
GREY = "#5b6673"
RULE = "#d5dbe1"
_MOST_NAMES = 40
_UPRIGHT = 26  # characters that stand upright beside a plot of the usual height
_WIDE_SPAN = 2.5  # decades from which powers of ten alone are ticks enough


PLOT_HEIGHT = 1.75  # inches of the plot itself, without what is written around it
_ROW = {Kind.HEAT_MAP: 0.3, Kind.TABLE: 0.24}  # inches
_TALLEST = {Kind.HEAT_MAP: 5.4, Kind.TABLE: 7.5}


def height(figure: Figure, *, named: bool = True) -> float:
    """Inches: the plot keeps its height, whatever is written above and below; a grid grows with its rows."""
    below = 0.7 + (0.85 if names_slant(figure.x) else 0.13 * (name_lines(figure.x) - 1))
    rows = legend.shape(figure)[0] if named else 0
    below += 0.08 + 0.19 * rows if rows else 0.0
    if figure.extent is not None or (figure.kind is Kind.MAP):
        return below + 3.4
    if figure.kind in GRIDDED:
        return below + min(max(_ROW[figure.kind] * len(figure.grid), 1.2), _TALLEST[figure.kind])
    return below + 0.15 * sum(mark.vertical for mark in figure.marks) + PLOT_HEIGHT


def finite(values: Iterable[float | None]) -> list[float]:
    """Numbers to draw: what is missing or infinite leaves a gap."""
    return [value if value is not None and math.isfinite(value) else math.nan for value in values]


def dress_axes(axes: Axes, figure: Figure) -> None:
    """Titles with units, scales and grid, before anything is drawn."""
    axes.set_xlabel(_wrapped(figure.x.title(), 80), fontsize=9, color=INK)
    axes.set_ylabel(_wrapped(figure.y.title(), _UPRIGHT), fontsize=9, color=INK)
    axes.tick_params(labelsize=8, colors=GREY, labelcolor=INK, length=3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(GREY)
    if figure.kind in GRIDDED and figure.extent is None:
        return
    axes.set_axisbelow(True)
    if figure.kind is not Kind.HEAT_MAP:
        axes.grid(visible=True, color=RULE, linewidth=0.6, axis="y" if figure.kind is Kind.BARS else "both")
    wide, tall = _decades(figure, across=True), _decades(figure, across=False)
    if figure.x.log and wide is not None:
        axes.set_xscale("log", nonpositive="mask")
    if figure.y.log and tall is not None:
        axes.set_yscale("log", nonpositive="clip" if figure.kind is Kind.BARS else "mask")
    _ticks(axes.xaxis, wide or 0.0)
    _ticks(axes.yaxis, tall or 0.0)
    name_positions(axes, figure.x, across=True)
    name_positions(axes, figure.y, across=False)
    if figure.x.categories:
        axes.set_xlim(-0.6, len(figure.x.categories) - 0.4)
    if figure.y.categories:
        axes.set_ylim(-0.6, len(figure.y.categories) - 0.4)


def _decades(figure: Figure, *, across: bool) -> float | None:
    """Powers of ten that the data span. None where nothing is above zero: then there is no logarithm to draw."""
    drawn = [value for series in figure.series for value in (series.x if across else series.y)]
    if figure.extent is not None:
        drawn += figure.extent[:2] if across else figure.extent[2:]
    positive = [value for value in finite(drawn) if value > 0]
    return math.log10(max(positive) / min(positive)) if positive else None


def _ticks(axis: Any, span: float) -> None:
    """Numbers as in the text; a logarithmic axis of few decades also shows 2 and 5 of each."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    if axis.get_scale() == "log":
        if span < _WIDE_SPAN:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_minor_formatter(NullFormatter())


def name_positions(axes: Axes, described: Axis, *, across: bool) -> None:
    """Names instead of numbers; crowded names are set slanting, too many are thinned out."""
    names = described.categories
    places = list(range(0, len(names), max(1, math.ceil(len(names) / _MOST_NAMES))))
    if not names:
        return
    if not across:
        axes.set_yticks(places, [_wrapped(names[place], 26) for place in places], fontsize=8)
    elif names_slant(described):
        shown = [_wrapped(names[place], 26) for place in places]
        axes.set_xticks(places, shown, fontsize=7.5, rotation=40, ha="right", rotation_mode="anchor")
    else:
        axes.set_xticks(places, [_wrapped(names[place], _room(described)) for place in places], fontsize=8)


def _room(described: Axis) -> int:
    """Characters each name can have under a plot of full width."""
    return 84 // max(1, min(len(described.categories), _MOST_NAMES))


def name_lines(described: Axis) -> int:
    """Lines that level names take under a plot."""
    if not described.categories or names_slant(described):
        return 1
    return max(_wrapped(name, _room(described)).count("\n") + 1 for name in described.categories)


def names_slant(described: Axis) -> bool:
    """True where names, even broken into lines, are too wide to stand level."""
    words = (word for name in described.categories for word in name.split())
    most_lines = max((len(name) for name in described.categories), default=0) > 3 * _room(described)
    return most_lines or max((len(word) for word in words), default=0) > _room(described)


def _wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(visible(text), width)) or visible(text)

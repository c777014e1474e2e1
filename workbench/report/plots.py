"""Lines, clouds, bars, distributions and intervals: one function per kind, with the looks that the window gives too."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from workbench.core.figures import Figure, Series
from workbench.core.palette import looks_of
from workbench.report.legend import DASHES, MARKERS, ink, size_of
from workbench.report.scales import INK, finite
from workbench.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY = 300
TOO_MANY = 4_000  # points of a cloud that are drawn one by one; more of them become a picture inside the drawing
_NUMBERED = 14  # bars that each show their number


def _styled(figure: Figure) -> Iterator[tuple[Series, str, str, Any]]:
    """Each series with its colour, symbol and dash."""
    for series, look in zip(figure.series, looks_of(figure), strict=True):
        yield series, ink(look), look.symbol, DASHES[look.dash % len(DASHES)]


def lines(axes: Axes, figure: Figure) -> None:
    for series, colour, symbol, dash in _styled(figure):
        x, y = finite(series.x), finite(series.y)
        few = len(x) <= 25 and not series.muted
        axes.plot(
            x, y, color=colour, linestyle=dash, linewidth=1.2 if series.muted else 1.7,
            marker=MARKERS[symbol] if few else "", markersize=size_of(symbol, 4), markeredgecolor="white",
            markeredgewidth=0.5,
        )  # fmt: skip
        if series.low and series.high:
            axes.fill_between(x, finite(series.low), finite(series.high), color=colour, alpha=0.15, linewidth=0)


def scatter(axes: Axes, figure: Figure) -> None:
    for series, colour, symbol, _ in _styled(figure):
        if series.dashed:  # a line of reference through the cloud, such as "equal"
            axes.plot(finite(series.x), finite(series.y), linestyle="--", color=colour)
            continue
        many = len(series.x) > _MANY
        axes.plot(
            finite(series.x), finite(series.y), linestyle="", marker=MARKERS[symbol], color=colour,
            markersize=size_of(symbol, 2.5 if many else 4.5), alpha=0.5 if many else 0.85, markeredgewidth=0,
            rasterized=len(series.x) > TOO_MANY,
        )  # fmt: skip


def bars(axes: Axes, figure: Figure) -> None:
    """Bars of several series stand side by side or on each other; where there are few, each shows its number."""
    if figure.stacked:
        _stacked_bars(axes, figure)
        return
    styled = list(_styled(figure))
    width = 0.8 * _spacing(figure) / max(len(styled), 1)
    total = sum(len(series.x) for series in figure.series)
    for place, (series, colour, _, _) in enumerate(styled):
        shift = (place - (len(styled) - 1) / 2) * width
        heights = finite(series.y)
        drawn = axes.bar([x + shift for x in finite(series.x)], heights, width=width * 0.94, color=colour)
        if series.low and series.high:
            _whiskers(axes, [x + shift for x in series.x], series, INK)
        elif total <= _NUMBERED:
            shown = ["" if math.isnan(value) else number(value, 3) for value in heights]
            behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # a reference line must not cross a number
            axes.bar_label(drawn, labels=shown, fontsize=7.5, padding=2, color=INK, bbox=behind, zorder=4)
    if total and axes.get_yscale() != "log":
        axes.margins(y=0.1)


def _stacked_bars(axes: Axes, figure: Figure) -> None:
    """What is above zero is stacked upwards, what is below downwards."""
    reached: dict[tuple[float, bool], float] = {}
    for series, colour, _, _ in _styled(figure):
        feet, heights = [], [0.0 if math.isnan(height) else height for height in finite(series.y)]
        for x, height in zip(series.x, heights, strict=True):
            feet.append(reached.get((x, height < 0), 0.0))
            reached[x, height < 0] = feet[-1] + height
        axes.bar(
            finite(series.x), heights, bottom=feet, width=0.7 * _spacing(figure), color=colour, edgecolor="white",
            linewidth=0.6,
        )  # fmt: skip
    axes.margins(y=0.05)


def _spacing(figure: Figure) -> float:
    """The smallest distance between two positions, so that neighbouring bars never overlap."""
    places = sorted({x for series in figure.series for x in finite(series.x) if not math.isnan(x)})
    return min((b - a for a, b in itertools.pairwise(places)), default=1.0)


def _whiskers(axes: Axes, x: list[float], series: Series, colour: str) -> None:
    low, high, y = finite(series.low), finite(series.high), finite(series.y)
    below = [max(a - b, 0.0) for a, b in zip(y, low, strict=True)]
    above = [max(b - a, 0.0) for a, b in zip(y, high, strict=True)]
    axes.errorbar(x, y, yerr=[below, above], fmt="none", ecolor=colour, elinewidth=1.3, capsize=3)


def distribution(axes: Axes, figure: Figure) -> None:
    """Histograms: one is filled, several are outlines over a light fill, so that all can be seen; or rising steps."""
    for series, colour, _, dash in _styled(figure):
        if figure.cumulative:
            axes.step(finite(series.x), finite(series.y), where="post", color=colour, linestyle=dash, linewidth=1.6)
        elif series.y:
            fill = 0.75 if len(figure.series) == 1 else 0.15
            axes.stairs(
                finite(series.y), finite(series.x), fill=True, facecolor=(colour, fill), edgecolor=colour,
                linewidth=1.4, linestyle=dash,
            )  # fmt: skip
    axes.margins(x=0.02)


def interval(axes: Axes, figure: Figure) -> None:
    """Points with whiskers; several series are set apart as far as their number allows."""
    many = len(figure.series)
    apart = min(0.16, 0.8 / max(many, 1)) * _spacing(figure) if many > 1 and not figure.x.log else 0.0
    for place, (series, colour, symbol, _) in enumerate(_styled(figure)):
        x = [value + (place - (many - 1) / 2) * apart for value in finite(series.x)]
        size = size_of(symbol, 5.5 if many < 5 else 4)
        axes.plot(x, finite(series.y), linestyle="", marker=MARKERS[symbol], color=colour, markersize=size)
        if series.low and series.high:
            _whiskers(axes, x, series, colour)

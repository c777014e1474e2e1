"""One function per kind of figure. Colours are Okabe and Ito's; shape or dash always tells series apart as well."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from workbench.core.figures import Figure, Kind, Series
from workbench.core.visible import visible
from workbench.report.scales import INK, finite, name_lines, names_slant
from workbench.report.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)), (0, (10, 3)))


PLOT_HEIGHT = 1.75  # inches of the plot itself, without what is written around it


def height(figure: Figure) -> float:
    """Inches: the plot keeps its height, whatever is written above and below; a heat map grows with its rows."""
    below = 0.7 + (0.85 if names_slant(figure.x) else 0.13 * (name_lines(figure.x) - 1))
    if figure.kind is Kind.HEAT_MAP:
        return below + min(max(0.3 * len(figure.grid), 1.2), 5.4)
    above = 0.15 * sum(mark.vertical for mark in figure.marks)
    legend = 0.08 + 0.19 * legend_shape(figure)[0] if len(figure.series) > 1 else 0.0
    return below + above + legend + (3.4 if figure.kind is Kind.MAP else PLOT_HEIGHT)


def legend_shape(figure: Figure) -> tuple[int, int]:
    """Rows and columns of the legend: as few rows as the names allow, evenly filled."""
    longest = max((len(series.name) for series in figure.series), default=0)
    most = max(1, min(len(figure.series), 84 // (longest + 8)))
    rows = math.ceil(len(figure.series) / most)
    return rows, math.ceil(len(figure.series) / max(rows, 1))


def _looks(figure: Figure) -> list[tuple[Series, str, Any, Any]]:
    """Each series with its colour, marker and dash; muted series do not use up a colour."""
    looks = []
    place = 0
    for series in figure.series:
        if series.muted:
            looks.append((series, "#8c96a0", _MARKERS[0], "--" if series.dashed else "-"))
            continue
        dash = "--" if series.dashed else _DASHES[(place // len(OKABE_ITO)) % len(_DASHES)]
        looks.append((series, OKABE_ITO[place % len(OKABE_ITO)], _MARKERS[place % len(_MARKERS)], dash))
        place += 1
    return looks


def lines(axes: Axes, figure: Figure) -> None:
    for series, colour, marker, dash in _looks(figure):
        x, y = finite(series.x), finite(series.y)
        few = len(x) <= 25 and not series.muted
        axes.plot(
            x, y, color=colour, linestyle=dash, linewidth=1.2 if series.muted else 1.7, label=visible(series.name),
            marker=marker if few else "", markersize=4, markeredgecolor="white", markeredgewidth=0.5,
        )  # fmt: skip
        if series.low and series.high:
            axes.fill_between(x, finite(series.low), finite(series.high), color=colour, alpha=0.15, linewidth=0)


def scatter(axes: Axes, figure: Figure) -> None:
    for series, colour, marker, _ in _looks(figure):
        if series.dashed:  # a line of reference through the cloud, such as "equal"
            axes.plot(finite(series.x), finite(series.y), linestyle="--", color=colour, label=visible(series.name))
            continue
        many = len(series.x) > 300
        axes.plot(
            finite(series.x), finite(series.y), linestyle="", marker=marker, color=colour, label=visible(series.name),
            markersize=2.5 if many else 4.5, alpha=0.5 if many else 0.85, markeredgewidth=0,
        )  # fmt: skip


def bars(axes: Axes, figure: Figure) -> None:
    """Bars of several series stand side by side; where there are few, each shows its number."""
    looks = _looks(figure)
    width = 0.8 * _spacing(figure) / max(len(looks), 1)
    total = sum(len(series.x) for series, *_ in looks)
    for place, (series, colour, _, _) in enumerate(looks):
        shift = (place - (len(looks) - 1) / 2) * width
        heights = finite(series.y)
        drawn = axes.bar(
            [x + shift for x in finite(series.x)], heights, width=width * 0.94, color=colour, label=visible(series.name)
        )
        if series.low and series.high:
            _whiskers(axes, [x + shift for x in series.x], series, INK)
        elif total <= 14:
            shown = ["" if math.isnan(value) else number(value, 3) for value in heights]
            behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # a reference line must not cross a number
            axes.bar_label(drawn, labels=shown, fontsize=7.5, padding=2, color=INK, bbox=behind, zorder=4)
    if total and axes.get_yscale() != "log":
        axes.margins(y=0.1)


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
    """Histograms: one is filled, several are outlines over a light fill, so that all can be seen."""
    looks = _looks(figure)
    for series, colour, _, dash in looks:
        if len(series.x) != len(series.y) + 1:
            continue
        axes.stairs(
            finite(series.y), finite(series.x), fill=True, facecolor=(colour, 0.75 if len(looks) == 1 else 0.15),
            edgecolor=colour, linewidth=1.4, linestyle=dash, label=visible(series.name),
        )  # fmt: skip
    axes.margins(x=0.02)


def interval(axes: Axes, figure: Figure) -> None:
    """Points with whiskers; several series are set a little apart where positions are names."""
    looks = _looks(figure)
    apart = 0.16 * _spacing(figure) if len(looks) > 1 and not figure.x.log else 0.0
    for place, (series, colour, marker, _) in enumerate(looks):
        x = [value + (place - (len(looks) - 1) / 2) * apart for value in finite(series.x)]
        axes.plot(x, finite(series.y), linestyle="", marker=marker, color=colour, markersize=5.5,
                  label=visible(series.name))  # fmt: skip
        if series.low and series.high:
            _whiskers(axes, x, series, colour)


def place_map(axes: Axes, figure: Figure) -> None:
    """Circles at coordinates; their area follows the value, which a map's series holds in `high`."""
    values = [value for series in figure.series for value in finite(series.high) if value > 0]
    largest = max(values, default=1.0)
    for place, (series, colour, _, _) in enumerate(_looks(figure)):
        ground = colour if place == 0 else "none"  # later series are rings, so that what lies beneath is seen
        sizes = [6 + 240 * max(value, 0.0) / largest if value == value else 0.0 for value in finite(series.high)]
        axes.scatter(
            finite(series.x), finite(series.y), s=sizes or 24, facecolors=ground, alpha=0.6 if place == 0 else 1.0,
            edgecolors=colour, linewidths=0.8 if place == 0 else 1.4, label=visible(series.name),
        )  # fmt: skip
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)

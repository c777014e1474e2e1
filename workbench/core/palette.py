"""One palette and one order of looks, for the window in both themes and for the report.

Series take Okabe and Ito's colours, which stay apart for colour-blind readers, and an eighth that does so too. Every
series also has a symbol and a dash of its own, so that no figure depends on colour. Numbers are shown by one ramp of
blues that gets steadily darker (in the dark theme lighter), so that it survives grey print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core.figures import Figure, Kind, Series

LIGHT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d", "#772200")
DARK = ("#56b4e9", "#e69f00", "#1fc295", "#d98fb8", "#f0e442", "#ee7733", "#c4ccd4", "#8855ff")
LIGHT_RAMP = ("#dcebf5", "#9cc4de", "#4795c4", "#0b609b", "#00344f")
DARK_RAMP = ("#22384c", "#2d5f88", "#4b8fc4", "#8cbfe8", "#dcefff")
SYMBOLS = ("circle", "square", "triangle", "diamond", "star", "plus", "turned triangle", "hexagon")
MUTED_SYMBOL = "cross"
_NAMED_MUTED = 3
_OVER_BLUE = (1, 4, 3, 2, 7, 6, 5, 0)  # the order of colours for paths over the ramp
FEW = 40  # so many points of a line each show their symbol; a longer line shows it here and there


@dataclass(frozen=True, slots=True)
class Look:
    """How a series is told apart. `colour` is a place in the palette, None for grey; `dash` counts dash patterns."""

    name: str
    colour: int | None
    symbol: str
    dash: int
    filled: bool  # bars and histograms
    lined: bool
    dotted: bool  # shows its symbol, along the line where there is one

    def ink(self, palette: Sequence[str], grey: str) -> str:
        return grey if self.colour is None else palette[self.colour]


def looks_of(figure: Figure) -> tuple[Look, ...]:
    """One look per series, in order. Muted series are grey and use up no colour; the ninth begins again, dashed."""
    taken = 0
    made: list[Look] = []
    bars = figure.kind in {Kind.BARS, Kind.DISTRIBUTION} and not figure.cumulative
    solid = sum(not series.dashed for series in figure.series)
    for series in figure.series:
        lined = _is_line(figure, series)
        few = len(series.x) <= FEW or solid > 1
        dotted = not (lined or bars) or (few and lined and not figure.cumulative and figure.kind is not Kind.SCATTER)
        again, place = divmod(taken, len(LIGHT))
        colour = _OVER_BLUE[place] if figure.kind is Kind.HEAT_MAP else place
        symbol = MUTED_SYMBOL if series.muted else SYMBOLS[(place + again) % len(SYMBOLS)]
        if figure.kind is Kind.MAP:
            symbol = _place_symbol(figure, len(made))
        dash = 1 if series.dashed else 0 if series.muted else 2 * again
        made.append(Look(series.name, None if series.muted else colour, symbol, dash, bars, lined, dotted))
        taken += 0 if series.muted else 1
    return tuple(made)


def _is_line(figure: Figure, series: Series) -> bool:
    """Lines, paths, steps; the dashed line of reference through a cloud; the outlines of a map."""
    if figure.kind is Kind.MAP:
        return bool(series.areas) and not series.value
    return (
        figure.kind in {Kind.LINES, Kind.HEAT_MAP}
        or figure.cumulative
        or (figure.kind is Kind.SCATTER and series.dashed)
    )


def _place_symbol(figure: Figure, number: int) -> str:
    """On a map: outlines of areas, discs of the first series, rings of whatever lies over something else."""
    series = figure.series[number]
    if series.areas and not series.value:
        return "outline"
    if series.value:
        return "coloured"
    beneath = any(one.value for one in figure.series) or any(not one.areas for one in figure.series[:number])
    return "ring" if beneath else "disc"


def legend_of(figure: Figure) -> tuple[Look, ...]:
    """What the legend names: every series, but many grey ones as one entry. Colours of numbers have their own scale."""
    looks = [look for look in looks_of(figure) if look.symbol != "coloured"]
    muted = [look for look in looks if look.colour is None]
    if len(muted) <= _NAMED_MUTED:
        return tuple(looks)
    return (
        *(look for look in looks if look.colour is not None),
        replace(muted[0], name=f"{len(muted)} others, for comparison"),
    )

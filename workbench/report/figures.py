"""Figures as SVG for the report, drawn by matplotlib from the same values the window draws.

No pyplot and no shared figure: each call makes its own canvas. matplotlib reads two SVG settings from a global place,
so a lock keeps threads from each other's drawing; the settings are put back afterwards. Text stays text: it can be
searched in the PDF and read aloud. Titles are set by the report as captions, not drawn.
"""

from __future__ import annotations

import io
import itertools
import re
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.figures import Figure, Kind
from workbench.core.visible import visible
from workbench.report import plots
from workbench.report.cells import marked_table
from workbench.report.heat import heat_map
from workbench.report.legend import draw_legend, entries, shape
from workbench.report.maps import place_map
from workbench.report.marks import draw_marks
from workbench.report.scales import GREY, dress_axes, height

_LOCK = threading.Lock()
_WIDTH = 6.6  # inches: the measure of an A4 page with the report's margins
_NARROW = 0.49  # of two beside each other
_ALIKE = 3  # figures from which on pairs save the reader a page
_SHORT = 40  # letters that fit under a narrow plot
_DOTS = 220  # per inch, of clouds and areas that are drawn as a picture because they are so many
_SETTINGS: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "disclosure-workbench", "text.parse_math": False}
_NOT_WANTED = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)

_DRAW = {
    Kind.LINES: plots.lines,
    Kind.SCATTER: plots.scatter,
    Kind.BARS: plots.bars,
    Kind.HEAT_MAP: heat_map,
    Kind.DISTRIBUTION: plots.distribution,
    Kind.INTERVAL: plots.interval,
    Kind.MAP: place_map,
    Kind.TABLE: marked_table,
}


def to_svg(figure: Figure, *, narrow: bool = False) -> str:
    """The figure as an SVG element, ready to stand inside HTML. The same figure always gives the same text.

    A narrow one is half as wide, with letters of the same size, and leaves its legend to the row it stands in.
    """
    import matplotlib

    with _LOCK, matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # the reader's fonts may well have a sign that the measuring font lacks
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        spoken = f"{figure.kind.value}: {figure.title}. {figure.x.title()} against {figure.y.title()}."
        return _described(_drawn(figure, narrow=narrow), spoken)


@dataclass(frozen=True, slots=True)
class Row:
    """Figures beside each other. The first row of several that share a legend has it above."""

    figures: tuple[Figure, ...]
    narrow: bool = False
    named: bool = True


def rows_of(figures: Sequence[Figure]) -> tuple[Row, ...]:
    """Figures as they stand under each other; three or more on end that differ in their values alone go in pairs."""
    rows: list[Row] = []
    for _frame, alike in itertools.groupby(figures, _frame_of):
        run = tuple(alike)
        if len(run) >= _ALIKE and run[0].kind is Kind.LINES and len(run[0].x.title()) <= _SHORT:
            rows.extend(Row(run[at : at + 2], narrow=True, named=at == 0) for at in range(0, len(run), 2))
        else:
            rows.extend(Row((figure,)) for figure in run)
    return tuple(rows)


def _frame_of(figure: Figure) -> tuple[object, ...]:
    """What figures must have in common to share a legend."""
    return figure.kind, figure.x.title(), figure.y.title(), entries(figure)


def legend_svg(figure: Figure) -> str:
    """The legend alone, as wide as the page; nothing where there is nothing to name."""
    import matplotlib
    from matplotlib.figure import Figure as NewCanvas

    if not entries(figure):
        return ""
    with _LOCK, matplotlib.rc_context(_SETTINGS):
        canvas = NewCanvas(figsize=(_WIDTH, 0.1 + 0.19 * shape(figure)[0]))
        draw_legend(canvas, figure, alone=True)
        names = ", ".join(look.name for look in entries(figure))
        return _described(_as_svg(canvas), f"Legend of the following figures: {names}")


def _drawn(figure: Figure, *, narrow: bool) -> str:
    from matplotlib.figure import Figure as NewCanvas
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    engine = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.05)
    width = _WIDTH * _NARROW if narrow else _WIDTH
    canvas = NewCanvas(figsize=(width, height(figure, named=not narrow)), layout=engine)
    axes = canvas.add_subplot()
    dress_axes(axes, figure)
    _DRAW[figure.kind](axes, figure)
    draw_marks(axes, figure, narrow=narrow)
    if not figure.grid and not any(series.x for series in figure.series):
        axes.text(0.5, 0.5, "No values to show", transform=axes.transAxes, ha="center", va="center", color=GREY)
    if not narrow:
        draw_legend(canvas, figure)
    return _as_svg(canvas)


def _as_svg(canvas: Any) -> str:
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    sink = io.StringIO()
    FigureCanvasSVG(canvas)
    canvas.savefig(
        sink, format="svg", dpi=_DOTS, metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
    )
    return sink.getvalue()


def _described(svg: str, spoken: str) -> str:
    """Only the svg element, with a name for readers who hear the page, and scaled by the style sheet."""
    from markupsafe import escape

    element = _NOT_WANTED.sub("", svg).strip()
    opened = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', _opening(escape(visible(spoken))), element, count=1)
    return re.sub(r"\n\s*", "\n", opened)


def _opening(spoken: Any) -> Any:
    def made(found: re.Match[str]) -> str:
        width, height = (float(part) for part in found[1].split()[2:])
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
            f'aria-label="{spoken}" viewBox="{found[1]}" width="{width:g}pt" height="{height:g}pt">'
        )

    return made

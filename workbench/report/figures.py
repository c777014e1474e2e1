"""Figures as SVG for the report, drawn by matplotlib from the same values the window draws.

No pyplot and no shared figure: each call makes its own canvas. matplotlib reads two SVG settings from a global place,
so a lock keeps threads from each other's drawing; the settings are put back afterwards. Text stays text: it can be
searched in the PDF and read aloud. Titles are set by the report as captions, not drawn.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from typing import Any

from workbench.core.figures import Figure, Kind
from workbench.core.visible import visible
from workbench.report import plots
from workbench.report.cells import marked_table
from workbench.report.heat import heat_map
from workbench.report.legend import draw_legend
from workbench.report.maps import place_map
from workbench.report.marks import draw_marks
from workbench.report.scales import GREY, dress_axes, height

_LOCK = threading.Lock()
_WIDTH = 6.6  # inches: the measure of an A4 page with the report's margins
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


def to_svg(figure: Figure) -> str:
    """The figure as an SVG element, ready to stand inside HTML. The same figure always gives the same text."""
    import matplotlib

    with _LOCK, matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # the reader's fonts may well have a sign that the measuring font lacks
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        return _described(_drawn(figure), figure)


def _drawn(figure: Figure) -> str:
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as NewCanvas
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    engine = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.05)
    canvas = NewCanvas(figsize=(_WIDTH, height(figure)), layout=engine)
    axes = canvas.add_subplot()
    dress_axes(axes, figure)
    _DRAW[figure.kind](axes, figure)
    draw_marks(axes, figure)
    if not figure.grid and not any(series.x for series in figure.series):
        axes.text(0.5, 0.5, "No values to show", transform=axes.transAxes, ha="center", va="center", color=GREY)
    draw_legend(canvas, figure)
    sink = io.StringIO()
    FigureCanvasSVG(canvas)
    canvas.savefig(
        sink, format="svg", dpi=_DOTS, metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
    )
    return sink.getvalue()


def _described(svg: str, figure: Figure) -> str:
    """Only the svg element, with a name for readers who hear the page, and scaled by the style sheet."""
    from markupsafe import escape

    element = _NOT_WANTED.sub("", svg).strip()
    spoken = escape(visible(f"{figure.kind.value}: {figure.title}. {figure.x.title()} against {figure.y.title()}."))
    opened = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', _opening(spoken), element, count=1)
    return re.sub(r"\n\s*", "\n", opened)


def _opening(spoken: Any) -> Any:
    def made(found: re.Match[str]) -> str:
        width, height = (float(part) for part in found[1].split()[2:])
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
            f'aria-label="{spoken}" viewBox="{found[1]}" width="{width:g}pt" height="{height:g}pt">'
        )

    return made

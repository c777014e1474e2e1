"""Maps: areas or places coloured by a number, circles whose area is a number, outlines of an overlay in grey."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.colour_scale import scale_of
from workbench.core.figures import Figure, Series
from workbench.core.outlines import turned, width_of_degree
from workbench.core.palette import LIGHT_RAMP, Look, looks_of
from workbench.report.heat import MISSING, colour_bar, colour_norm, colours
from workbench.report.legend import ink
from workbench.report.plots import TOO_MANY
from workbench.report.scales import finite

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_CORNERS = 20_000  # corners of areas that are drawn one by one; more become a picture inside the drawing


def place_map(axes: Axes, figure: Figure) -> None:
    """One unit of both axes is drawn as long as on the ground; on maps in degrees by the cosine of the latitude."""
    largest = max((value for series in figure.series for value in finite(series.high) if value > 0), default=1.0)
    for series, look in zip(figure.series, looks_of(figure), strict=True):
        if series.areas:
            _areas(axes, figure, series, look)
        else:
            _places(axes, figure, series, look, largest)
    axes.set_aspect(1 / width_of_degree(figure), adjustable="datalim")
    axes.margins(0.08)
    if any(series.value for series in figure.series):
        from matplotlib.cm import ScalarMappable

        colour_bar(axes, ScalarMappable(colour_norm(figure), colours()), figure)


def _fills(figure: Figure, series: Series) -> Any:
    """Colours as shares of one, by the figure's scale."""
    return scale_of(figure).colours(series.value, LIGHT_RAMP, MISSING) / 255


def _areas(axes: Axes, figure: Figure, series: Series, look: Look) -> None:
    """Filled by their numbers; without numbers only their outlines. Holes stay open."""
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    paths = [
        Path.make_compound_path(*(Path(np.array(ring)) for ring in turned(rings) if len(ring) > 1))
        for rings in series.areas
    ]
    corners = sum(len(ring) for rings in series.areas for ring in rings)
    drawn = PathCollection(
        paths, facecolors=_fills(figure, series) if series.value else "none",
        edgecolors="white" if series.value else ink(look), linewidths=0.4 if series.value else 0.8,
        rasterized=corners > _MOST_CORNERS, zorder=2 if series.value else 3,
    )  # fmt: skip
    axes.add_collection(drawn)
    axes.autoscale_view()


def _places(axes: Axes, figure: Figure, series: Series, look: Look, largest: float) -> None:
    """Discs, or rings for the later series, so that what lies beneath is seen; coloured where there is a number."""
    many = len(series.x) > TOO_MANY
    plain = 3.0 if many else 24.0
    sizes = [6 + 240 * max(value, 0.0) / largest if value == value else 0.0 for value in finite(series.high)]
    ring = look.symbol == "ring"
    fill: Any = _fills(figure, series) if series.value else "none" if ring else ink(look)
    edge = "none" if many else "white" if series.value else ink(look)
    axes.scatter(
        finite(series.x), finite(series.y), s=sizes or plain, facecolors=fill, edgecolors=edge,
        alpha=1.0 if ring or series.value else 0.6, linewidths=1.4 if ring else 0.8 if not series.value else 0.4,
        rasterized=many, zorder=4,
    )  # fmt: skip

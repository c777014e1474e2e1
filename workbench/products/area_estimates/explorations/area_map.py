"""Published values on a map, or as a ranked strip where areas have no coordinates. A click opens a cell.

Circles are coloured by a published column; their area can show a public number of the areas file, such as a census
count. The cell that is chosen is told with its estimates, margins and count. Everything shown is what is published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.errors import UserProblem
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.core.quantities import show
from workbench.explorations.contract import Scene
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import MARGIN, line_names
from workbench.products.area_estimates.explorations.chosen import cell_called, cell_choices

_STRIP = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaMapParams:
    column: str = param(
        "", "Shown", "A published column; the model-based estimate at the first rank if none is chosen."
    )
    cell: str = param("", "Cell", "Whose values are told; click on it, or choose its name.")
    group: str = param("", "Group", "Where areas are divided: the first where none is chosen.")
    overlay: str = param("", "Circle area", "A public number of the areas file; empty for equal circles.")


@dataclass(frozen=True, slots=True)
class AreaMap:
    """A map of a published column."""

    id: str = "area-map"
    version: int = 1
    title: str = "Map of areas"
    summary: str = "A published column on a map, or ranked; a click tells a cell's estimates."
    params: type[AreaMapParams] = AreaMapParams
    stage: str = "compare"
    needs_release: bool = True

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        prepared: AreaData = scene.prepared
        names = prepared.rank_names()
        return {
            "column": (*(f"{name}_model" for name in names), *names, "slope", "mean", "count"),
            "cell": cell_choices(prepared),
            "group": _groups(prepared),
            "overlay": tuple(name for name, _ in prepared.places.overlays),
        }

    def show(self, scene: Scene, params: AreaMapParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "laying out the map")
        if scene.table is None:
            raise UserProblem("Nothing has been drawn yet", self.id, "Draw the release first")
        prepared: AreaData = scene.prepared
        first = prepared.rank_names()[0]
        column = params.column if params.column in scene.table.names else f"{first}_model"
        if not np.isfinite(scene.table.units(column).numbers()).any():
            column = first
        areas = len(prepared.places.areas)
        group = _groups(prepared).index(params.group) if params.group in _groups(prepared) else 0
        values = scene.table.units(column).numbers()[group * areas : (group + 1) * areas]
        names = prepared.places.cell_names()[group * areas : (group + 1) * areas]
        shown = Axis(label=column, unit=scene.table.units(column).unit)
        figure = _map(prepared, shown, values, names, params.overlay)
        known = np.flatnonzero(np.isfinite(values))
        default = group * areas + (int(known[np.argmax(values[known])]) if len(known) else 0)
        cell = cell_called(prepared, params.cell, "cell", default)
        context.step(1.0, "map ready")
        return (_told(self, prepared, scene.table, figure, cell, column),)


def _groups(prepared: AreaData) -> tuple[str, ...]:
    return tuple(" × ".join(group) or "all" for group in prepared.places.groups)


def _map(prepared: AreaData, shown: Axis, values: Floats, names: tuple[str, ...], overlay: str) -> Figure:
    places, column = prepared.places, shown.label
    known = np.flatnonzero(np.isfinite(values))
    keys = tuple(names[place] for place in known.tolist())
    if places.latitude is None or places.longitude is None:
        return _strip(shown, values[known], keys)
    overlays = dict(places.overlays)
    size = tuple(np.maximum(overlays[overlay], 0.0)[known].tolist()) if overlay in overlays else ()
    return Figure(
        kind=Kind.MAP,
        title=f"{column} by area",
        subtitle=f"Circle area: {overlay}" if overlay in overlays else "",
        x=Axis(label="Longitude", unit="°"),
        y=Axis(label="Latitude", unit="°"),
        colour=shown,
        series=(
            Series(
                name=column,
                x=tuple(places.longitude[known].tolist()),
                y=tuple(places.latitude[known].tolist()),
                high=size,
                value=tuple(values[known].tolist()),
                keys=keys,
            ),
        ),
        picks="cell",
    )


def _strip(shown: Axis, values: Floats, keys: tuple[str, ...]) -> Figure:
    """The lowest and the highest cells in their order, where there is no map."""
    order = np.argsort(values, kind="stable")
    if len(order) > _STRIP:
        order = np.concatenate([order[: _STRIP // 2], order[-_STRIP // 2 :]])
    return Figure(
        kind=Kind.SCATTER,
        title=f"Cells by {shown.label}, lowest and highest",
        x=Axis(label="Rank among the cells shown"),
        y=shown,
        series=(
            Series(
                name=shown.label,
                x=tuple(float(place + 1) for place in range(len(order))),
                y=tuple(values[order].tolist()),
                keys=tuple(keys[place] for place in order.tolist()),
            ),
        ),
        picks="cell",
    )


def _told(
    exploration: AreaMap, prepared: AreaData, table: Published, figure: Figure, cell: int, column: str
) -> Finding:
    rows = []
    for name in (
        *prepared.rank_names(),
        *(f"{each}_model" for each in prepared.rank_names()),
        *line_names(prepared),
        "count",
    ):
        value, margin = (table.units(each).numbers()[cell] for each in (name, f"{name}_{MARGIN}"))
        rows.append((name, *(None if np.isnan(each) else float(each) for each in (value, margin))))
    shown = table.units(column).numbers()[cell]
    named = prepared.places.cell_names()[cell]
    said = "nothing is published" if np.isnan(shown) else f"{column} is {show(float(shown), 3)}"
    return Finding(
        id=exploration.id,
        title=exploration.title,
        status=Status.INFO,
        sentence=f"In “{named}” {said}, with {show(float(table.units('count').numbers()[cell]))} people as published.",
        tables=(
            Table(title=f"Published for {named}", columns=("value", "estimate", "margin of error"), rows=tuple(rows)),
        ),
        figures=(figure,),
    )


SPEC = AreaMap()

"""Two areas compared as published: the difference with an interval that contains sampling and noise.

Direct estimates of two cells have independent noise, so that the variance of their difference is the sum. Model-based
ones share the model; their difference is shown without a claim that its interval is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.explorations.contract import Scene
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import MARGIN, at_words
from workbench.products.area_estimates.explorations.chosen import cell_called, cell_choices

declare(
    {
        "difference": ValueName("Difference"),
        "difference_margin": ValueName("Its margin of error"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoAreasParams:
    first: str = param("", "First cell", "The one with the highest estimate where none is chosen.")
    second: str = param("", "Second cell", "The one with the lowest estimate where none is chosen.")


@dataclass(frozen=True, slots=True)
class TwoAreas:
    """Estimates of two cells side by side, and whether they differ."""

    id: str = "two-areas"
    version: int = 1
    title: str = "Two areas compared"
    summary: str = "Published estimates of two cells, and whether they differ beyond sampling and noise."
    params: type[TwoAreasParams] = TwoAreasParams
    stage: str = "compare"
    needs_release: bool = True

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        names = cell_choices(scene.prepared)
        return {"first": names, "second": names}

    def show(self, scene: Scene, params: TwoAreasParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "comparing two areas")
        if scene.table is None:
            raise UserProblem("Nothing has been drawn yet", self.id, "Draw the release first")
        prepared: AreaData = scene.prepared
        name, cells = prepared.rank_names()[0], prepared.places.cells
        margins = scene.table.units(f"{name}_{MARGIN}").numbers()[:cells]
        values = scene.table.units(name).numbers()[:cells]
        known = np.flatnonzero(np.isfinite(values) & np.isfinite(margins))
        context.step(1.0, "two areas compared")
        if not len(known):
            said = "This method publishes no margins of error, so that two areas cannot be compared."
            return (Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said),)
        steady = scene.table.units(f"{name}_model").numbers()[:cells]
        order = known[np.argsort(np.where(np.isfinite(steady), steady, values)[known], kind="stable")]
        first = cell_called(prepared, params.first, "first", int(order[-1]))
        second = cell_called(prepared, params.second, "second", int(order[0]))
        return (_finding(self, scene, prepared, (first, second)),)


def _finding(exploration: TwoAreas, scene: Scene, prepared: AreaData, pair: tuple[int, int]) -> Finding:
    assert scene.table is not None
    names = [prepared.places.cell_names()[cell] for cell in pair]
    rank = prepared.rank_names()[0]
    series = []
    found: dict[str, tuple[float, float]] = {}
    for words, end in (("direct", ""), ("model-based", "_model")):
        values = scene.table.units(rank + end).numbers()[list(pair)]
        margins = scene.table.units(f"{rank}{end}_{MARGIN}").numbers()[list(pair)]
        if not (np.isfinite(values).all() and np.isfinite(margins).all()):
            continue
        found[words] = float(values[0] - values[1]), float(np.sqrt((margins**2).sum()))
        series.append(
            Series(
                name=words,
                x=(0.0, 1.0),
                y=tuple(values.tolist()),
                low=tuple((values - margins).tolist()),
                high=tuple((values + margins).tolist()),
            )
        )
    if "direct" not in found:
        said = "One of the two cells has no published estimate or margin of error."
        return Finding(id=exploration.id, title=exploration.title, status=Status.INFO, sentence=said)
    gap, margin = found["direct"]
    verdict = "differ" if abs(gap) > margin else "cannot be told apart"
    where = at_words(rank, "in the effect")
    return Finding(
        id=exploration.id,
        title=exploration.title,
        status=Status.INFO,
        sentence=(
            f"“{names[0]}” and “{names[1]}” {verdict} {where}: {show(gap, 3)} apart with a margin of error of "
            f"{show(margin, 3)}, by direct estimates."
        ),
        values={"difference": gap, "difference_margin": margin},
        figures=(
            Figure(
                kind=Kind.INTERVAL,
                title=f"Two areas {at_words(rank, 'by their effect')}",
                subtitle="Margins cover 90 of 100: sampling and noise",
                x=Axis(label="Area", categories=(names[0], names[1])),
                y=Axis(label=rank, unit=scene.table.units(rank).unit),
                series=tuple(series),
            ),
        ),
    )


SPEC = TwoAreas()

"""The outcome over the whole predictor: everywhere together and in one cell, true and private."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.exact import pool_lines
from workbench.products.area_estimates.explorations.chosen import cell_called, cell_choices, shown_for_lines
from workbench.products.area_estimates.people import FINE

_BINS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRankParams:
    cell: str = param("", "Cell", "The largest where none is chosen.")
    seed: int = param(1, "Seed", "Of the private draw that is shown for study.", ge=0)


@dataclass(frozen=True, slots=True)
class RankRank:
    """Means by class of the predictor, the line of all, and the line of one cell, exact and private."""

    id: str = "rank-rank"
    version: int = 1
    title: str = "Rank by rank"
    summary: str = "The outcome over the predictor: all areas, and one of them, true and private."
    params: type[RankRankParams] = RankRankParams
    stage: str = "compare"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        return {"cell": cell_choices(scene.prepared)}

    def show(self, scene: Scene, params: RankRankParams, context: Context) -> tuple[Finding, ...]:
        prepared: AreaData = scene.prepared
        context.step(0.0, "averaging by class of the predictor")
        if prepared.estimator is not None:
            return (shown_for_lines(self),)
        lines = prepared.lines.reveal()[0]
        cell = cell_called(prepared, params.cell, "cell", int(np.argmax(lines.size)))
        x, y = _means(prepared)
        a, b = (values[0] for values in pool_lines(lines, np.zeros(len(lines.size), np.int64), 1))
        within = Part(context, 0.2, 0.9)
        drawn: Columns = (
            scene.table
            if scene.table is not None
            else scene.mechanism.study(prepared, scene.params, StudyRandom(params.seed), within).reveal()
        )
        ends = np.linspace(0.0, 1.0, 21)
        series = [
            _series(prepared, "all areas, means (confidential)", x, y, muted=True),
            _series(prepared, "all areas, line (confidential)", ends, a + b * ends),
        ]
        if lines.usable[cell]:
            line = lines.chosen(np.array([cell]))
            exact = np.array([float(line.at(end)[0]) for end in ends])
            series.append(_series(prepared, "cell, exact (confidential)", ends, exact))
        private = _private(prepared, drawn, cell)
        if private is not None:
            series.append(_series(prepared, "cell, private", *private, dashed=True))
        name = prepared.places.cell_names()[cell]
        context.step(1.0, "curves drawn")
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"Over all areas the outcome rises by {show(float(b), 3)} of its range from the lowest to the "
                    f"highest predictor; “{name}” is shown beside it."
                ),
                figures=(
                    Figure(
                        kind=Kind.LINES,
                        title=f"{prepared.outcomes[0].name} by {prepared.predictor.name}",
                        subtitle=f"Cell {name}",
                        x=Axis(label=prepared.predictor.name),
                        y=Axis(label=prepared.outcomes[0].name),
                        series=tuple(series),
                    ),
                ),
            ),
        )


def _means(prepared: AreaData) -> tuple[Floats, Floats]:
    people = prepared.people.reveal()
    place = np.minimum(people.x.astype(np.int64) * _BINS // FINE, _BINS - 1)
    many = np.bincount(place, minlength=_BINS)
    total = np.bincount(place, weights=people.y[0] / FINE, minlength=_BINS)
    there = many > 0
    return (np.arange(_BINS)[there] + 0.5) / _BINS, total[there] / many[there]


def _private(prepared: AreaData, drawn: Columns, cell: int) -> tuple[Floats, Floats] | None:
    """The published estimates of the cell at the ranks, between 0 and 1; None where there are none."""
    outcome = prepared.outcomes[0]
    values = np.array([drawn.units(name).numbers()[cell] for name in prepared.rank_names()])
    order = np.argsort(prepared.inner_ranks)
    if not np.isfinite(values).all():
        return None
    return np.array(prepared.inner_ranks)[order], ((values - outcome.lower) / outcome.width)[order]


def _series(
    prepared: AreaData, name: str, x: Floats, y: Floats, *, muted: bool = False, dashed: bool = False
) -> Series:
    outcome, predictor = prepared.outcomes[0], prepared.predictor
    return Series(
        name=name,
        x=tuple((predictor.lower + predictor.width * x).tolist()),
        y=tuple((outcome.lower + outcome.width * y).tolist()),
        muted=muted,
        dashed=dashed,
    )


SPEC = RankRank()

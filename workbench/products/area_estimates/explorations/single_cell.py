"""The regression of one cell, and the added person who moves it most: what local sensitivity is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare
from workbench.explorations.contract import Scene
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.effects import UNIT_SQUARE
from workbench.products.area_estimates.explorations.chosen import (
    cell_called,
    cell_choices,
    rank_called,
    shown_for_lines,
)
from workbench.products.area_estimates.local_sensitivity import of_estimate
from workbench.products.area_estimates.people import FINE

declare(
    {
        "local_sensitivity": ValueName("Local sensitivity"),
        "cell_people": ValueName("People in the cell"),
    }
)
_MOST_POINTS = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleCellParams:
    cell: str = param("", "Cell", "Whose line is drawn; the smallest with a line where none is chosen.")
    rank: str = param("", "Rank", "At which the estimate is moved; the first where none is chosen.")


@dataclass(frozen=True, slots=True)
class SingleCell:
    """People of one cell, their line, and the line with the worst added person."""

    id: str = "single-cell"
    version: int = 1
    title: str = "One cell and its sensitivity"
    summary: str = "The line of one cell, and where one added person moves it most."
    params: type[SingleCellParams] = SingleCellParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        return {"cell": cell_choices(scene.prepared), "rank": scene.prepared.rank_names()}

    def show(self, scene: Scene, params: SingleCellParams, context: Context) -> tuple[Finding, ...]:
        prepared: AreaData = scene.prepared
        context.step(0.0, "fitting the cell")
        if prepared.estimator is not None:
            return (shown_for_lines(self),)
        lines = prepared.lines.reveal()[0]
        usable = np.flatnonzero(lines.usable)
        if not len(usable):
            return (_nothing(self),)
        smallest = int(usable[np.argmin(lines.size[usable])])
        cell = cell_called(prepared, params.cell, "cell", smallest)
        if not lines.usable[cell]:
            return (_nothing(self),)
        place = rank_called(prepared, params.rank)
        rank, name = prepared.inner_ranks[place], prepared.rank_names()[place]
        line = lines.chosen(np.array([cell]))
        worst = of_estimate(line, rank, UNIT_SQUARE)
        more = line.plus(worst.x, worst.y)
        size = int(line.size[0])
        context.step(1.0, "cell fitted")
        outcome, predictor = prepared.outcomes[0], prepared.predictor
        moved = float(worst.largest[0]) * outcome.width

        def own(x: np.ndarray, y: np.ndarray) -> tuple[tuple[float, ...], tuple[float, ...]]:
            return (
                tuple((predictor.lower + predictor.width * x).tolist()),
                tuple((outcome.lower + outcome.width * y).tolist()),
            )

        people = prepared.people.reveal()
        rows = np.flatnonzero(people.cell == cell)[:_MOST_POINTS]
        ends = np.linspace(0.0, 1.0, 41)
        series = []
        for words, x, y in (
            ("people of the cell", people.x[rows] / FINE, people.y[0][rows] / FINE),
            ("line of the cell", ends, np.array([float(line.at(end)[0]) for end in ends])),
            ("line with the added person", ends, np.array([float(more.at(end)[0]) for end in ends])),
            ("added person", worst.x, worst.y),
        ):
            across, up = own(x, y)
            series.append(Series(name=words, x=across, y=up, muted=words == "people of the cell"))
        named = prepared.places.cell_names()[cell]
        figure = Figure(
            kind=Kind.SCATTER,
            title=f"Cell {named}",
            subtitle="Confidential: true values",
            x=Axis(label=predictor.name),
            y=Axis(label=outcome.name),
            series=tuple(series),
            marks=(Mark(name=name, value=predictor.lower + predictor.width * rank, vertical=True),),
        )
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"One added person moves the estimate at {name} by up to {show(moved, 3)} in this "
                    f"cell of {show(size)}; N times that is {show(moved * size, 3)}."
                ),
                values={"local_sensitivity": moved, "cell_people": size},
                figures=(figure,),
            ),
        )


def _nothing(exploration: SingleCell) -> Finding:
    said = "This cell has no line: fewer than three people, or all with the same predictor."
    return Finding(id=exploration.id, title=exploration.title, status=Status.INFO, sentence=said)


SPEC = SingleCell()

"""One table of two questions: confidential, current SDL, the source's method and this release, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Published
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.products.survey_microdata import layout
from workbench.products.survey_microdata.estimation.crosstabs import corrected_table
from workbench.products.survey_microdata.local import krr_laplace
from workbench.products.survey_microdata.recodings import Steps, recoded
from workbench.products.survey_microdata.suppressed_tables import SuppressedTablesParams, withheld_in
from workbench.products.survey_microdata.survey_data import SurveyData

LEVEL = 1.96
_SERIES = ("confidential", "suppressed", "source's method", "this release")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrosstabParams:
    first: str = param("", "Rows", "The first question; the first variable where none is chosen.")
    second: str = param("", "Columns", "The second question; the second variable where none is chosen.")
    suppressed_below: int = param(10, "Suppressed below", "Cells of fewer respondents are withheld.", ge=2)
    seed: int = param(1, "Seed", "Of the source's draw, and of this release before it is drawn.", ge=0)


@dataclass(frozen=True, slots=True)
class Crosstab:
    """See the module's docstring."""

    id: str = "crosstab"
    version: int = 1
    title: str = "One crosstab, four ways"
    summary: str = "A table of two questions by every method, with intervals."
    params: type[CrosstabParams] = CrosstabParams
    stage: str = "compare"
    needs_release: bool = True

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        prepared: SurveyData = scene.prepared
        return {"first": prepared.names, "second": prepared.names}

    def show(self, scene: Scene, params: CrosstabParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "counting the table")
        prepared: SurveyData = scene.prepared
        places = _places(prepared, params)
        first, second = (prepared.classed.reveal()[:, place] for place in places)
        people = _counted(prepared, first, second, places)
        true = _counted(prepared, first, second, places, prepared.mass.reveal())
        coarse = recoded(prepared, Steps())
        columns = [prepared.variables[place].classed(coarse[:, place]) for place in places]
        sdl = _counted(prepared, columns[0], columns[1], places, prepared.mass.reveal())
        study = krr_laplace.SPEC.study(
            prepared, krr_laplace.KrrLaplaceParams(), StudyRandom(params.seed), Part(context, 0.1, 0.8)
        )
        source = _estimated(prepared, layout.published(prepared.variables, study.reveal()), places)
        if prepared.weighing.weighted:  # the source's file has no weight, so it has no such table
            source = (true * np.nan, true * np.nan)
        ours = _estimated(prepared, scene.table, places) if scene.table is not None else (true * np.nan, true * np.nan)
        context.step(1.0, "table laid out")
        hidden = withheld_in(people.astype(np.int64), SuppressedTablesParams(threshold=params.suppressed_below))
        return (self._finding(prepared, places, hidden, (true, sdl, source, ours)),)

    def _finding(
        self, prepared: SurveyData, places: tuple[int, int], hidden: Bools,
        found: tuple[Floats, Floats, tuple[Floats, Floats], tuple[Floats, Floats]],
    ) -> Finding:  # fmt: skip
        true, sdl, source, ours = found
        first, second = (prepared.variables[place] for place in places)
        what = "Weighted respondents" if prepared.weighing.weighted else "Respondents"
        rows: list[tuple[Value, ...]] = []
        names = []
        for i, one in enumerate(first.labels or first.texts):
            for j, two in enumerate(second.labels or second.texts):
                names.append(f"{one} / {two}")
                left = "suppressed" if hidden[i, j] else int(true[i, j])
                rows.append((
                    one, two, int(true[i, j]), left, int(sdl[i, j]), _told(source, i, j), _told(ours, i, j),
                ))  # fmt: skip
        return Finding(
            id=self.id,
            title=self.title,
            status=Status.INFO,
            sentence=f"{first.name} by {second.name}: {what.lower()} by every method, with intervals of 95 %.",
            tables=(
                Table(
                    title=what,
                    columns=(first.name, second.name, "confidential", "suppressed", "current SDL: recoded",
                             "source's method", "this release"),
                    rows=tuple(rows),
                    note="Suppressed: small cells, and others that would give them away.",
                ),
            ),
            figures=(_figure(what, names, true, (np.where(hidden, np.nan, true), np.zeros_like(true)), source, ours),),
        )  # fmt: skip


def _places(prepared: SurveyData, params: CrosstabParams) -> tuple[int, int]:
    first = prepared.place(params.first) if params.first in prepared.names else 0
    second = prepared.place(params.second) if params.second in prepared.names else min(1, len(prepared.names) - 1)
    if first == second:
        second = (first + 1) % len(prepared.names)
    return first, second


def _counted(
    prepared: SurveyData, one: np.ndarray, two: np.ndarray, places: tuple[int, int], mass: Floats | None = None
) -> Floats:
    shape = tuple(prepared.variables[place].categories for place in places)
    counts = np.bincount(one * shape[1] + two, weights=mass, minlength=shape[0] * shape[1]).reshape(shape)
    return counts.astype(np.float64)


def _estimated(prepared: SurveyData, file: Published, places: tuple[int, int]) -> tuple[Floats, Floats]:
    """Counts and margins of error: from tables, corrected, or counted where there is neither."""
    first, second = (prepared.variables[place] for place in places)
    tables = file if layout.has_tables(file) else file.published_beside
    if tables is not None and layout.has_tables(tables):
        return _from_tables(prepared, tables, places)
    found = corrected_table(prepared.variables, file, (first.name, second.name))
    if found is not None:
        return found[0], LEVEL * found[1]
    columns = [
        variable.classed(np.rint(layout.variable_column(file, variable)).astype(np.int64))
        for variable in (first, second)
    ]
    counts = _counted(prepared, columns[0], columns[1], places)
    return counts, LEVEL * np.sqrt(counts)


def _from_tables(prepared: SurveyData, tables: Published, places: tuple[int, int]) -> tuple[Floats, Floats]:
    low, high = sorted(places)
    keys = layout.cell_rows(
        prepared.categories, layout.number_places(prepared.variables), weighted=layout.has_weights(tables)
    )
    own = (keys[:, 1] == low) & (keys[:, 3] == high)
    shape = prepared.variables[low].categories, prepared.variables[high].categories
    found = [tables.units(name).numbers()[own].reshape(shape) for name in ("estimate", "margin_of_error")]
    return (found[0], found[1]) if places[0] == low else (found[0].T, found[1].T)


def _told(found: tuple[Floats, Floats], i: int, j: int) -> str:
    value, margin = float(found[0][i, j]), float(found[1][i, j])
    return "–" if np.isnan(value) else f"{value:,.0f} ± {margin:,.0f}"


def _figure(what: str, names: list[str], true: Floats, *found: tuple[Floats, Floats]) -> Figure:
    """`found`: counts and margins when suppressed, by the source's method and in this release."""
    place = np.arange(len(names), dtype=np.float64)
    series = []
    for name, (value, margin) in zip(_SERIES, ((true, np.zeros_like(true)), *found), strict=True):
        known = np.isfinite(value.ravel())
        if known.any():
            x, y, half = place[known], value.ravel()[known], margin.ravel()[known]
            series.append(
                Series(name=name, x=tuple(x.tolist()), y=tuple(y.tolist()), low=tuple((y - half).tolist()),
                       high=tuple((y + half).tolist()), muted=name == _SERIES[0])
            )  # fmt: skip
    return Figure(
        kind=Kind.INTERVAL,
        title=f"{what} in every cell",
        x=Axis(label="Cell", categories=tuple(names)),
        y=Axis(label=what),
        series=tuple(series),
    )


SPEC = Crosstab()

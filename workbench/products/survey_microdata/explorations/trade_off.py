"""Error against ε: one estimate, overall or in a small group, by the source's method, on a grid, and from tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.explorations.contract import Scene
from workbench.explorations.marks import release_and_cap
from workbench.mechanisms.dial import moved_by, setting
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.products.survey_microdata.usefulness.error_curves import (
    Question,
    central_error,
    local_error,
    sampling_error,
)

_EACH = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
_CENTRAL = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeOffParams:
    variable: str = param("", "Variable", "What is estimated; the first one where none is chosen.")
    answer: str = param("", "Answer", "Its share; the first answer where none is chosen. A number has a mean.")
    group_by: str = param("", "Group variable", "Estimate in one group only; none: everybody.")
    group: str = param("", "Group", "The category that makes the group; the rarest where none is chosen.")


@dataclass(frozen=True, slots=True)
class TradeOff:
    """See the module's docstring."""

    id: str = "estimate-by-epsilon"
    version: int = 1
    title: str = "Error against ε"
    summary: str = "The error of one estimate over ε, overall or in a small group, with the sampling error beside it."
    params: type[TradeOffParams] = TradeOffParams
    stage: str = "mechanism"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        prepared: SurveyData = scene.prepared
        return {"variable": prepared.names, "group_by": ("", *prepared.names)}

    def show(self, scene: Scene, params: TradeOffParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "working out the curves")
        prepared: SurveyData = scene.prepared
        asked, said = question(prepared, params)
        many, sampling = len(prepared.variables), sampling_error(prepared, asked)
        source = [local_error(prepared, asked, each, grid=False) for each in _EACH]
        better = [local_error(prepared, asked, each, grid=True) for each in _EACH]
        context.step(0.5, "working out the curve of noisy tables")
        central = [central_error(prepared, asked, epsilon) for epsilon in _CENTRAL] if many > 1 else []
        unit = "" if prepared.variables[asked.place].number else "percentage points"
        records = tuple(each * many for each in _EACH)
        series = [
            Series(name="source's method", x=records, y=tuple(source)),
            Series(name="randomised response on a grid", x=records, y=tuple(better), dashed=True),
            Series(name="sampling alone", x=(_CENTRAL[0], records[-1]), y=(max(sampling, 1e-9),) * 2, muted=True),
        ]
        if central:
            series.insert(0, Series(name="noisy tables", x=_CENTRAL, y=tuple(central)))
        figures = [
            _figure(
                said,
                "ε of a record",
                unit,
                series,
                release_and_cap(scene, moved_by(scene.mechanism, scene.params, prepared)),
            )
        ]
        if getattr(scene.mechanism, "designs", None) is not None and setting(scene.mechanism, scene.params) is not None:
            figures.append(_by_variable(scene, said, unit, source, better))
        context.step(1.0, "curves worked out")
        finding = Finding(
            id=self.id,
            title=self.title,
            status=Status.INFO,
            sentence=f"{said}: sampling alone errs by {show(sampling, 2)} {unit}".strip() + ".",
            figures=tuple(figures),
        )
        return (finding,)


def question(prepared: SurveyData, params: TradeOffParams) -> tuple[Question, str]:
    """What is asked, in numbers and in words."""
    place = prepared.place(params.variable) if params.variable in prepared.names else 0
    variable = prepared.variables[place]
    answer = variable.values.index(params.answer) if params.answer in variable.values else 0
    said = f"Mean of {variable.name}" if variable.number else f"Share of “{variable.labels[answer]}” in {variable.name}"
    if params.group_by not in prepared.names or params.group_by == variable.name:
        return Question(place=place, answer=answer), said
    by = prepared.variables[prepared.place(params.group_by)]
    counts = np.bincount(prepared.classed.reveal()[:, prepared.place(by.name)], minlength=by.categories)
    rarest = int(np.where(counts > 0, counts, counts.max() + 1).argmin())
    group = by.texts.index(params.group) if params.group in by.texts else rarest
    named = by.labels[group] if not by.number else by.texts[group]
    return Question(place=place, answer=answer, group=(prepared.place(by.name), group)), f"{said}, {by.name} {named}"


def _figure(title: str, x: str, unit: str, series: list[Series], marks: tuple[Mark, ...]) -> Figure:
    return Figure(
        kind=Kind.LINES,
        title=title,
        subtitle="Root mean square error, sampling included",
        x=Axis(label=x, log=True),
        y=Axis(label="Error", unit=unit, log=True),
        series=tuple(series),
        marks=marks,
    )


def _by_variable(scene: Scene, said: str, unit: str, source: list[float], better: list[float]) -> Figure:
    """The same over ε per variable, where the line can be dragged."""
    where = float(setting(scene.mechanism, scene.params) or 1)
    series = [
        Series(name="source's method", x=_EACH, y=tuple(source)),
        Series(name="randomised response on a grid", x=_EACH, y=tuple(better), dashed=True),
    ]
    marks = (Mark(name="this release", value=where, vertical=True, moves="epsilon"),)
    return _figure(f"{said}, by ε per variable", "ε per variable", unit, series, marks)


SPEC = TradeOff()

"""Employment and earnings over the years since leaving, of one institution, title and sector, with intervals.

Confidential values, what suppression leaves, and this release with its margins of error; beside them what a model
makes of the release. Before a draw a study draw stands for the release.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Published
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.products.outcome_reports.layout import Layout, Listed
from workbench.products.outcome_reports.model_based.report import modelled
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.published_outcomes import MARGINS, NAMES


class Statistic(StrEnum):
    COUNT = "count"
    MEAN = "mean_earnings"
    MEDIAN = "p50_earnings"


_MARGIN = {Statistic.COUNT: MARGINS[0], Statistic.MEAN: MARGINS[1], Statistic.MEDIAN: MARGINS[3]}
_WORDS = {
    Statistic.COUNT: ("People employed", "people"),
    Statistic.MEAN: ("Mean earnings", "dollars"),
    Statistic.MEDIAN: ("Median earnings", "dollars"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PathsParams:
    statistic: Statistic = param(
        Statistic.MEAN, "Statistic", "What is drawn over the years.",
        labels={"count": "people employed", "mean_earnings": "mean earnings", "p50_earnings": "median earnings"},
    )  # fmt: skip
    institution: str = param("", "Institution", "Whose report; the first one where none is chosen.")
    title: str = param("", "Title", "The first one where none is chosen.")
    sector: str = param("", "Sector", "The first one where none is chosen.")
    threshold: int = param(30, "Threshold", "Below it suppression publishes nothing.", ge=2, unit="people")
    seed: int = param(1, "Seed", "Of the study draw that is shown before a release.", ge=0)


@dataclass(frozen=True, slots=True)
class Paths:
    """See the module's docstring."""

    id: str = "outcome-paths"
    version: int = 1
    title: str = "Over the years since leaving"
    summary: str = "Employment or earnings by year of one institution, title and sector: true, suppressed, private."
    params: type[PathsParams] = PathsParams
    stage: str = "compare"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        layout: Layout = scene.prepared.layout
        found = {"title": _names(layout.titles), "sector": _names(layout.sectors)}
        return {**found, "institution": _names((layout.institution,) if layout.institution is not None else ())}

    def show(self, scene: Scene, params: PathsParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "choosing the cells")
        prepared: Outcomes = scene.prepared
        table, drawn = scene.table, "this release"
        if table is None:
            made = scene.mechanism.study(prepared, scene.params, StudyRandom(params.seed), Part(context, 0.0, 0.8))
            columns = made.reveal()
            keys = tuple(prepared.layout.columns())
            table, drawn = Published(columns=(*keys, *columns.columns)), "a study draw"
        rows, words = _rows(prepared.layout, params)
        series = _series(prepared, table, params, rows, drawn)
        label, unit = _WORDS[params.statistic]
        context.step(1.0, "paths drawn")
        shown = [each for each in series if each is not None]
        if not any(each.name == drawn for each in shown):
            sentence = f"This method publishes no {label.lower()} of {words}."
        else:
            sentence = f"{label} of {words} by year since leaving, with margins of error of 95 in 100."
        figure = Figure(
            kind=Kind.LINES,
            title=f"{label} by year since leaving",
            subtitle=words,
            x=Axis(label="Year since leaving", categories=prepared.layout.year.values),
            y=Axis(label=label, unit=unit),
            series=tuple(shown),
        )
        return (
            Finding(id="outcome-paths", title=self.title, status=Status.INFO, sentence=sentence, figures=(figure,)),
        )


def _names(listed: tuple[Listed, ...]) -> tuple[str, ...]:
    """The values of several columns as one text each, in words where there are any."""
    names = [""]
    for key in listed:
        names = [f"{before}, {word}" if before else word for before in names for word in key.labels or key.values]
    return tuple(names) if listed else ()


def _rows(layout: Layout, params: PathsParams) -> tuple[np.ndarray, str]:
    parts = (
        (_names((layout.institution,) if layout.institution is not None else ()), params.institution),
        (_names(layout.titles), params.title),
        (_names(layout.sectors), params.sector),
    )
    place, words = 0, []
    for names, wanted in parts:
        at = names.index(wanted) if wanted in names else 0
        place = place * max(len(names), 1) + at
        words += [names[at]] if names else []
    return place * layout.years + np.arange(layout.years), ", ".join(words)


def _series(
    prepared: Outcomes, table: Published, params: PathsParams, rows: np.ndarray, drawn: str
) -> list[Series | None]:
    column = NAMES.index(params.statistic.value)
    truth = prepared.truth.reveal()[rows].astype(np.float64)
    private = table.units(params.statistic.value).numbers()[rows]
    margin = np.nan_to_num(table.units(_MARGIN[params.statistic]).numbers()[rows])
    suppressed = np.where(truth[:, 0] >= params.threshold, truth[:, column], np.nan)
    model = modelled(table)
    found = [
        _line("confidential", truth[:, column]),
        _line(f"suppressed below {params.threshold}", suppressed, dashed=True),
        _line(drawn, private, margin),
    ]
    if params.statistic.value in model.values:
        found.append(
            _line(
                "model-based", model.values[params.statistic.value][rows], model.margins[params.statistic.value][rows]
            )
        )
    return found


def _line(name: str, values: Floats, margin: Floats | None = None, *, dashed: bool = False) -> Series | None:
    known = [place for place, value in enumerate(values.tolist()) if math.isfinite(value)]
    if not known:
        return None
    low = tuple(float(values[place] - margin[place]) for place in known) if margin is not None else ()
    high = tuple(float(values[place] + margin[place]) for place in known) if margin is not None else ()
    return Series(
        name=name,
        x=tuple(map(float, known)),
        y=tuple(float(values[place]) for place in known),
        low=low,
        high=high,
        dashed=dashed,
    )


SPEC = Paths()

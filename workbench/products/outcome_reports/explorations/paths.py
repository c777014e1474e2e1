"""Employment and earnings over the years since leaving, by title and sector of one institution, with intervals.

Confidential values, what suppression leaves, the source's method at the same ε (a study draw) and this release with its
margins of error; beside them what a model makes of the release. Before a draw a study draw stands for the release.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns, Published
from workbench.core.quantities import show as show_number
from workbench.core.randomness import StudyRandom
from workbench.core.side_by_side import Side
from workbench.explorations.contract import Scene
from workbench.products.outcome_reports.layout import Layout, Listed, words_of
from workbench.products.outcome_reports.model_based.report import modelled
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.published_outcomes import MARGINS, NAMES
from workbench.products.outcome_reports.source_draw import source_draw

ALL = "all"
_MOST = 24  # cells in view at once


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
    title: str = param(ALL, "Title", "One of them, or all.")
    sector: str = param(ALL, "Sector", "One of them, or all.")
    threshold: int = param(30, "Threshold", "Below it suppression publishes nothing.", ge=2, unit="people")
    seed: int = param(1, "Seed", "Of the study draw that is shown before a release.", ge=0)


@dataclass(frozen=True, slots=True)
class Paths:
    """See the module's docstring."""

    id: str = "outcome-paths"
    version: int = 3
    title: str = "Over the years since leaving"
    summary: str = (
        "Employment or earnings by year, title and sector: confidential, suppressed, source's method, private."
    )
    params: type[PathsParams] = PathsParams
    stage: str = "compare"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        layout: Layout = scene.prepared.layout
        found = {"title": _offered(layout.titles), "sector": _offered(layout.sectors)}
        return {**found, "institution": words_of((layout.institution,)) if layout.institution is not None else ()}

    def show(self, scene: Scene, params: PathsParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "choosing the cells")
        prepared: Outcomes = scene.prepared
        source = source_draw(
            prepared, scene.mechanism, scene.params, StudyRandom(params.seed), Part(context, 0.0, 0.3)
        )  # fmt: skip
        table, drawn = scene.table, Side.RELEASE.value
        if table is None:
            made = scene.mechanism.study(prepared, scene.params, StudyRandom(params.seed), Part(context, 0.3, 0.8))
            keys = tuple(prepared.layout.columns())
            table, drawn = Published(columns=(*keys, *made.reveal().columns)), "a study draw"
        seen = _Seen(params, prepared, table, drawn, source)
        cells = _cells(prepared.layout, params)
        figures = tuple(seen.figure(cell) for cell in cells[:_MOST])
        label, _ = _WORDS[params.statistic]
        context.step(1.0, "paths drawn")
        whose, further = _whose(prepared.layout, params), len(cells) - _MOST
        if not any(series.name == drawn for figure in figures for series in figure.series):
            sentence = f"This method publishes no {label.lower()} of {whose}."
        else:
            sentence = (
                f"{label} of {whose} by title, sector and year since leaving, with margins of error of 95 in 100."
            )
            if further > 0:
                sentence += f" {show_number(further)} further cells: choose a title or a sector to see them."
        return (
            Finding(
                id="outcome-paths",
                title=self.title,
                status=Status.INFO,
                sentence=sentence,
                tables=(seen.table(cells[:_MOST]),),
                figures=figures,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    words: str
    rows: Integers


def _offered(listed: tuple[Listed, ...]) -> tuple[str, ...]:
    return (ALL, *words_of(listed)) if listed else ()


def _chosen(listed: tuple[Listed, ...], wanted: str) -> list[tuple[int, str]]:
    """Places and words: the one that is wanted, else all."""
    names = list(enumerate(words_of(listed)))
    return [each for each in names if each[1] == wanted] or names


def _institution(layout: Layout, params: PathsParams) -> tuple[int, str]:
    return (0, "") if layout.institution is None else _chosen((layout.institution,), params.institution)[0]


def _whose(layout: Layout, params: PathsParams) -> str:
    return _institution(layout, params)[1] or "the whole report"


def _cells(layout: Layout, params: PathsParams) -> list[_Cell]:
    """The years of each chosen title and sector of the institution; the first institution where none is chosen."""
    institution, _ = _institution(layout, params)
    found = []
    for title, title_words in _chosen(layout.titles, params.title):
        for sector, sector_words in _chosen(layout.sectors, params.sector):
            place = (institution * layout.titles_each + title) * layout.places + sector
            words = ", ".join(filter(None, (title_words, sector_words))) or ALL
            found.append(_Cell(words=words, rows=place * layout.years + np.arange(layout.years)))
    return found


class _Seen:
    """One statistic in every way of publishing it, cell by cell."""

    def __init__(
        self, params: PathsParams, prepared: Outcomes, table: Published, drawn: str, source: Columns
    ) -> None:  # fmt: skip
        name = params.statistic.value
        truth = prepared.truth.reveal()[:, : len(NAMES)].astype(np.float64)
        true = truth[:, NAMES.index(name)]
        self.statistic, self.years, self.whose = (
            params.statistic,
            prepared.layout.year.values,
            _whose(prepared.layout, params),
        )
        self.ways: list[tuple[str, Floats, Floats | None]] = [
            (Side.CONFIDENTIAL.value, true, None),
            (f"suppressed below {params.threshold}", np.where(truth[:, 0] >= params.threshold, true, np.nan), None),
            (Side.SOURCE.value, source.units(name).numbers(), None),
            (drawn, table.units(name).numbers(), table.units(_MARGIN[params.statistic]).numbers()),
        ]
        model = modelled(table)
        if name in model.values:
            self.ways.append(("model-based", model.values[name], model.margins[name]))

    def figure(self, cell: _Cell) -> Figure:
        """Suppression comes last: it often leaves a cell without values, and the other lines keep their colours."""
        label, unit = _WORDS[self.statistic]
        lines = [
            _line(
                name,
                values[cell.rows],
                None if margin is None else margin[cell.rows],
                dashed=at in (1, 2),
            )
            for at, (name, values, margin) in enumerate(self.ways)
        ]
        return Figure(
            kind=Kind.LINES,
            title=f"{label}: {cell.words}",
            subtitle=self.whose,
            x=Axis(label="Year since leaving", categories=self.years),
            y=Axis(label=label, unit=unit),
            series=tuple(line for line in (*lines[:1], *lines[2:], lines[1]) if line is not None),
        )

    def table(self, cells: list[_Cell]) -> Table:
        """Every cell and year, with the margin of error beside each value that has one."""
        heads = [
            head for name, _, margin in self.ways for head in (name, *(("± margin",) if margin is not None else ()))
        ]
        columns = [side for _, values, margin in self.ways for side in (values, margin) if side is not None]
        rows: list[tuple[Value, ...]] = [
            (cell.words, year, *(_whole(column[row]) for column in columns))
            for cell in cells
            for year, row in zip(self.years, cell.rows.tolist(), strict=True)
        ]
        return Table(title=_WORDS[self.statistic][0], columns=("cell", "year", *heads), rows=tuple(rows))


def _whole(value: float) -> int | None:
    return round(float(value)) if math.isfinite(value) else None


def _line(name: str, values: Floats, margin: Floats | None = None, *, dashed: bool = False) -> Series | None:
    """Values whose margin is withheld are in the table only, unless the method tells no margin at all."""
    margin = margin if margin is not None and np.isfinite(margin).any() else None
    shown = values if margin is None else values + margin
    known = [place for place, value in enumerate(shown.tolist()) if math.isfinite(value)]
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

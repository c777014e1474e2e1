"""A page for each institution: every cell and year of its report, with margins of error, and its budget formula.

Side by side, in the fixed order: confidential, the plan's first baseline, the source's method at the same ε (a study
draw), this release. In print each institution begins a page of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.columns import headed
from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.core.side_by_side import Side
from workbench.mechanisms.dial import claimed
from workbench.products.outcome_reports.layout import Layout, words_of
from workbench.products.outcome_reports.mechanisms.year_budget import divided
from workbench.products.outcome_reports.outcomes import VALUES, Outcomes
from workbench.products.outcome_reports.published_outcomes import MARGINS, NAMES
from workbench.products.outcome_reports.source_draw import source_draw, source_params
from workbench.products.outcome_reports.usefulness.percentage_error import apd, values_given, values_of
from workbench.utility.contract import Comparison

_COLOURS = 4  # titles in one figure that can still be told apart
_ACROSS = 12  # years beside each other on paper
_SHOWN = {
    "count": "People employed",
    "mean_earnings": "Mean earnings (dollars)",
    "p25_earnings": "25th percentile of earnings (dollars)",
    "p50_earnings": "Median earnings (dollars)",
    "p75_earnings": "75th percentile of earnings (dollars)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InstitutionPagesParams:
    most: int = param(500, "Institutions", "How many get a page, in the order of their list.", ge=1, le=2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of publishing: institutions × titles × sectors × years × statistics, with margins if it has any."""

    name: str
    values: Floats
    margins: Floats | None = None


@dataclass(frozen=True, slots=True)
class InstitutionPages:
    """See the module's docstring."""

    id: str = "institution-pages"
    version: int = 3
    title: str = "Each institution"
    summary: str = "A page for each institution: every cell and year with margins of error, and its budget formula."
    params: type[InstitutionPagesParams] = InstitutionPagesParams

    def run(self, comparison: Comparison, params: InstitutionPagesParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "drawing the source's method")
        prepared: Outcomes = comparison.prepared
        ways = _ways(comparison, Part(context, 0.0, 0.5))
        budget = _budget(comparison)
        names = prepared.layout.institution
        listed = ("",) if names is None else (names.labels or names.values)
        found = []
        for place, name in enumerate(listed[: params.most]):
            context.step(0.5 + 0.5 * place / len(listed), f"page of {name or 'the report'}")
            found.append(_page(prepared.layout, place, name, ways, budget))
        context.step(1.0, "pages made")
        return tuple(found)


def _ways(comparison: Comparison, context: Context) -> tuple[Way, ...]:
    prepared: Outcomes = comparison.prepared
    layout = prepared.layout
    shape = (layout.institutions, layout.titles_each, layout.places, layout.years, VALUES)
    drawn = source_draw(
        prepared, comparison.mechanism, comparison.mechanism_params, StudyRandom(comparison.seed), context
    )
    truth = prepared.truth.reveal()[:, :VALUES].astype(np.float64)
    margins = np.stack([comparison.release.units(name).numbers() for name in MARGINS], axis=1)
    current = [
        Way(name=heading, values=values_given(rival.gives).reshape(shape))
        for rival, heading in headed(comparison.rivals)
        if rival.side is Side.SDL
    ]
    return (
        Way(name=Side.CONFIDENTIAL.value, values=truth.reshape(shape)),
        *current[:1],
        Way(name=Side.SOURCE.value, values=values_of(drawn).reshape(shape)),
        Way(
            name=Side.RELEASE.value, values=values_of(comparison.release).reshape(shape), margins=margins.reshape(shape)
        ),
    )


def _budget(comparison: Comparison) -> Table:
    prepared: Outcomes = comparison.prepared
    mechanism, params = comparison.mechanism, comparison.mechanism_params
    claim, source = mechanism.claim(prepared, params), source_params(mechanism, params)
    formula = divided(source.epsilon, source.years, prepared.layout.year.values).formula()
    whole = show(claimed(mechanism, params, prepared))
    return Table(
        title="Budget of this report",
        columns=("method", "formula"),
        rows=(
            (Side.SOURCE.value, formula),
            (Side.RELEASE.value, claim.workings or f"ε = {show(claimed(mechanism, params))}"),
            ("one person, all reports of this release", f"ε = {whole}"),
        ),
    )


def _page(layout: Layout, place: int, name: str, ways: tuple[Way, ...], budget: Table) -> Finding:
    truth, ours = ways[0].values[place], ways[-1].values[place]
    errors = [(NAMES[k], _mean(apd(ours[..., k], truth[..., k]))) for k in range(VALUES)]
    given = [k for k in range(VALUES) if np.isfinite(ours[..., k]).any()]
    said = {NAMES[k]: 100.0 * error for k, (_, error) in enumerate(errors) if np.isfinite(error)}
    report = f"the report of {name}" if name else "this report"
    earnings = f", mean earnings {show(said['mean_earnings'], 3)} %" if "mean_earnings" in said else ""
    counts = f"{show(said['count'], 3)} %" if "count" in said else "not measurably"
    return Finding(
        id=f"institution-pages.{place}",
        title=name or "The whole report",
        status=Status.INFO,
        sentence=f"Counts in {report} are {counts} off on average{earnings}.",
        tables=(budget, *(table for k in given for table in _tables(layout, place, k, ways))),
        figures=(_figure(name or "all together", words_of(layout.titles)[:_COLOURS], truth, ours, layout),),
        own_page=True,
    )


def _tables(layout: Layout, place: int, statistic: int, ways: tuple[Way, ...]) -> list[Table]:
    """Cells × ways, a column for each year; further tables where years are too many for a page."""
    years, found = layout.year.values, []
    sectors = words_of(layout.sectors)
    for first in range(0, len(years), _ACROSS):
        chosen = slice(first, first + _ACROSS)
        rows: list[tuple[Value, ...]] = []
        for title, title_word in enumerate(words_of(layout.titles)):
            for sector, sector_word in enumerate(sectors):
                cell = ", ".join(filter(None, (title_word, sector_word))) or "all"
                rows += _lines(cell, ways, (place, title, sector, chosen, statistic))
        found.append(
            Table(
                title=_SHOWN[NAMES[statistic]],
                columns=("cell", "published", *(f"year {each}" for each in years[chosen])),
                rows=tuple(rows),
                note="Margins of error hold the noise of this release, 95 in 100. The source's method is a study draw.",
            )
        )
    return found


def _lines(cell: str, ways: tuple[Way, ...], at: tuple[int, int, int, slice, int]) -> list[tuple[Value, ...]]:
    """One line for each way, and one for the margins of error of the release."""
    told = [(way.name, way.values) for way in ways]
    told += [("± margin of error", way.margins) for way in ways if way.margins is not None]
    return [
        (
            cell if line == 0 else "",
            name,
            *(round(value) if np.isfinite(value) else None for value in values[at].tolist()),
        )
        for line, (name, values) in enumerate(told)
    ]


def _mean(errors: Floats) -> float:
    known = np.isfinite(errors)
    return float(errors[known].mean()) if known.any() else float("nan")


def _figure(name: str, titles: tuple[str, ...], truth: Floats, values: Floats, layout: Layout) -> Figure:
    x = tuple(float(at) for at in range(layout.years))
    series = []
    for at, title in enumerate(titles):
        title = title or "all"
        series.append(Series(name=f"{title}, this release", x=x, y=tuple(values[at, ..., 0].sum(axis=0).tolist())))
        series.append(
            Series(
                name=f"{title}, confidential", x=x, y=tuple(truth[at, ..., 0].sum(axis=0).tolist()), dashed=True,
                muted=True,
            )
        )  # fmt: skip
    return Figure(
        kind=Kind.LINES,
        title=f"People employed by title, {name}",
        x=Axis(label="Year since leaving", categories=layout.year.values),
        y=Axis(label="People employed", unit="people"),
        series=tuple(series),
    )


SPEC = InstitutionPages()

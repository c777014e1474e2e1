"""A page for each institution: its size, how far its report is off, and employment by title over the years."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.usefulness.percentage_error import apd, values_of
from workbench.utility.contract import Comparison

_COLOURS = 4  # titles in one figure that can still be told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class InstitutionPagesParams:
    most: int = param(12, "Institutions", "How many get a page, in the order of their list.", ge=1, le=200)


@dataclass(frozen=True, slots=True)
class InstitutionPages:
    """See the module's docstring."""

    id: str = "institution-pages"
    version: int = 1
    title: str = "Each institution"
    summary: str = "A page for each institution: people, error of its report, employment by title over the years."
    params: type[InstitutionPagesParams] = InstitutionPagesParams

    def run(self, comparison: Comparison, params: InstitutionPagesParams, context: Context) -> tuple[Finding, ...]:
        prepared: Outcomes = comparison.prepared
        layout = prepared.layout
        shape = (layout.institutions, layout.titles_each, layout.places, layout.years)
        truth = prepared.truth.reveal()[:, :2].astype(np.float64).reshape(*shape, 2)
        values = values_of(comparison.release)[:, :2].reshape(*shape, 2)
        names = ("",) if layout.institution is None else (layout.institution.labels or layout.institution.values)
        found = []
        for place, name in enumerate(names[: params.most]):
            context.step(place / len(names), f"page of {name or 'the report'}")
            found.append(_page(prepared, place, name, truth[place], values[place]))
        context.step(1.0, "pages made")
        return tuple(found)


def _page(prepared: Outcomes, place: int, name: str, truth: Floats, values: Floats) -> Finding:
    """`truth` and `values`: titles × sectors × years × (count, mean)."""
    errors = [100.0 * _mean(apd(values[..., k], truth[..., k])) for k in range(2)]
    titles = _titles(prepared)
    years = prepared.layout.year.values
    report = f"the report of {name}" if name else "this report"
    return Finding(
        id=f"institution-pages.{place}",
        title=name or "The whole report",
        status=Status.INFO,
        sentence=(
            f"Counts in {report} are {show(errors[0], 3)} % off on average, mean earnings {show(errors[1], 3)} %."
        ),
        tables=(
            _table(
                "People employed, all sectors", titles, years, truth[..., 0].sum(axis=1), values[..., 0].sum(axis=1)
            ),
            _table("Mean earnings, all sectors", titles, years, _pooled(truth), _pooled(values)),
        ),
        figures=(_figure(name or "all together", titles[:_COLOURS], truth, values, years),),
    )


def _table(what: str, titles: tuple[str, ...], years: tuple[str, ...], truth: Floats, values: Floats) -> Table:
    """The first and the last year of each title; `truth` and `values` are titles × years."""
    rows: list[tuple[Value, ...]] = [
        (title, *(_whole(side[at, year]) for year in (0, -1) for side in (truth, values)))
        for at, title in enumerate(titles)
    ]
    sides = ("confidential", "this release")
    heads = tuple(f"year {year}: {side}" for year in (years[0], years[-1]) for side in sides)
    return Table(title=what, columns=("title", *heads), rows=tuple(rows))


def _whole(value: float) -> int | None:
    return round(float(value)) if np.isfinite(value) else None


def _pooled(values: Floats) -> Floats:
    """Titles × years: means of sectors weighted by their people, where both are given."""
    weight = np.where(np.isfinite(values[..., 1]), np.maximum(values[..., 0], 0.0), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        pooled: Floats = (weight * np.nan_to_num(values[..., 1])).sum(axis=1) / weight.sum(axis=1)
    return pooled


def _mean(errors: Floats) -> float:
    known = np.isfinite(errors)
    return float(errors[known].mean()) if known.any() else float("nan")


def _titles(prepared: Outcomes) -> tuple[str, ...]:
    names = [""]
    for key in prepared.layout.titles:
        names = [", ".join(filter(None, (before, word))) for before in names for word in key.labels or key.values]
    return tuple(name or "all" for name in names)


def _figure(name: str, titles: tuple[str, ...], truth: Floats, values: Floats, years: tuple[str, ...]) -> Figure:
    x = tuple(float(at) for at in range(len(years)))
    series = []
    for at, title in enumerate(titles):
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
        x=Axis(label="Year since leaving", categories=years),
        y=Axis(label="People employed", unit="people"),
        series=tuple(series),
    )


SPEC = InstitutionPages()

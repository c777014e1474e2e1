"""Absolute percentage difference (APD) of counts and earnings, by cell size and year, against the truth and rivals.

APD = |published − true|/true. It is not defined where the truth is zero: empty cells, and cells without any pay, are
left out and counted. A value that is not published has no APD either; the share published is told beside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import Alternative, ProtectedFile
from workbench.baselines.columns import headed
from workbench.core.arrays import Bools, Floats
from workbench.core.claims import Definition
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns, Units
from workbench.core.quantities import agreeing, counted, percent, show
from workbench.core.randomness import StudyRandom
from workbench.core.side_by_side import Side
from workbench.core.value_words import declare, share_of
from workbench.products.outcome_reports.mechanisms.observed_mean import SPEC as SOURCE
from workbench.products.outcome_reports.outcomes import VALUES, Outcomes
from workbench.products.outcome_reports.published_outcomes import NAMES
from workbench.products.outcome_reports.source_draw import source_draw
from workbench.utility.contract import Comparison

declare(
    {
        "count_apd": share_of("Mean APD of counts"),
        "earnings_apd": share_of("Mean APD of mean earnings"),
        "count_within": share_of("Counts within the target"),
        "earnings_within": share_of("Mean earnings within the target"),
    }
)
SIZES = ((1, 9), (10, 29), (30, 99), (100, 299), (300, None))
WORDS = {
    "count": "counts",
    "mean_earnings": "mean earnings",
    "p25_earnings": "25th percentiles",
    "p50_earnings": "medians",
    "p75_earnings": "75th percentiles",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PercentageErrorParams:
    target: float = param(0.10, "Target", "A value within this share of the truth counts as good.", gt=0, le=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One way of publishing: its name and, draw by draw, rows × values, not-a-number where there is none."""

    name: str
    values: tuple[Floats, ...]


@dataclass(frozen=True, slots=True)
class PercentageError:
    """See the module's docstring."""

    id: str = "percentage-error"
    version: int = 3
    title: str = "Percentage error of counts and earnings"
    summary: str = "Absolute percentage difference by cell size and year, against suppression and the source's method."
    params: type[PercentageErrorParams] = PercentageErrorParams

    def run(self, comparison: Comparison, params: PercentageErrorParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "drawing for the comparison")
        prepared: Outcomes = comparison.prepared
        truth = prepared.truth.reveal()[:, :VALUES].astype(np.float64)
        source = _source(comparison, Part(context, 0.0, 0.4))
        ours = studied(comparison, Part(context, 0.4, 0.8))
        others = [rival for rival in comparison.rivals if rival.id != SOURCE.id]  # drawn here, as often as this release
        rivals = [Told(name=heading, values=(values_given(rival.gives),)) for rival, heading in headed(others)]
        told = (*rivals, source, ours)
        context.step(0.9, "comparing with the truth")
        given = [place for place in range(VALUES) if any(np.isfinite(v[:, place]).any() for v in ours.values)]
        same = _same_epsilon(comparison)
        findings = [_finding(prepared, truth, told, place, params.target, same) for place in given]
        context.step(1.0, "percentage errors known")
        return tuple(findings)


def _same_epsilon(comparison: Comparison) -> str:
    """At which ε the source's method stands beside this release: that of a history, also where ε is that of a row."""
    claim = comparison.mechanism.claim(comparison.prepared, comparison.mechanism_params)
    of_a_row = claim.definition is Definition.CENTRAL
    return "at the same ε for a whole history, instead of one row," if of_a_row else "at the same ε"


def _source(comparison: Comparison, context: Context) -> Told:
    """The source's method at the same ε, over as many study draws as this release has."""
    rng, drawn = StudyRandom(comparison.seed), []
    for trial in range(comparison.trials):
        within = Part(context, trial / comparison.trials, (trial + 1) / comparison.trials)
        drawn.append(
            values_of(source_draw(comparison.prepared, comparison.mechanism, comparison.mechanism_params, rng, within))
        )
    return Told(name=Side.SOURCE.value, values=tuple(drawn))


def studied(comparison: Comparison, context: Context) -> Told:
    rng, drawn = StudyRandom(comparison.seed), []
    for trial in range(comparison.trials):
        within = Part(context, trial / comparison.trials, (trial + 1) / comparison.trials)
        columns = comparison.mechanism.study(comparison.prepared, comparison.mechanism_params, rng, within).reveal()
        drawn.append(values_of(columns))
    return Told(name="this release", values=tuple(drawn))


def values_of(columns: Columns) -> Floats:
    """Rows × values of a draw or a published table."""
    found = [column.numbers() for column in columns.value_columns if isinstance(column, Units)]
    return np.stack(found[:VALUES], axis=1)


def values_given(gives: Alternative) -> Floats:
    if isinstance(gives, ProtectedFile):
        return values_of(gives.published.reveal())
    return gives.values.reveal()[:, :VALUES]


def apd(values: Floats, truth: Floats) -> Floats:
    """Not-a-number where the truth is zero or nothing is published."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(truth > 0.0, np.abs(values - truth) / truth, np.nan)


def _mean(of: tuple[Floats, ...], rows: Bools) -> float:
    chosen = np.stack([each[rows] for each in of])
    known = np.isfinite(chosen)
    return float(chosen[known].mean()) if known.any() else float("nan")


def _finding(
    prepared: Outcomes, truth: Floats, told: tuple[Told, ...], place: int, target: float, same: str
) -> Finding:  # fmt: skip
    name = WORDS[NAMES[place]]
    errors = {way.name: tuple(apd(values[:, place], truth[:, place]) for values in way.values) for way in told}
    ours = errors[told[-1].name]
    defined = truth[:, place] > 0.0
    everywhere = np.ones(len(truth), dtype=bool)
    total = _mean(ours, everywhere)
    within = float(np.mean([np.mean(np.where(np.isnan(e[defined]), np.inf, e[defined]) <= target) for e in ours]))
    key = {"count": "count", "mean_earnings": "earnings"}.get(NAMES[place])
    values: dict[str, Value] = {f"{key}_apd": total, f"{key}_within": within} if key else {}
    theirs = _mean(errors[Side.SOURCE.value], everywhere)
    beside = f" By the source's method {same} they are {show(100 * theirs, 3)} % off." if np.isfinite(theirs) else ""
    left = int((~defined).sum())
    without = f" {counted(left, 'cell')} with a true value of zero {agreeing(left, 'has', 'have')} no percentage error."
    return Finding(
        id=f"percentage-error.{NAMES[place]}",
        title=f"Percentage error of {name}",
        status=Status.INFO,
        sentence=(
            f"The {name} of this release are {show(100 * total, 3)} % off on average; {percent(within)} of cells are "
            f"within {percent(target)}.{beside}{without if left else ''}"
        ),
        values=values,
        tables=(_by_size(truth, told, errors, place), _by_year(prepared, told, errors)),
        figures=_figure(prepared, told, errors, name),
    )


def _by_size(truth: Floats, told: tuple[Told, ...], errors: dict[str, tuple[Floats, ...]], place: int) -> Table:
    rows = []
    for low, high in SIZES:
        inside = (truth[:, 0] >= low) & (truth[:, 0] <= (np.inf if high is None else high)) & (truth[:, place] > 0)
        words = f"{low} or more" if high is None else f"{low} to {high}"
        off: list[Value] = [100 * _mean(errors[way.name], inside) for way in told]
        shown: list[Value] = [100 * _published(errors[way.name], inside) for way in told]
        rows.append((words, int(inside.sum()), *off, *shown))
    heads = [f"{way.name}: {what} (%)" for what in ("APD", "cells published") for way in told]
    return Table(title="By true size of the cell", columns=("people", "cells", *heads), rows=tuple(rows))


def _published(errors: tuple[Floats, ...], inside: Bools) -> float:
    """The share of the cells that have a value."""
    return float(np.mean([np.isfinite(each[inside]).mean() if inside.any() else np.nan for each in errors]))


def _by_year(prepared: Outcomes, told: tuple[Told, ...], errors: dict[str, tuple[Floats, ...]]) -> Table:
    year = prepared.layout.year_of_row()
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (code, *(100 * _mean(errors[way.name], year == place) for way in told))
        for place, code in enumerate(prepared.layout.year.values)
    )
    return Table(title="By year", columns=("year", *(f"{way.name}: APD (%)" for way in told)), rows=rows)


def _figure(
    prepared: Outcomes, told: tuple[Told, ...], errors: dict[str, tuple[Floats, ...]], name: str
) -> tuple[Figure, ...]:
    year = prepared.layout.year_of_row()
    series = []
    for way in told:
        y = [100 * _mean(errors[way.name], year == place) for place in range(prepared.layout.years)]
        known = [place for place, value in enumerate(y) if np.isfinite(value)]
        if known:
            series.append(Series(name=way.name, x=tuple(map(float, known)), y=tuple(y[place] for place in known)))
    if not series:
        return ()
    return (
        Figure(
            kind=Kind.LINES,
            title=f"Percentage error of {name} by year",
            x=Axis(label="Year since leaving", categories=prepared.layout.year.values),
            y=Axis(label="Mean absolute percentage difference", unit="%"),
            series=tuple(series),
        ),
    )


SPEC = PercentageError()

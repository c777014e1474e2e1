"""How far shares, means and two-way tables of the release and its rivals are from the confidential file's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import ProtectedFile
from workbench.core.arrays import Floats
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context, Part
from workbench.core.published import Published
from workbench.core.quantities import percent, show
from workbench.core.value_words import ValueName, declare, share_of
from workbench.products.survey_microdata.estimation.crosstabs import as_counted, corrected, true_tables
from workbench.products.survey_microdata.estimation.shares import (
    Estimates,
    as_it_stands,
    estimates,
    true_estimates,
)
from workbench.products.survey_microdata.layout import has_tables, published
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.utility.contract import Comparison

declare(
    {
        "share_rmse": ValueName("Error of shares", "percentage points"),
        "crosstab_rmse": ValueName("Error of two-way cells", "respondents"),
        "intervals_held": share_of("Corrected intervals that hold"),
        "naive_intervals_held": share_of("Naive intervals that hold"),
        "crosstab_rmse_as_it_stands": ValueName("Error of two-way cells, file as it stands", "respondents"),
    }
)


Errors = tuple[float, float | None, float | None, float | None, float, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateErrorParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class EstimateError:
    """Root mean square over all estimates, corrected and as the file stands."""

    id: str = "survey-estimates"
    version: int = 1
    title: str = "Error of estimates"
    summary: str = "Shares, means and two-way tables of the release and its rivals against the confidential file."
    params: type[EstimateErrorParams] = EstimateErrorParams

    def run(self, comparison: Comparison, params: EstimateErrorParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        prepared: SurveyData = comparison.prepared
        context.step(0.0, "comparing estimates")
        files = [
            (rival.title, rival.gives.published.reveal())
            for rival in comparison.rivals
            if isinstance(rival.gives, ProtectedFile)
        ]
        files.append(("this release", published(prepared.variables, comparison.release)))
        lines = []
        for place, (title, file) in enumerate(files):
            context.step(place / len(files), f"comparing estimates: {title}")
            lines.append((title, *_errors(prepared, file, Part(context, place / len(files), (place + 1) / len(files)))))
        context.step(1.0, "estimates compared")
        return (self._finding(lines),)

    def _finding(self, lines: list[tuple[str, *Errors]]) -> Finding:
        _, shares, _, cells, stands, held, naive = lines[-1]
        values: dict[str, float] = {"share_rmse": shares}
        said = f"Shares of answers are {show(shares, 2)} percentage points off."
        if cells is not None:
            values["crosstab_rmse"] = cells
            said += f" Two-way cells are {show(cells, 3)} respondents off where they are corrected or tabulated."
        if stands is not None:
            values["crosstab_rmse_as_it_stands"] = stands
            said += f" Counted in the file as it stands they are {show(stands, 3)} off."
        if naive is not None:
            values |= {"intervals_held": held, "naive_intervals_held": naive}
            said += (
                f" {percent(held)} of corrected intervals hold, {percent(naive)} of those that take the "
                f"file for the truth."
            )
        return Finding(
            id=self.id,
            title=self.title,
            status=Status.INFO,
            sentence=said,
            values={**values},
            tables=(
                Table(
                    title="Root mean square error by method",
                    columns=(
                        "Method", "Shares, percentage points", "Means", "Two-way cells, corrected, respondents",
                        "Two-way cells, as the file stands, respondents",
                        "Intervals that hold, corrected", "Intervals that hold, as the file stands",
                    ),
                    rows=tuple(lines),
                    note="Against the confidential file, one draw each. Corrected cells leave out Laplace numbers.",
                ),
            ),
        )  # fmt: skip


def _errors(prepared: SurveyData, file: Published, context: Context) -> Errors:
    """Shares, means, corrected cells and cells as the file stands; and how many intervals of shares and means hold."""
    truth = true_estimates(prepared)
    found = estimates(prepared.variables, file)
    means = rms(found.means - truth.means) if len(truth.means) else None
    exact = true_tables(prepared)
    cells = corrected(prepared.variables, file)
    context.step(0.5, "comparing two-way tables")
    stands = None if has_tables(file) else rms(as_counted(prepared.variables, file) - exact)
    known = None if cells is None else rms(cells - exact)
    naive = None if has_tables(file) else _held(as_it_stands(prepared.variables, file), truth)
    return rms(found.shares - truth.shares), means, known, stands, _held(found, truth), naive


def _held(found: Estimates, truth: Estimates) -> float:
    """The share of shares and means whose interval of 95 % contains the confidential file's value."""
    away = np.abs(np.concatenate([found.shares - truth.shares, found.means - truth.means]))
    inside = (away <= np.concatenate([found.share_margins, found.mean_margins]))[np.isfinite(away)]
    return float(inside.mean()) if len(inside) else 1.0


def rms(away: Floats) -> float:
    """Of what is given: a suppressed value has no error."""
    given = away[np.isfinite(away)]
    return float(np.sqrt(np.mean(given**2))) if len(given) else 0.0


SPEC = EstimateError()

"""How far published coefficients are from the exact fit, in standard errors, and whether their margins hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import ProtectedFile
from workbench.core.arrays import Floats
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare
from workbench.products.model_fits.fit_data import FitData, exact_covariance
from workbench.products.model_fits.study_draws import drawn_numbers, study_draws
from workbench.utility.contract import Comparison

declare(
    {
        "fit_error_in_se": ValueName("Error, in standard errors of the exact fit"),
        "sdl_error_in_se": ValueName("Error of the coarsened fit, in standard errors"),
        "margin_coverage": ValueName("Margins that hold the exact coefficient"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoefficientErrorParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class CoefficientError:
    """Root mean square over coefficients and study draws."""

    id: str = "coefficient-error"
    version: int = 1
    title: str = "Error of the coefficients"
    summary: str = "Distance from the exact fit in its own standard errors, against current SDL."
    params: type[CoefficientErrorParams] = CoefficientErrorParams

    def run(self, comparison: Comparison, params: CoefficientErrorParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        prepared: FitData = comparison.prepared
        truth, error = exact_in_own_units(prepared)
        trials, method = comparison.trials, (comparison.mechanism, comparison.mechanism_params)
        parts = study_draws(prepared, method, trials, StudyRandom(comparison.seed), context)
        away = drawn_numbers(parts, "estimate", prepared.coefficients) - truth
        ours = float(np.sqrt(np.mean((away / error) ** 2)))
        held = _held(drawn_numbers(parts, "margin_of_error", prepared.coefficients), away)
        sdl = _rival_error(comparison, truth, error)
        context.step(1.0, "comparison done")
        values: dict[str, float] = {"fit_error_in_se": ours}
        values |= {"sdl_error_in_se": sdl} if sdl is not None else {}
        values |= {"margin_coverage": held} if held is not None else {}
        beside = f" The coarsened fit is {show(sdl, 3)} standard errors off." if sdl is not None else ""
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=f"The private coefficients are {show(ours, 3)} standard errors of the exact fit off, over "
                f"{show(trials)} study draws.{beside}",
                values={**values},
                tables=(_table(prepared, truth, error, np.sqrt(np.mean(away**2, axis=0))),),
            ),
        )


def exact_in_own_units(prepared: FitData) -> tuple[Floats, Floats]:
    """The exact coefficients and their standard errors, per unit of each predictor."""
    beta = prepared.exact.reveal()
    own, spread = prepared.in_own_units(beta, exact_covariance(prepared.design.reveal(), beta))
    return own, np.sqrt(np.maximum(np.diag(spread), 1e-300))


def _held(margins: Floats, away: Floats) -> float | None:
    """How often a margin reaches the exact coefficient; None where the method gives no margins."""
    known = ~np.isnan(margins)
    return float((np.abs(away) <= margins)[known].mean()) if known.any() else None


def _rival_error(comparison: Comparison, truth: Floats, error: Floats) -> float | None:
    if not any(not isinstance(rival.gives, ProtectedFile) for rival in comparison.rivals):
        return None
    given = comparison.baseline.reveal()[:, 0]
    return None if np.isnan(given).any() else float(np.sqrt(np.mean(((given - truth) / error) ** 2)))


def _table(prepared: FitData, truth: Floats, error: Floats, away: Floats) -> Table:
    rows = zip(prepared.names, truth.tolist(), error.tolist(), away.tolist(), strict=True)
    return Table(
        title="Coefficients",
        columns=("coefficient", "exact fit", "its standard error", "error of the release"),
        rows=tuple(rows),
    )


SPEC = CoefficientError()

"""What is released today: the exact fit on coarsened predictors, with small groups left out.

Each predictor is collapsed to a few classes of equal width, and rows of combinations with fewer people than the
threshold are dropped. No formal guarantee: the coefficients are exact functions of the rows that are left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import ProtectedValues
from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom
from workbench.products.model_fits.fit_data import GRID, FitData, exact_covariance, exact_fit
from workbench.products.model_fits.mechanisms.published_fit import COLUMNS, LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarseFitParams:
    classes: int = param(5, "Classes", "Into how many classes each predictor is collapsed.", ge=2, le=50)
    threshold: int = param(10, "Threshold", "Combinations with fewer people are left out.", ge=1, unit="people")


@dataclass(frozen=True, slots=True)
class CoarseFit:
    """See the module's docstring."""

    id: str = "coarse-fit"
    version: int = 1
    title: str = "Exact fit on coarsened data"
    summary: str = "Predictors collapsed to classes, small groups left out, then the exact fit."
    params: type[CoarseFitParams] = CoarseFitParams

    def protect(
        self, prepared: FitData, params: CoarseFitParams, rng: StudyRandom, context: Context  # noqa: ARG002 - nothing is random
    ) -> ProtectedValues:  # fmt: skip
        context.step(0.0, "fitting coarsened data")
        design, outcome = coarsened(prepared, params)
        context.step(1.0, "coarsened data fitted")
        return ProtectedValues(values=Confidential(fitted_columns(prepared, design, outcome)))


def coarsened(prepared: FitData, params: CoarseFitParams) -> tuple[Floats, Integers]:
    """The rows that are left, with predictors at the middle of their class."""
    grid, outcome = prepared.grid.reveal(), prepared.outcome.reveal()
    place = np.minimum((grid[:, 1:] + GRID) * params.classes // (2 * GRID), params.classes - 1)
    middle = (place + 0.5) * (2.0 / params.classes) - 1.0
    _, which, counts = np.unique(place, axis=0, return_inverse=True, return_counts=True)
    kept = counts[which.ravel()] >= params.threshold
    return np.concatenate([np.ones((int(kept.sum()), 1)), middle[kept]], axis=1), outcome[kept]


def fitted_columns(prepared: FitData, design: Floats, outcome: Integers) -> Floats:
    """Coefficients × published columns, in each predictor's own unit; not-a-number where nothing is left."""
    if len(outcome) <= prepared.coefficients:
        return np.full((prepared.coefficients, COLUMNS), np.nan)
    beta = exact_fit(design, outcome)
    own, spread = prepared.in_own_units(beta, exact_covariance(design, beta))
    error = np.sqrt(np.maximum(np.diag(spread), 0.0))
    right = float(np.mean((design @ beta >= 0.0) == (outcome == 1)))
    return np.stack([own, error, LEVEL * error, np.zeros(len(own)), np.full(len(own), right)], axis=1)


SPEC = CoarseFit()

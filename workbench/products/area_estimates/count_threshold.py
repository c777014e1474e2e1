"""What is often done today: exact estimates, with small cells left out.

A cell with fewer people than the threshold has no estimate and no count. No formal guarantee: what is published is
exact, so nothing bounds what it tells about one person, and that a cell appears tells that one more person is there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import ProtectedValues
from workbench.core.arrays import Bools, Floats
from workbench.core.confidential import Confidential
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import truth
from workbench.products.area_estimates.exact import exact_estimates


@dataclass(frozen=True, slots=True, kw_only=True)
class CountThresholdParams:
    threshold: int = param(20, "Threshold", "Cells with fewer people are not published.", ge=1, unit="people")


@dataclass(frozen=True, slots=True)
class CountThreshold:
    """See the module's docstring."""

    id: str = "count-threshold"
    version: int = 1
    title: str = "Exact values above a threshold"
    summary: str = "Exact estimates; cells with fewer people than the threshold are not published."
    params: type[CountThresholdParams] = CountThresholdParams

    def protect(
        self, prepared: AreaData, params: CountThresholdParams, rng: StudyRandom, context: Context  # noqa: ARG002 - nothing is random
    ) -> ProtectedValues:  # fmt: skip
        context.step(0.0, "estimating every cell")
        columns = truth(prepared)
        values = np.stack([columns.units(name).numbers() for name in columns.names], axis=1)
        context.step(0.7, "leaving small cells out")
        shown = np.concatenate([kept_cells(prepared, place, params) for place in range(len(prepared.outcomes))])
        kept: Floats = np.where(shown[:, None], values, np.nan)
        context.step(1.0, "small cells left out")
        return ProtectedValues(values=Confidential(kept))


def kept_cells(prepared: AreaData, outcome: int, params: CountThresholdParams) -> Bools:
    """Cells that reach the threshold and have a line of their own."""
    exact = exact_estimates(prepared, outcome)
    kept: Bools = exact.usable & (exact.count >= params.threshold)
    return kept


SPEC = CountThreshold()

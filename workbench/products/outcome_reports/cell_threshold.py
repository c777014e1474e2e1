"""What is released today: exact values where a cell has enough people, nothing elsewhere.

The threshold is that of the publication: 30 in PSEO, 50 in VEO. It is no guarantee: exact means of large cells tell the
pay of the last person to whoever knows all others, and that a cell is suppressed tells its size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import PUBLISHED, SuppressionPattern
from workbench.core.confidential import Confidential
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom
from workbench.products.outcome_reports.outcomes import VALUES, Outcomes


@dataclass(frozen=True, slots=True, kw_only=True)
class CellThresholdParams:
    threshold: int = param(
        30, "Threshold", "Cells with fewer people are suppressed.", ge=2, le=10_000, unit="people",
        source="PSEO 30, VEO 50",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class CellThreshold:
    """See the module's docstring."""

    id: str = "cell-threshold"
    version: int = 1
    title: str = "Suppression below a threshold"
    summary: str = "Exact values where a cell has enough people, nothing elsewhere."
    params: type[CellThresholdParams] = CellThresholdParams

    def protect(
        self, prepared: Outcomes, params: CellThresholdParams, rng: StudyRandom, context: Context  # noqa: ARG002 - nothing is random
    ) -> SuppressionPattern:  # fmt: skip
        context.step(0.0, "suppressing small cells")
        truth = prepared.truth.reveal().astype(np.float64)
        small = truth[:, 0] < params.threshold
        low, high = truth.copy(), truth.copy()
        low[small] = 0.0
        high[small, 0] = params.threshold - 1
        high[small, 1:VALUES] = prepared.cap
        context.step(1.0, "small cells suppressed")
        return SuppressionPattern(
            values=Confidential(np.where(small[:, None], np.nan, truth)),
            reason=Confidential(np.where(small, 1, PUBLISHED).astype(np.int8)),
            reasons=("fewer people than the threshold",),
            low=Confidential(low),
            high=Confidential(high),
            attacker="the threshold and the cap",
        )


SPEC = CellThreshold()

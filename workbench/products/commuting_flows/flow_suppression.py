"""Suppression of small flows: how OnTheMap's beta version protected residences. It makes no formal promise.

Formula: a flow from a workplace (× characteristic) to a home area is published as it is when it has at least as many
workers as the threshold, and not at all otherwise. Complementary suppression is not done, as the totals of workplaces
are taken as public: who knows all but one flow of a workplace finds the last by subtraction.
Guarantee: none. What is published is exact.
Source: OnTheMap (2008), section 2, “Beta/proof of concept version”. The threshold is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom
from workbench.products.commuting_flows.flows.distances import totals
from workbench.products.commuting_flows.flows.structures import Level, Populations


class HomeLevel(StrEnum):
    BLOCK = "block"
    TRACT = "tract"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSuppressionParams:
    threshold: int = param(
        3, "Threshold", "Flows with fewer workers are suppressed.", unit="workers", ge=1, le=1_000_000
    )
    home_level: HomeLevel = param(
        HomeLevel.BLOCK,
        "Home areas",
        "How fine homes are published. Coarser areas have larger flows, of which fewer are suppressed.",
        labels={"block": "Blocks", "tract": "Tracts"},
    )


@dataclass(frozen=True, slots=True)
class FlowSuppression:
    id: str = "flow-suppression"
    version: int = 1
    title: str = "Suppression of small flows"
    summary: str = "Flows below a threshold are not published; all others are published exactly."
    params: type[FlowSuppressionParams] = FlowSuppressionParams

    def protect(
        self, prepared: Populations, params: FlowSuppressionParams, rng: StudyRandom, context: Context
    ) -> Confidential[NDArray[np.float64]]:
        """Per true flow (population × home block) its workers; not-a-number where the flow is suppressed."""
        del rng
        context.step(0.0, "Adding up the flows of each home area")
        flows = prepared.flows.reveal()
        workers = flows.workers.astype(np.float64)
        total = workers
        if params.home_level is HomeLevel.TRACT:
            tracts = len(prepared.geography.areas[Level.TRACT])
            home = prepared.geography.area_of[Level.TRACT][flows.block]
            _, place = np.unique(flows.population.astype(np.int64) * tracts + home, return_inverse=True)
            total = totals(place, workers, len(workers))[place]
        context.step(0.5, "Suppressing small flows")
        shown = np.where(total >= params.threshold, workers, np.nan)
        context.step(1.0, "Small flows suppressed")
        return Confidential(shown)


SPEC = FlowSuppression()

"""Suppression of small flows: how OnTheMap's beta version protected residences. It makes no formal promise.

Formula: a flow from a workplace (× characteristic) to a home area is published as it is when it has at least as many
workers as the threshold, and not at all otherwise. Complementary suppression is not done, as the totals of workplaces
are taken as public: who knows all but one flow of a workplace finds the last by subtraction.
Guarantee: none. What is published is exact.
Attacker: knows the threshold t, what is published and the total of every workplace, hence the rest R of it that is not
published, which lies in the m home areas without a published flow, less than t workers in each. A single flow then has
at least max(0, R − (m−1)(t−1)) and at most min(R, t−1) workers, and both can be: one equation, bounds on each term.
Source: OnTheMap (2008), section 2, “Beta/proof of concept version”. The threshold is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from workbench.baselines.alternatives import SuppressionPattern
from workbench.core.arrays import Bools, Floats
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
    ) -> SuppressionPattern:
        """Per true flow (population × home block) its workers, or that it is suppressed and what its bounds are."""
        del rng
        context.step(0.0, "Adding up the flows of each home area")
        flows = prepared.flows.reveal()
        workers = flows.workers.astype(np.float64)
        homes = _homes(prepared, params.home_level)
        _, place = np.unique(flows.population.astype(np.int64) * len(homes.blocks) + homes.of, return_inverse=True)
        shown = totals(place, workers, len(workers))[place] >= params.threshold
        context.step(0.5, "Suppressing small flows")
        low, high = _bounds(flows.population, workers, shown, homes, params.threshold)
        context.step(1.0, "Small flows suppressed")
        return SuppressionPattern(
            values=Confidential(np.where(shown, workers, np.nan)),
            reason=Confidential((~shown).astype(np.int8)),
            reasons=(f"fewer than {params.threshold} workers go to that home {params.home_level.value}",),
            low=Confidential(low),
            high=Confidential(high),
            attacker="the published flows, the threshold, the geography and the total of every workplace",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Homes:
    """The home areas that flows are published by: which one each flow goes to, and how many blocks each has."""

    of: NDArray[np.int64]
    blocks: NDArray[np.int64]


def _homes(prepared: Populations, level: HomeLevel) -> _Homes:
    block = prepared.flows.reveal().block
    if level is HomeLevel.BLOCK:
        return _Homes(of=block.astype(np.int64), blocks=np.ones(len(prepared.geography.blocks), np.int64))
    area = prepared.geography.area_of[Level.TRACT]
    return _Homes(of=area[block].astype(np.int64), blocks=np.bincount(area))


def _bounds(
    population: NDArray[np.int32], workers: Floats, shown: Bools, homes: _Homes, threshold: int
) -> tuple[Floats, Floats]:
    """What the attacker of the module's docstring finds for each flow; the flow itself where it is published."""
    count, most = int(population.max(initial=-1)) + 1, threshold - 1
    rest = np.bincount(population[~shown], weights=workers[~shown], minlength=count)
    known = np.unique(population[shown].astype(np.int64) * len(homes.blocks) + homes.of[shown])
    unknown = len(homes.blocks) - np.bincount(known // len(homes.blocks), minlength=count)
    alone = homes.blocks[homes.of] == 1  # in an area of several blocks the workers may all live in another one
    least = np.where(alone, np.maximum(rest - (unknown - 1) * most, 0.0)[population], 0.0)
    high = np.minimum(rest, most)[population]
    return np.where(shown, workers, least), np.where(shown, workers, high)


SPEC = FlowSuppression()

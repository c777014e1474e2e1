"""Black box on the noisy table itself: the integers from which a table method works out everything.

The published estimates of all cells are made together, so that nobody can watch thousands of releases. What is drawn
are sums, cell by cell, and the rest is arithmetic on them: the black box watches those sums for one person present or
absent. Methods with noise by cell are watched as they publish.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.audit import black_box
from workbench.audit.contract import Subject
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns, Units
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.area_estimates.area_data import AreaData, TableSums
from workbench.products.area_estimates.fractional_sums import GRID, Contributions, contributions
from workbench.products.area_estimates.table_noise import DrawsTable

_CORNERS = ((GRID, GRID), (300, 900))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSamplerParams:
    draws: int = param(200_000, "Draws of the study sampler", "For each neighbour.", ge=1000, le=5_000_000)
    release_draws: int = param(
        20_000, "Draws of the release sampler", "For each neighbour; used here only and never kept.", ge=1000
    )
    confidence: Decimal = param(Decimal("0.999"), "Confidence", "How sure a reported breach is.", ge="0.5", lt=1)
    seed: int = param(1, "Seed", "Of the study sampler.", ge=0)


@dataclass(frozen=True, slots=True)
class TableSampler:
    """See the module's docstring."""

    id: str = "table-black-box"
    version: int = 1
    title: str = "Black-box test of the noisy sums"
    summary: str = "A Monte-Carlo lower confidence bound on ε from the integers that are drawn."
    params: type[TableSamplerParams] = TableSamplerParams
    of_loss: bool = False

    def run(self, subject: Subject, params: TableSamplerParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "watching the noisy sums")
        if not isinstance(subject.mechanism, DrawsTable):
            context.step(1.0, "no sums to watch")
            return (
                Finding(
                    id=self.id,
                    title=self.title,
                    status=Status.INFO,
                    sentence="This method draws no table of sums, so that there is nothing to watch here.",
                ),
            )
        watched = replace(subject, mechanism=_Sums(subject.mechanism, subject.prepared))  # type: ignore[arg-type]
        settings = black_box.BlackBoxParams(
            draws=params.draws, release_draws=params.release_draws, confidence=params.confidence, seed=params.seed
        )
        found = black_box.SPEC.run(watched, settings, context)
        return tuple(replace(finding, id=f"{self.id}.{place}") for place, finding in enumerate(found))


class _Sums:
    """A table method as the black box sees it: what it publishes are the drawn integers of one cell and its pool."""

    def __init__(self, mechanism: DrawsTable, prepared: AreaData) -> None:
        self.mechanism, self.prepared = mechanism, prepared

    def claim(self, prepared: Any, params: Any) -> Claim:  # noqa: ARG002 - of the release that is watched
        return self.mechanism.claim(self.prepared, params)

    def neighbours(self, prepared: Any, params: Any, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - every cell is alike
        """One person more, at the corner that attains ε and at another place."""
        outcomes = len(self.prepared.outcomes)
        return tuple(
            NeighbourPair(
                description=f"one person at predictor {x / GRID:g} and outcome {y / GRID:g} of their bounds",
                first=Confidential(_repeated(contributions(*_one(x, y)), outcomes, self.prepared.most_weight, copies)),
                second=Confidential(_repeated(contributions(*_one(x, y)), outcomes, 0, copies)),
                copies=copies,
                outputs=self.mechanism.numbers(outcomes),
            )
            for x, y in _CORNERS
        )

    def study(self, table: TableSums, params: Any, rng: StudyRandom, context: Context) -> Confidential[Columns]:
        return Confidential(self._watched(table, params, rng, context))

    def release(self, table: TableSums, params: Any, rng: ReleaseRandom, context: Context) -> Columns:
        return self._watched(table, params, rng, context)

    def _watched(self, table: TableSums, params: Any, rng: UniformWords, context: Context) -> Columns:
        parts = self.mechanism.watched(table, self.prepared, params, rng, context)
        return Columns(columns=tuple(Units(name=str(place), integers=part) for place, part in enumerate(parts)))


def _one(x: int, y: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array([x], np.int64), np.array([y], np.int64)


def _repeated(one: Contributions, outcomes: int, weight: int, copies: int) -> TableSums:
    """Copies of a cell with this person only, each in a pool of its own."""
    return TableSums(
        sums=np.tile(weight * one.sums[None], (outcomes, copies, 1)),
        x_moment=np.tile(weight * one.x_moment, copies),
        y_moment=np.tile(weight * one.y_moment, (outcomes, copies)),
    )


SPEC = TableSampler()

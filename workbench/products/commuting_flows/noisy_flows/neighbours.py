"""Small instances whose noisy answers a black box can watch: one job there or not, one home or another.

Each copy is a work tract of its own with two populations and three homes, a cell each. What is published of them are
the noisy answers themselves, so that nothing hides behind estimates.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.commuting_flows.flows.structures import BlockFlows, Likelihood, Populations
from workbench.products.commuting_flows.noisy_flows.budget import budget_of
from workbench.products.commuting_flows.noisy_flows.measure import Measured, Shape, TrueCounts
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit

HOMES = 3
_MORE = 6  # workers above the limit that make a population larger
Homes = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedFlows(Populations):
    """Copies of two populations in one work tract; a release of them holds the noisy answers, copy by copy."""

    counts: Confidential[TrueCounts]
    asked_of: Shape = field(repr=False)
    copies: int


def answers_by_copy(watched: WatchedFlows, measured: Measured) -> Integers:
    """Sizes (where they are protected), tract flows and cells of each copy, one after another."""
    copies = watched.copies
    parts = [measured.tract_flows.reshape(copies, -1), measured.cells.reshape(copies, -1)]
    if measured.budget.sizes is not None:
        parts.insert(0, measured.sizes.reshape(copies, -1))
    return np.concatenate(parts, axis=1).ravel()


def pairs_of(prepared: Populations, params: NoisyFlowsParams, copies: int) -> tuple[NeighbourPair, ...]:
    limit = budget_of(params).small_limit
    larger: Homes = (limit + _MORE, 0, 1)
    if params.unit is Unit.JOB:
        at_limit: Homes = (limit, 0, 0)
        steps: tuple[tuple[str, Homes, Homes], ...] = (
            ("one job of a population at the limit of small ones, present or absent", at_limit, (limit, 0, 1)),
            ("the only job of a population, present or absent", (0, 0, 0), (0, 0, 1)),
            ("one job of a larger population, present or absent", larger, (limit + _MORE, 1, 1)),
        )
    else:
        few: Homes = (max(limit - 1, 0), 1, 0)
        steps = (
            ("the home of one worker of a larger population, at one of two places", larger, (limit + _MORE, 1, 0)),
            ("the home of one worker of a small population, at one of two places", few, (max(limit - 1, 0), 0, 1)),
        )
    return tuple(
        NeighbourPair(
            description=words,
            first=_copies(prepared, first, (limit + _MORE, 1, 1), copies),
            second=_copies(prepared, second, (limit + _MORE, 1, 1), copies),
            copies=copies,
            outputs=3 * HOMES + (2 if params.unit is Unit.JOB else 0),
        )
        for words, first, second in steps
    )


def _copies(prepared: Populations, watched: Homes, beside: Homes, copies: int) -> Confidential[WatchedFlows]:
    """Two populations a copy: the one that is watched and a larger one beside it."""
    table = np.tile(np.array([watched, beside], dtype=np.int64), (copies, 1))
    population, home = np.nonzero(table)
    nobody = np.zeros(0, dtype=np.int32)
    many = 2 * copies
    return Confidential(
        WatchedFlows(
            geography=prepared.geography,
            supports=prepared.supports,
            work_area=prepared.work_area,
            characteristic=prepared.characteristic,
            area_of=np.zeros(many, dtype=np.int32),
            characteristic_of=np.zeros(many, dtype=np.int32),
            support_of=np.zeros(many, dtype=np.int32),
            size=table.sum(axis=1),
            likelihood=Confidential(
                Likelihood(
                    start=np.zeros(many + 1, dtype=np.int64),
                    point=nobody.astype(np.int64),
                    workers=nobody.astype(np.int64),
                )
            ),
            flows=Confidential(BlockFlows(population=nobody, block=nobody, workers=nobody.astype(np.int64))),
            moved=Confidential(np.zeros(many, dtype=np.int64)),
            most_populations_of_a_worker=prepared.most_populations_of_a_worker,
            jobs_in_a_population=prepared.jobs_in_a_population,
            jobs_counted=prepared.jobs_counted,
            prior_name=prepared.prior_name,
            notes=prepared.notes,
            size_notes=prepared.size_notes,
            told_exactly=prepared.told_exactly,
            listed=prepared.listed,
            unknown_home=prepared.unknown_home,
            counts=Confidential(
                TrueCounts(population=population, point=home, cell=home, workers=table[population, home])
            ),
            asked_of=Shape(
                tract_of=np.repeat(np.arange(copies), 2),
                tracts=copies,
                points=HOMES,
                listed=np.full(many, HOMES, dtype=np.int64),
            ),
            copies=copies,
        )
    )

"""Small populations whose draws a black box can watch: one worker who lives at one point or at another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.commuting_flows.flows.structures import BlockFlows, Likelihood, Populations, Supports
from workbench.products.commuting_flows.synthetic_residences.draw import Synthesis
from workbench.products.commuting_flows.synthetic_residences.weights import Weights

_POINTS = 3
_MORE_WORKERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PointPopulations(Populations):
    """Populations over one and the same short list of support points, whose draws are counted point by point.

    A release or study of them has one value for every population and point, zeros included, population by population,
    instead of rows by residence block: a fixed shape, as whoever compares many draws needs it. Blocks are left out, as
    they are drawn from points without looking at the data.
    """


def point_counts(synthesis: Synthesis, draws: list[tuple[slice, Integers, Integers]]) -> Integers:
    """Workers by population and point."""
    prepared = synthesis.prepared
    points = prepared.supports.points
    counted = [
        np.bincount(population * points + point, minlength=(portion.stop - portion.start) * points)
        for portion, population, point in draws
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *counted]).astype(np.int64)


def pairs_of(prepared: Populations, weights: Weights, copies: int, replicates: int = 1) -> tuple[NeighbourPair, ...]:
    """Populations of one worker, and of a few whose others live at the likeliest point."""
    tract = _tract(weights)
    if tract is None:
        return ()
    ranked = weights.kept.point[weights.ranked[weights.kept.start[tract] : weights.kept.start[tract + 1]]]
    points = np.unique(np.concatenate([ranked[:1], ranked[-(_POINTS - 1) :]]))
    supports = _few(prepared.supports, points)
    home = int(np.flatnonzero(points == ranked[0])[0])
    first, second = (
        [place for place in range(len(points)) if place != home][:2] if len(points) > 2 else (home, 1 - home)
    )
    return tuple(
        NeighbourPair(
            description=f"{words}, at one unlikely support point or at another",
            first=_copies(prepared, supports, _homes(home, others, first), copies),
            second=_copies(prepared, supports, _homes(home, others, second), copies),
            copies=copies,
            outputs=len(points) * replicates,
        )
        for words, others in (
            ("the residence of a population's only worker", 0),
            ("the residence of one worker among a few, the others at the likeliest point", _MORE_WORKERS - 1),
        )
    )


def _tract(weights: Weights) -> int | None:
    """The first work tract with enough points to tell one from another."""
    for least in (_POINTS, 2):
        if len(found := np.flatnonzero(weights.kept.per_tract >= least)):
            return int(found[0])
    return None


def _homes(likeliest: int, others: int, worker: int) -> tuple[int, ...]:
    return tuple(sorted([likeliest] * others + [worker]))


def _few(supports: Supports, points: Integers) -> Supports:
    """One work tract with these points only; its blocks are never drawn."""
    return Supports(
        work_tract=supports.work_tract[:1],
        start=np.array([0, len(points)], dtype=np.int64),
        level=supports.level[points],
        area=supports.area[points],
        miles=supports.miles[points],
        prior=supports.prior[points],
        kept=np.ones(len(points), dtype=bool),
        member_start=np.zeros(len(points) + 1, dtype=np.int64),
        member_tract=np.zeros(0, dtype=np.int32),
    )


def _copies(
    prepared: Populations, supports: Supports, homes: tuple[int, ...], copies: int
) -> Confidential[PointPopulations]:
    point, workers = np.unique(np.array(homes, dtype=np.int64), return_counts=True)
    nobody = np.zeros(0, dtype=np.int32)
    return Confidential(
        PointPopulations(
            geography=prepared.geography,
            supports=supports,
            work_area=prepared.work_area,
            characteristic=prepared.characteristic,
            area_of=np.zeros(copies, dtype=np.int32),
            characteristic_of=np.zeros(copies, dtype=np.int32),
            support_of=np.zeros(copies, dtype=np.int32),
            size=np.full(copies, len(homes), dtype=np.int64),
            likelihood=Confidential(
                Likelihood(
                    start=np.arange(copies + 1, dtype=np.int64) * len(point),
                    point=np.tile(point, copies),
                    workers=np.tile(workers.astype(np.int64), copies),
                )
            ),
            flows=Confidential(BlockFlows(population=nobody, block=nobody, workers=nobody.astype(np.int64))),
            moved=Confidential(np.zeros(copies, dtype=np.int64)),
            prior_name=prepared.prior_name,
            notes=prepared.notes,
        )
    )

"""Drawing all populations, a few at a time: prune, draw from the urn, give every worker a block.

Pruning: alfa* = 0 with probability 1 − p, p = max(alfa, min_p), at most 1, one independent 32-bit word per population
and point; never looked at again and never stored. p is exact: alfa is a multiple of 2⁻³⁰, and min_p is rounded up to
a multiple of 2⁻³², the safe side, since the price of pruning falls in p. The anchor keeps its prior always.
Memory follows the populations of one portion, never populations × points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Bools, Integers
from workbench.core.progress import Context
from workbench.products.commuting_flows.flows.structures import Likelihood, Populations
from workbench.products.commuting_flows.synthetic_residences import urn
from workbench.products.commuting_flows.synthetic_residences.blocks import BlockDraw
from workbench.products.commuting_flows.synthetic_residences.params import SyntheticResidencesParams
from workbench.products.commuting_flows.synthetic_residences.uniform import Words, half_words
from workbench.products.commuting_flows.synthetic_residences.weights import (
    LARGEST_TOTAL,
    ONE,
    SHIFT,
    KeptPoints,
    Weights,
)

_POINTS = 1_000_000  # in one portion, so that a question whether to go on comes every tenth of a second
_WORKERS = 250_000
_POPULATIONS = 8_000
_KEEP_BITS = 32


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TrueWorkers:
    """The likelihood over kept points only: entries of population p are start[p] … start[p+1]−1."""

    start: Integers
    place: Integers  # number among the kept points
    workers: Integers

    @property
    def per_population(self) -> Integers:
        return np.diff(np.concatenate([[0], np.cumsum(self.workers)])[self.start])


def true_workers(likelihood: Likelihood, kept: KeptPoints) -> TrueWorkers:
    """Likelihood in eliminated points is dropped, should any have been left in."""
    place = kept.number[likelihood.point]
    stays = place >= 0
    before = np.concatenate([[0], np.cumsum(stays)])
    return TrueWorkers(start=before[likelihood.start], place=place[stays], workers=likelihood.workers[stays])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Synthesis:
    """Everything that drawing needs."""

    prepared: Populations
    weights: Weights
    truth: TrueWorkers
    params: SyntheticResidencesParams
    words: Words
    flags: list[Bools] | None = None  # which priors were kept, portion by portion, where a transcript is kept

    def points(self, context: Context) -> Iterator[tuple[slice, Integers, Integers]]:
        """Portion by portion: which populations, and for each worker drawn its population among them and its point."""
        total = max(self.prepared.populations, 1)
        context.step(0.0, "preparing the urns")
        for portion in _portions(self.prepared, self.weights):
            context.step(portion.start / total, f"drawing population {portion.start + 1:,} of {total:,}")
            population, place = self._drawn(portion)
            yield portion, population, self.weights.kept.point[place]
        context.step(1.0, "synthetic residences drawn")

    def _drawn(self, portion: slice) -> tuple[Integers, Integers]:
        size = np.asarray(self.prepared.size[portion], dtype=np.int64)
        entries = slice(self.truth.start[portion.start], self.truth.start[portion.stop])
        held = np.diff(self.truth.start[portion.start : portion.stop + 1])
        truth = urn.Heap.of(
            np.repeat(np.arange(len(size)), held),
            self.truth.place[entries],
            self.truth.workers[entries].astype(np.int64),
            len(size),
        )
        return urn.draw(self._prior(portion), truth, size, self.words)

    def _prior(self, portion: slice) -> urn.Heap:
        """alfa* of the portion's populations."""
        weights, tract = self.weights, self.prepared.support_of[portion]
        many, first = weights.kept.per_tract[tract], weights.kept.start[tract]
        owner = np.repeat(np.arange(len(tract)), many)
        start = np.cumsum(many) - many
        place = np.arange(len(owner)) + np.repeat(first - start, many)
        alfa = np.maximum(np.repeat(weights.minimum[portion], many), weights.informative[place])
        if self.params.prunes:
            kept = half_words(len(alfa), self.words) < keep_chance(alfa, self.params)
            kept[start + weights.anchor[tract] - first] = True
            if self.flags is not None:
                self.flags.append(kept)
            owner, place, alfa = owner[kept], place[kept], alfa[kept]
        return urn.Heap.of(owner, place, alfa, len(tract))


def keep_chance(alfa: Integers, params: SyntheticResidencesParams) -> NDArray[np.uint64]:
    """p in units of 2⁻³²: max(alfa, min_p), min_p rounded up, 2³² where alfa is 1 or more."""
    least = ceil(params.min_p * 2**_KEEP_BITS)
    return np.asarray(np.maximum(np.minimum(alfa, ONE) << (_KEEP_BITS - SHIFT), least), dtype=np.uint64)


def block_rows(synthesis: Synthesis, context: Context) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """One row per population and block with a synthetic worker, in that order, and the workers."""
    geography = synthesis.prepared.geography
    blocks = BlockDraw.of(geography, synthesis.prepared.supports)
    many = len(geography.blocks)
    keys, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for portion, population, point in synthesis.points(context):
        home = blocks.draw(point, synthesis.words)
        found, workers = np.unique((population + portion.start) * many + home, return_counts=True)
        keys.append(found)
        counts.append(workers)
    key = np.concatenate(keys)
    return np.stack([key // many, key % many], axis=1).astype(np.int32), np.concatenate(counts).astype(np.int64)


def _portions(prepared: Populations, weights: Weights) -> Iterator[slice]:
    """As many populations at once as keep points, workers and the running sum of weights within bounds."""
    points = np.cumsum(weights.kept.per_tract[prepared.support_of])
    workers = np.cumsum(prepared.size)
    load = np.cumsum(weights.total.astype(np.float64))
    start = 0
    while start < prepared.populations:
        before = (points[start - 1], workers[start - 1], load[start - 1]) if start else (0, 0, 0.0)
        stop = min(
            int(np.searchsorted(points, before[0] + _POINTS, side="right")),
            int(np.searchsorted(workers, before[1] + _WORKERS, side="right")),
            int(np.searchsorted(load, before[2] + LARGEST_TOTAL, side="right")),
            start + _POPULATIONS,
            prepared.populations,
        )
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop

"""Rankings over a grid: Spearman's correlation of noisy counts with today's counts, by stratum, mean over trials.

Rankings have no closed form, so they are drawn; the same standard draws serve every point (`shared_draws`). Published
counts are integers, which are ranked by counting instead of sorting where their range allows it.
Source: Haney et al. (2017), section 10, rankings 1 and 2, Figures 4 and 7.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.progress import Context
from workbench.products.employment_tables.mechanisms.error_law import Noise
from workbench.products.employment_tables.usefulness.contenders import Point
from workbench.products.employment_tables.usefulness.evaluation import Ground
from workbench.products.employment_tables.usefulness.noise_laws import noise_of
from workbench.products.employment_tables.usefulness.ranks import average_ranks
from workbench.utility.streams import stream

_MOST_BINS = 1 << 22


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRanking:
    """Spearman's correlation with today at one point, over all cells and per stratum."""

    point: Point
    total: float
    by_stratum: tuple[float, ...]

    def of(self, stratum: int | None) -> float:
        return self.total if stratum is None else self.by_stratum[stratum]


def counted_ranks(values: Floats) -> Floats:
    """Average ranks of whole numbers; by counting where that is cheap, the same ranks as by sorting."""
    low, high = float(values.min()), float(values.max())
    if high - low >= _MOST_BINS:
        return average_ranks(values)
    shifted = (values - low).astype(np.int64)
    size = np.bincount(shifted)
    last = np.cumsum(size)
    ranks: Floats = ((2 * last - size + 1) / 2.0)[shifted]
    return ranks


class _Reference:
    """Today's ranks among a set of cells, centred, so that a draw costs one ranking and one product."""

    def __init__(self, values: Floats, members: NDArray[np.intp]) -> None:
        self.members = members
        ranks = average_ranks(values[members]) if len(members) else np.zeros(0)
        self.centred = ranks - ranks.mean() if len(members) else ranks
        self.size = math.sqrt(float(self.centred @ self.centred))

    def correlation(self, noisy: Floats) -> float:
        if self.size == 0.0:
            return math.nan
        ranks = counted_ranks(noisy[self.members])
        ranks -= ranks.mean()
        size = math.sqrt(float(ranks @ ranks)) * self.size
        return float(ranks @ self.centred) / size if size > 0 else math.nan


def ranked(
    ground: Ground, points: Sequence[Point], *, trials: int, seed: int, context: Context
) -> tuple[PointRanking, ...]:
    """The mean correlation at every feasible point; not a number elsewhere."""
    cells = ground.workload.cells
    counts = cells.count.reveal().astype(np.float64)
    references = _references(ground)
    known = {
        position: noise
        for position, point in enumerate(points)
        if point.feasible
        and (noise := noise_of(point.contender.mechanism, point.params, cells.domain.worker_combinations)) is not None
    }
    drivers = {noise.driver: noise.driver.of(cells).astype(np.float64) for noise in known.values()}
    rng = stream(seed, "grid-rankings").generator
    found = np.full((trials, len(points), len(references)), math.nan)
    for trial in range(trials):
        uniforms = rng.random(len(counts))
        draws: dict[int, Floats] = {}
        for number, (position, noise) in enumerate(known.items()):
            done = (trial + number / len(known)) / trials
            context.step(done, f"ranking, trial {trial + 1} of {trials}")
            noisy = counts + noise.errors(drivers[noise.driver], _signed(draws, noise, uniforms))
            found[trial, position] = [reference.correlation(noisy) for reference in references]
    means = found.mean(axis=0)
    return tuple(
        PointRanking(point=point, total=float(row[0]), by_stratum=tuple(row[1:].tolist()))
        for point, row in zip(points, means, strict=True)
    )


def _references(ground: Ground) -> list[_Reference]:
    today = ground.workload.baseline.reveal()
    members = ground.strata.member
    listed = [np.flatnonzero(ground.published)]
    listed += [np.flatnonzero(ground.published & (members == number)) for number in range(len(ground.strata.names))]
    return [_Reference(today, rows) for rows in listed]


def _signed(draws: dict[int, Floats], noise: Noise, uniforms: Floats) -> Floats:
    """Standard draws of this law from the trial's uniforms, made once a trial."""
    if id(noise.standard) not in draws:
        upper = uniforms < 0.5
        size = noise.standard.quantile(1.0 - 2.0 * np.where(upper, uniforms, uniforms - 0.5))
        draws[id(noise.standard)] = np.where(upper, size, -size)
    return draws[id(noise.standard)]

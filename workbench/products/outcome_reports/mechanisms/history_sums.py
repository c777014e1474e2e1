"""History noise on the sums of a block: which law, how many units, and what a person adds.

In each year a person is in one cell of the block and adds L units there: a to U and L − a to V, or L = 1 to the count.
U of a cell is Σy on a grid of B/L, rounded once for the whole cell, and V is what is left of L times its count. One
person more moves U by 0 … L and V by the rest, so that a year changes by exactly L, whatever is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context, Part
from workbench.core.randomness import UniformWords
from workbench.noise.declared.history import HistoryBlocks
from workbench.noise.history_moments import covariance
from workbench.noise.history_norm import HistoryNorm
from workbench.products.outcome_reports.outcomes import Outcomes

_MOST_UNITS = 20
_RADIUS = 300  # of the noise, in units: tables of this size are quick
_CHUNK = 4096


@dataclass(frozen=True)
class BlockLaw:
    """The noise of one block: `units` L for one person-year, `each` coordinates in a cell (2 with earnings)."""

    epsilon: Fraction
    years: int
    places: int
    each: int

    @property
    def coordinates(self) -> int:
        return self.places * self.each

    @property
    def units(self) -> int:
        """L, from the plan alone: fine enough beside the noise, coarse enough for the sampler's tables."""
        if self.each == 1:
            return 1
        return min(max(int(_RADIUS * self.epsilon / (self.years * self.coordinates)), 1), _MOST_UNITS)

    @property
    def law(self) -> HistoryNorm:
        return _law(self.epsilon / self.units, self.years, self.coordinates)

    @property
    def spent(self) -> Fraction:
        """The largest change of ε‖z‖/L by one history."""
        return self.law.rate * self.units

    @property
    def moments(self) -> tuple[float, float, float]:
        """Var of one coordinate, Cov of two in a year, Var of a cell's count; in units of L."""
        return _moments(self.law, self.each)

    def sum_sd(self, coordinates: int) -> float:
        """Of the sum of so many coordinates of one year."""
        variance, shared, _ = self.moments
        return float(np.sqrt(coordinates * variance + coordinates * (coordinates - 1) * shared)) / self.units

    def count_sd(self) -> float:
        return float(np.sqrt(self.moments[2])) / self.units


@lru_cache(maxsize=64)
def _law(rate: Fraction, years: int, coordinates: int) -> HistoryNorm:
    """Its tables are worked out once."""
    return HistoryNorm(rate, years, coordinates)


@lru_cache(maxsize=64)
def _moments(law: HistoryNorm, each: int) -> tuple[float, float, float]:
    variance, shared = law.variance(), covariance(law)
    return variance, shared, each * variance + each * (each - 1) * shared


def block_law(prepared: Outcomes, epsilon: Fraction, *, each: int) -> BlockLaw:
    return BlockLaw(epsilon=epsilon, years=prepared.layout.years, places=prepared.layout.places, each=each)


def declared_blocks(exact: Integers, law: BlockLaw) -> HistoryBlocks:
    """The law that the values of blocks are declared to have, place by place and year by year."""
    rate = float(law.epsilon / law.units)
    return HistoryBlocks(exact, rate, law.years, law.places, law.coordinates // law.places)


def cell_units(count: Integers, total: Integers, *, cap: int, units: int) -> tuple[Integers, Integers]:
    """U and V of each cell: one is rounded, the other is what is left."""
    earned = (2 * total * units + cap) // (2 * cap)
    return earned, count * units - earned


def noise_for(prepared: Outcomes, law: BlockLaw, rng: UniformWords, context: Context) -> Integers:
    """Rows × coordinates of a cell."""
    layout = prepared.layout
    blocks = layout.blocks * (layout.years // law.years)  # years may be blocks of their own
    noise = noise_of_blocks(law, blocks, layout.places, rng, context)
    return noise.reshape(-1, law.each)  # noise of a single year is independent, so that any order of years will do


def noise_of_blocks(law: BlockLaw, blocks: int, places: int, rng: UniformWords, context: Context) -> Integers:
    """Blocks × places × years × coordinates of a cell, a few thousand blocks at a time."""
    made = np.empty((blocks, law.years, places, law.coordinates // places), dtype=np.int64)
    context.step(0.0, "preparing noise for whole histories")
    for start in range(0, blocks, _CHUNK):
        end = min(start + _CHUNK, blocks)
        within = Part(context, start / blocks, end / blocks)
        made[start:end] = law.law.draw(end - start, rng, within).reshape(end - start, *made.shape[1:])
    return np.ascontiguousarray(made.transpose(0, 2, 1, 3))


def count_and_mean(earned: Integers, missing: Integers, *, cap: int, law: BlockLaw) -> tuple[Floats, Floats, Floats]:
    """Count, mean and sd of the mean's noise to first order; no mean where the noisy count is not positive."""
    from workbench.products.outcome_reports.complementary_sums import count_and_mean as of_sums

    scaled, mean = of_sums(earned.astype(np.float64), missing.astype(np.float64), float(cap))
    count = scaled * cap / law.units
    variance, shared, _ = law.moments
    p = mean / cap
    spread = ((1.0 - p) ** 2 + p**2) * variance - 2.0 * p * (1.0 - p) * shared
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = np.where(count > 0.0, cap * np.sqrt(np.maximum(spread, 0.0)) / (count * law.units), np.nan)
    return count, mean, sd

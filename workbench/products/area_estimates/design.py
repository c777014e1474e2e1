"""Smoothed moments of x in every cell, from noisy sums: a prior from the pool, so that small cells can be solved.

n is the noisy count cut off at zero in expectation; the mean of x is pulled towards the pool's by its noise; the second
moment towards n·f(u), f = κu(1 − u) + (u − ½)² − ⅛, with κ and the deviation around it fitted over the pool. One
Gauss-Newton step then fits (n, D, X) of a cell jointly, D = Σx − x̄n: its noisy count and sum go together, and the
moment tells about both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.arrays import Floats

if TYPE_CHECKING:
    from workbench.products.area_estimates.direct import NoisyTable

_FEW_CELLS = 30  # listed cells, so that the rule depends on the plan alone
_FIXED_DEVIATION = (0.015**2, 0.005)
_LEAST_KAPPA, _MOST_KAPPA = 0.03, 0.9
_FLOOR = 0.3
_LEAST_SIZE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """n, mean of x, Σx and Σx² of every cell, smoothed; the smoothed moment of x and its variance."""

    size: Floats
    x_mean: Floats
    x_sum: Floats
    x_squares: Floats
    x_moment: Floats
    moment_variance: Floats
    moment_slopes: Floats  # cells × 2: how the smoothed moment moves with the counts at low and high x

    def matrix(self) -> Floats:
        """W = Σφφᵀ, φ = (1 − x, x)."""
        off = self.x_sum - self.x_squares
        low = self.size - 2.0 * self.x_sum + self.x_squares
        rows: Floats = np.stack([np.stack([low, off], axis=1), np.stack([off, self.x_squares], axis=1)], axis=1)
        return rows


def truncated_mean(value: Floats, spread: float) -> Floats:
    """E of a count given its noisy value and that it is not negative: v + sd·φ(z)/Φ(z), z = v/sd."""
    from scipy.special import log_ndtr

    z = value / spread
    mean: Floats = value + spread * np.exp(-0.5 * z * z - 0.5 * math.log(2.0 * math.pi) - log_ndtr(z))
    return mean


def design_of(table: NoisyTable) -> Design:
    """Smoothed moments of every cell."""
    start = _start(table)
    kappa, deviation = _second_moments(table, start.size, start.x_mean)
    own = kappa[table.pool]
    joint = joint_step(table, start, own, deviation)
    size = np.maximum(joint[:, 0], _LEAST_SIZE)
    x_mean = np.clip(start.pool_mean + joint[:, 1] / size, 0.01, 0.99)
    expected = start.size * _moment_at(own, start.x_mean)
    share = deviation / (deviation + table.x_variance)
    moment = expected + share * (table.x_moment - expected)
    x_sum = x_mean * size
    least = x_sum * x_sum / size + _FLOOR * own * x_mean * (1.0 - x_mean) * size
    squares = np.clip(joint[:, 2] + x_sum - size / 8.0, least, np.maximum(x_sum, least))
    return Design(
        size=size,
        x_mean=x_mean,
        x_sum=x_sum,
        x_squares=squares,
        x_moment=moment,
        moment_variance=deviation * table.x_variance / (deviation + table.x_variance),
        moment_slopes=(1.0 - share)[:, None] * _expected_slopes(table, start, own),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where the joint step starts: each quantity smoothed by itself, with the prior variance of D."""

    size: Floats
    x_mean: Floats
    pool_mean: Floats
    deviation: Floats
    prior: Floats


def _start(table: NoisyTable) -> Start:
    noisy = table.sums.sum(axis=1)
    high = table.sums[:, 2] + table.sums[:, 3]
    size = np.maximum(truncated_mean(noisy, math.sqrt(4.0 * table.sums_variance)), _LEAST_SIZE)
    pool_size = np.maximum(table.by_pool(noisy), 1.0)
    mean = np.clip(table.by_pool(high) / pool_size, 0.02, 0.98)
    deviation, prior = _shrunk_deviation(table, noisy, high, size, mean)
    own_mean = mean[table.pool]
    x_mean = np.clip(own_mean + deviation / size, 0.01, 0.99)
    return Start(size=size, x_mean=x_mean, pool_mean=own_mean, deviation=(x_mean - own_mean) * size, prior=prior)


def _expected_slopes(table: NoisyTable, start: Start, kappa: Floats) -> Floats:
    """Derivatives of n·f(u) by the two partial counts, D pulled by its noise."""
    mean = start.pool_mean
    noise = 2.0 * table.sums_variance * (mean**2 + (1.0 - mean) ** 2)
    pulled = start.prior / (start.prior + noise)
    by_size, by_deviation = _moment_slopes(start, kappa)
    slopes: Floats = np.stack(
        [by_size - by_deviation * pulled * mean, by_size + by_deviation * pulled * (1.0 - mean)], axis=1
    )
    return slopes


def _moment_slopes(start: Start, kappa: Floats) -> tuple[Floats, Floats]:
    """Derivatives of n·f(x̄ + D/n) by n and by D, where the step starts."""
    u = start.x_mean
    tilt = kappa * (1.0 - 2.0 * u) + 2.0 * (u - 0.5)
    return _moment_at(kappa, u) - tilt * start.deviation / start.size, tilt


def joint_step(table: NoisyTable, start: Start, kappa: Floats, spread: Floats) -> Floats:
    """n, D and X of every cell, cells × 3: the least of the sum of squares

        (N − n, H − D)Σ⁻¹(N − n, H − D)ᵀ + D²/p + (X − n·f(x̄ + D/n))²/q + (X̃ − X)²/v_X

    linearised at the start. N and H = n_H − x̄N have noise Σ = 2v₁[[2, 1 − 2x̄], [1 − 2x̄, x̄² + (1 − x̄)²]]. The count
    enters as its truncated mean, so that it stays positive.
    """
    cells, mean = len(start.size), start.pool_mean
    noise = 2.0 * table.sums_variance
    covariance = np.empty((cells, 2, 2))
    covariance[:, 0, 0] = 2.0 * noise
    covariance[:, 0, 1] = covariance[:, 1, 0] = noise * (1.0 - 2.0 * mean)
    covariance[:, 1, 1] = noise * (mean**2 + (1.0 - mean) ** 2)
    precision = np.zeros((cells, 3, 3))
    precision[:, :2, :2] = np.linalg.inv(covariance)
    noisy, high = table.sums.sum(axis=1), table.sums[:, 2] + table.sums[:, 3]
    seen = np.stack([start.size, high - mean * noisy, np.zeros(cells)], axis=1)
    right = np.einsum("cij,cj->ci", precision, seen)
    precision[:, 1, 1] += 1.0 / start.prior
    precision[:, 2, 2] += 1.0 / table.x_variance
    right[:, 2] += table.x_moment / table.x_variance
    # X − n·f(u) ≈ X − (slope_n·n + slope_D·D + rest)
    slope_n, tilt = _moment_slopes(start, kappa)
    rest = start.size * _moment_at(kappa, start.x_mean) - slope_n * start.size - tilt * start.deviation
    across = np.stack([-slope_n, -tilt, np.ones(cells)], axis=1) / np.sqrt(spread)[:, None]
    precision += across[:, :, None] * across[:, None, :]
    right += across * (rest / np.sqrt(spread))[:, None]
    found: Floats = np.linalg.solve(precision, right[:, :, None])[:, :, 0]
    return found


def _shrunk_deviation(
    table: NoisyTable, noisy: Floats, high: Floats, size: Floats, mean: Floats
) -> tuple[Floats, Floats]:
    """D = Σx − x̄n of every cell, pulled towards zero by its noise, and its prior variance."""
    own = mean[table.pool]
    deviation = high - own * noisy
    noise = 2.0 * table.sums_variance * (own**2 + (1.0 - own) ** 2)
    spread = _spread(table, noisy, mean)
    within = size * spread[table.pool]
    pairs = np.maximum(table.by_pool(size * size - size), 1.0)
    between = np.clip(table.by_pool(deviation**2 - noise - within) / pairs, 0.0, 0.5 * spread)
    prior = size * size * between[table.pool] + size * (spread - between)[table.pool]
    return deviation * prior / (prior + noise), np.maximum(prior, 1e-9)


def _spread(table: NoisyTable, noisy: Floats, mean: Floats) -> Floats:
    """Variance of x in each pool."""
    size = np.maximum(table.by_pool(noisy), 1.0)
    second = table.by_pool(table.x_moment) / size + mean - 0.125
    spread: Floats = np.clip(second - mean**2, 0.005, 0.25)
    return spread


def _moment_at(kappa: Floats, mean: Floats) -> Floats:
    expected: Floats = kappa * mean * (1.0 - mean) + (mean - 0.5) ** 2 - 0.125
    return expected


def _second_moments(table: NoisyTable, size: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """κ of each pool and, for every cell, the variance of its moment around n·f(u)."""
    large, small = _FIXED_DEVIATION
    weight = 1.0 / (table.x_variance + large * size**2 + small * size)
    base, slope = size * _moment_at(np.zeros_like(mean), mean), size * mean * (1.0 - mean)
    fitted = table.by_pool(weight * slope * (table.x_moment - base))
    kappa = np.clip(fitted / np.maximum(table.by_pool(weight * slope**2), 1e-9), _LEAST_KAPPA, _MOST_KAPPA)
    left = (table.x_moment - base - kappa[table.pool] * slope) ** 2 - table.x_variance
    return kappa, _deviations(table, size, left, weight)


def _deviations(table: NoisyTable, size: Floats, left: Floats, weight: Floats) -> Floats:
    """c₂n² + c₁n with non-negative coefficients fitted in each pool of many cells, fixed ones in the others."""
    cells = np.bincount(table.pool, minlength=table.pools)
    precision = weight**2  # squares have about twice their squared mean as variance
    a = table.by_pool(precision * size**4)
    b = table.by_pool(precision * size**3)
    c = table.by_pool(precision * size**2)
    p, q = table.by_pool(precision * size**2 * left), table.by_pool(precision * size * left)
    determinant = np.maximum(a * c - b * b, 1e-12 * np.maximum(a * c, 1e-300))
    both = np.stack([(p * c - q * b) / determinant, (a * q - b * p) / determinant], axis=1)
    only_large = np.stack([np.maximum(p / np.maximum(a, 1e-300), 0.0), np.zeros_like(p)], axis=1)
    only_small = np.stack([np.zeros_like(p), np.maximum(q / np.maximum(c, 1e-300), 0.0)], axis=1)
    sound = (both[:, 0] >= 0.0) & (both[:, 1] >= 0.0)
    chosen = np.where(sound[:, None], both, np.where(both[:, :1] < 0.0, only_small, only_large))
    chosen = np.where((cells < _FEW_CELLS)[:, None], np.array(_FIXED_DEVIATION), chosen)
    own = chosen[table.pool]
    variance: Floats = np.maximum(own[:, 0] * size**2 + own[:, 1] * size, 1e-9)
    return variance

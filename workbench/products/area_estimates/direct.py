"""From noisy fractional sums to direct estimates of every cell, with their covariance: post-processing only.

Everything here is a function of the plan and of drawn values. A line (a, b) for each pool, a residual variance, and
smoothed moments of the design (n, Σx, Σx²) stabilise small cells; the estimate itself stays the cell's own: as ε grows
it becomes the least-squares value. Around the pool's line the score of cell c is

    s = Z − J·(N, n_H, Sxx),  J = [[a − ½, b − (a − ½), −b], [0, a − ½, b]],  Z_j = Σφ_j(y − ½), φ = (1 − x, x),

θ = θ⁰ + Q⁻¹s with Q = W·[[1.5, −.5], [−.5, 1.5]], W = [[n − 2Sx + Sxx, Sx − Sxx], [Sx − Sxx, Sxx]]. The covariance of s
is s²W for sampling, and for privacy (v₁/2)I + 2v₁J_nJ_nᵀ + v_sJ_XJ_Xᵀ + (.06)²·2v₁I. Where people have weights, s²W is
multiplied by Σw²/Σw, which the plan declares.
The constants (300 pseudo-persons, .06, .3, the clips) were chosen on simulated data; no guarantee depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.area_estimates.design import Design, design_of
from workbench.products.area_estimates.raw_decode import WEIGHTS

_PSEUDO = 300.0
_LEAST_SPREAD, _MOST_SPREAD = 0.003, 0.25
_LOCAL_DEVIATION = 0.06
_TO_SUMS = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [-0.125, 0.875, 1.0]])


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyTable:
    """Drawn values in real units: sums (cells × 4), moment of x (cells), moment of y (pools)."""

    sums: Floats
    x_moment: Floats
    y_moment: Floats
    pool: Integers
    group: Integers
    sums_variance: float  # v₁, of each of the four sums
    x_variance: float  # v_X
    typical_weight: float = 1.0  # Σw²/Σw, declared

    @property
    def pools(self) -> int:
        return len(self.y_moment)

    def by_pool(self, values: Floats) -> Floats:
        """Sums over the cells of each pool."""
        total: Floats = np.bincount(self.pool, weights=values, minlength=self.pools).astype(np.float64)
        return total


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLines:
    """The line and residual variance of each pool."""

    intercept: Floats
    slope: Floats
    spread: Floats

    def at(self, rank: float) -> Floats:
        return self.intercept + rank * self.slope


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """Direct estimates at ranks .25 and .75, with what the model-based ones start from."""

    center: Floats  # cells × 2: the pool's line at both ranks
    estimate: Floats  # cells × 2
    score: Floats  # cells × 2
    slope: Floats  # Q, cells × 2 × 2
    score_variance: Floats  # V, cells × 2 × 2
    privacy_variance: Floats  # V_p, cells × 2 × 2
    count_slopes: Floats  # cells × 2 × 2: how the score falls with each of the two partial counts
    design: Design
    count: Floats  # N̂ of every cell, unbiased
    pool: Integers
    group: Integers

    def covariance(self) -> Floats:
        """Q⁻¹VQ⁻ᵀ: sampling and noise together."""
        return _sandwich(self.slope, self.score_variance)

    def privacy_covariance(self) -> Floats:
        """The part of it that the noise alone gives."""
        return _sandwich(self.slope, self.privacy_variance)


def at_rank(values: Floats, rank: float) -> Floats:
    """An estimate at any rank from those at .25 and .75."""
    found: Floats = values @ np.array([1.5 - 2.0 * rank, 2.0 * rank - 0.5])
    return found


def error_at(covariance: Floats, rank: float) -> Floats:
    """Standard error at any rank."""
    weight = np.array([1.5 - 2.0 * rank, 2.0 * rank - 0.5])
    error: Floats = np.sqrt(np.maximum(np.einsum("i,cij,j->c", weight, covariance, weight), 0.0))
    return error


def pool_lines(table: NoisyTable) -> PoolLines:
    """Least squares on the sums of each pool, with 300 pseudo-persons of the mean of all pools."""
    _, low_high, high_low, high_high = table.sums.T
    n, x = table.sums.sum(axis=1), high_low + high_high
    moments = np.stack(
        [table.by_pool(v) for v in (n, x, table.x_moment + x - n / 8.0, low_high + high_high, high_high)], axis=1
    )
    everywhere = moments.sum(axis=0)
    steady = moments + _PSEUDO * everywhere / max(float(everywhere[0]), 1.0)
    size, sx, sxx, sy, sxy = steady.T
    determinant = np.maximum(size * sxx - sx * sx, 1e-6 * np.maximum(size, 1.0) ** 2)
    slope = np.clip((size * sxy - sx * sy) / determinant, -2.0, 2.0)
    intercept = np.clip((sy - slope * sx) / np.maximum(size, 1.0), -1.0, 2.0)
    own = np.maximum(moments[:, 0], 1.0)
    squares = table.y_moment + moments[:, 3] - moments[:, 0] / 8.0
    spread = (squares - intercept * moments[:, 3] - slope * moments[:, 4]) / own
    return PoolLines(intercept=intercept, slope=slope, spread=np.clip(spread, _LEAST_SPREAD, _MOST_SPREAD))


def direct_estimates(table: NoisyTable) -> Direct:
    """Every cell's own estimate."""
    lines, design = pool_lines(table), design_of(table)
    a, b = lines.intercept[table.pool] - 0.5, lines.slope[table.pool]
    low_low, low_high, high_low, high_high = table.sums.T
    n_low, n_high = low_low + low_high, high_low + high_high
    count = n_low + n_high
    zero = np.zeros_like(a)
    tilt = np.stack([np.stack([a, b - a, -b], axis=1), np.stack([zero, a, b], axis=1)], axis=1)
    measured = np.stack([count, n_high, design.x_moment + n_high - count / 8.0], axis=1)
    outcome = np.stack([(low_high - low_low) / 2.0, (high_high - high_low) / 2.0], axis=1)
    score = outcome - np.einsum("cij,cj->ci", tilt, measured)
    matrix = design.matrix()
    slopes = tilt @ _TO_SUMS
    noise = _privacy_variance(slopes, design.moment_variance, table.sums_variance)
    slope = matrix @ WEIGHTS
    center = np.stack([lines.at(0.25), lines.at(0.75)], axis=1)[table.pool]
    return Direct(
        center=center,
        estimate=center + np.einsum("cij,cj->ci", inverse_of(slope), score),
        score=score,
        slope=slope,
        score_variance=(table.typical_weight * lines.spread)[table.pool][:, None, None] * matrix + noise,
        privacy_variance=noise,
        count_slopes=slopes[:, :, :2] + slopes[:, :, 2:] * design.moment_slopes[:, None, :],
        design=design,
        count=count,
        pool=table.pool,
        group=table.group,
    )


def _privacy_variance(slopes: Floats, moment_variance: Floats, sums_variance: float) -> Floats:
    counts, moment = slopes[:, :, :2], slopes[:, :, 2]
    own = sums_variance / 2.0 + _LOCAL_DEVIATION**2 * 2.0 * sums_variance
    variance: Floats = (
        own * np.eye(2)
        + 2.0 * sums_variance * counts @ counts.transpose(0, 2, 1)
        + moment_variance[:, None, None] * moment[:, :, None] * moment[:, None, :]
    )
    return variance


def _sandwich(slope: Floats, variance: Floats) -> Floats:
    inverse = inverse_of(slope)
    covariance: Floats = inverse @ variance @ inverse.transpose(0, 2, 1)
    return covariance


def inverse_of(matrices: Floats) -> Floats:
    """Of 2 × 2 matrices, written out: several times quicker than a general inverse of each."""
    a, b, c, d = (matrices[:, row, column] for row in (0, 1) for column in (0, 1))
    turned = np.stack([np.stack([d, -b], axis=1), np.stack([-c, a], axis=1)], axis=1)
    inverse: Floats = turned / (a * d - b * c)[:, None, None]
    return inverse

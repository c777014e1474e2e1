"""From a noisy table to everything that is published of one outcome: post-processing of drawn values only.

Takes no prepared data, so that nothing after the draw can depend on a row.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.progress import Context, Part
from workbench.products.area_estimates.columns import Estimates
from workbench.products.area_estimates.direct import Direct, NoisyTable, at_rank, direct_estimates, error_at
from workbench.products.area_estimates.model_based import model_based

_SLOPE = np.array([-2.0, 2.0])  # from the estimates at .25 and .75


def decoded(table: NoisyTable, ranks: tuple[float, ...], context: Context) -> Estimates:
    """Direct and model-based estimates at every rank, slope, mean, count, all with their errors."""
    context.step(0.0, "working out direct estimates")
    direct = direct_estimates(table)
    context.step(0.3, "working out model-based estimates")
    model = model_based(direct, Part(context, 0.3, 0.9))
    context.step(0.9, "working out margins of error")
    covariance = direct.covariance()
    with_count = count_covariance(direct, table.sums_variance)
    own = direct.design.x_mean
    found = Estimates(
        at=_over(direct.estimate, ranks),
        error=np.stack([error_at(covariance, rank) for rank in ranks], axis=1),
        model=_over(model.estimate, ranks),
        model_error=np.stack([error_at(model.covariance, rank) for rank in ranks], axis=1),
        with_count=_over(with_count, ranks),
        slope=direct.estimate @ _SLOPE,
        slope_error=np.sqrt(np.maximum(np.einsum("i,cij,j->c", _SLOPE, covariance, _SLOPE), 0.0)),
        mean=_at_own(direct.estimate, own),
        mean_error=_error_at_own(covariance, own),
        count=direct.count,
        count_error=np.full(len(direct.count), math.sqrt(4.0 * table.sums_variance)),
    )
    context.step(1.0, "estimates ready")
    return found


def count_covariance(direct: Direct, sums_variance: float) -> Floats:
    """Covariance of (θ25, θ75) with the count by the noise of the four sums: Q⁻¹ times that of the score.

    The count adds up all four sums, each of variance v₁. The score's slopes in the two partial counts are
    `direct.count_slopes`, the way through the smoothed moment included; each partial count is the sum of two sums, so
    that its covariance with the count is 2v₁; Z is uncorrelated with both.
    """
    score = 2.0 * sums_variance * direct.count_slopes.sum(axis=2)
    found: Floats = -np.linalg.solve(direct.slope, score[:, :, None])[:, :, 0]
    return found


def _over(values: Floats, ranks: tuple[float, ...]) -> Floats:
    return np.stack([at_rank(values, rank) for rank in ranks], axis=1)


def _weights(rank: Floats) -> Floats:
    return np.stack([1.5 - 2.0 * rank, 2.0 * rank - 0.5], axis=1)


def _at_own(values: Floats, rank: Floats) -> Floats:
    found: Floats = (values * _weights(rank)).sum(axis=1)
    return found


def _error_at_own(covariance: Floats, rank: Floats) -> Floats:
    weight = _weights(rank)
    error: Floats = np.sqrt(np.maximum(np.einsum("ci,cij,cj->c", weight, covariance, weight), 0.0))
    return error

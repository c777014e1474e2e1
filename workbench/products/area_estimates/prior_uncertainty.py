"""What is not known of the prior mean of a model-based estimate: its pool's line and the coefficients are estimates.

The prior mean of cell c is θ⁰ of its pool plus Z_c·B. With P_c = κT, A_c = (P_c + V_c)⁻¹ and sizes n_c its covariance
is U_c = Σ n²(P + V)/(Σn)² over the pool, for a line that weighs cells by size, plus Z_c·Cov(B)·Z_cᵀ with
Cov(B) = (Σ ZᵀZ ⊗ A)⁻¹. It reaches the estimate as far as the cell is pulled: (I − G)U(I − G)ᵀ, I − G = V·A. Without it
margins are too small where a release has few cells. The uncertainty of T itself is left out.
Source: Prasad and Rao (1990), the second term of their mean squared error.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.area_estimates.symmetric import Symmetric, product

_STEADY = 1e-12


def added_covariance(
    prior: Symmetric, variance: Symmetric, predictors: Floats, *, size: Floats, pool: Integers
) -> Symmetric:
    """(I − G)U(I − G)ᵀ of every cell."""
    total = prior + variance
    precision = total.inverse()
    unknown = _of_lines(total, size, pool) + _of_coefficients(precision, predictors)
    return unknown.seen_through(product(variance, precision))


def _of_lines(total: Symmetric, size: Floats, pool: Integers) -> Symmetric:
    """Each cell's own line and noise enter its pool's with the square of its share of people."""
    share = size / np.bincount(pool, weights=size)[pool]
    weighted = total.times(share * share)

    def added(entry: Floats) -> Floats:
        total: Floats = np.bincount(pool, weights=entry).astype(np.float64)
        return total[pool]

    return Symmetric(added(weighted.first), added(weighted.across), added(weighted.second))


def _of_coefficients(precision: Symmetric, predictors: Floats) -> Symmetric:
    """Z·Cov(B)·Zᵀ, by generalised least squares of both ranks together."""
    many = predictors.shape[1]
    low, across, high = (
        (predictors * entry[:, None]).T @ predictors for entry in (precision.first, precision.across, precision.second)
    )
    information = np.block([[low, across], [across.T, high]])
    covariance = np.linalg.inv(information + _STEADY * np.trace(information) * np.eye(2 * many))
    return Symmetric(
        *(
            ((predictors @ part) * predictors).sum(axis=1)
            for part in (covariance[:many, :many], covariance[:many, many:], covariance[many:, many:])
        )
    )

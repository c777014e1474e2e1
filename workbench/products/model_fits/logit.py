"""Logistic regression on rows or on counts by level, with negative noisy counts kept.

The score equation of counts is Σ_k x_k·(c₁ₖ − (c₁ₖ + c₀ₖ)·p_k) = 0. It is linear in the counts, so noise of mean zero
keeps it unbiased and negative counts are not cut; only the weights of Newton's steps are floored at zero.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats

_STEPS = 100
_CLOSE = 1e-12
_LARGEST_STEP = 2.0  # in log odds, so that a nearly separated table walks out instead of leaping
_RIDGE = 1e-13


def probability(predictors: Floats, beta: Floats) -> Floats:
    """P(y = 1) of each row."""
    # Column by column, so that a row's value does not depend on its place or on how many others there are.
    odds = predictors[:, 0] * beta[0]
    for place in range(1, len(beta)):
        odds = odds + predictors[:, place] * beta[place]
    odds = np.clip(odds, -700.0, 700.0)
    p: Floats = 1.0 / (1.0 + np.exp(-odds))
    return p


def fit_counts(levels: Floats, ones: Floats, zeros: Floats) -> Floats:
    """The coefficients that solve the score equation; `levels` are levels × predictors, the intercept among them."""
    beta = np.zeros(levels.shape[1])
    total = ones + zeros
    for _ in range(_STEPS):
        p = probability(levels, beta)
        score = levels.T @ (ones - total * p)
        step = np.linalg.solve(_ridged(information(levels, total, p)), score)
        beta = beta + step * min(1.0, _LARGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < _CLOSE:
            break
    return beta


def information(levels: Floats, total: Floats, p: Floats) -> Floats:
    """H = Σ max(n_k, 0)·p(1 − p)·x xᵀ."""
    weight = np.maximum(total, 0.0) * p * (1.0 - p)
    matrix: Floats = (levels * weight[:, None]).T @ levels
    return matrix


def _ridged(matrix: Floats) -> Floats:
    """A matrix that can be solved even where every weight is zero."""
    ridged: Floats = matrix + np.eye(len(matrix)) * (_RIDGE * (1.0 + float(np.trace(matrix))))
    return ridged


def noise_information(levels: Floats, p: Floats, variance: float) -> Floats:
    """J = Σ x xᵀ·((1 − p)² + p²)·v: what independent noise of variance v on every count adds to the score."""
    weight = ((1.0 - p) ** 2 + p**2) * variance
    matrix: Floats = (levels * weight[:, None]).T @ levels
    return matrix


def covariances(levels: Floats, total: Floats, beta: Floats, variance: float) -> tuple[Floats, Floats]:
    """H⁻¹ for sampling and H⁻¹JH⁻¹ for the noise; their sum is the covariance of the published coefficients."""
    p = probability(levels, beta)
    inverse: Floats = np.linalg.inv(_ridged(information(levels, total, p))).astype(np.float64)
    privacy: Floats = inverse @ noise_information(levels, p, variance) @ inverse
    return inverse, privacy

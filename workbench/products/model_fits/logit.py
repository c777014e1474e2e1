"""Logistic regression on rows or on counts by level, with negative noisy counts kept.

The score equation of counts is Σ_k x_k·(c₁ₖ − (c₁ₖ + c₀ₖ)·p_k) = 0. It is linear in the counts, so noise of mean zero
keeps it unbiased and negative counts are not cut; only the weights of Newton's steps are floored at zero. Leading axes
are independent fits of the same levels.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats

_STEPS = 100
_CLOSE = 1e-12
_LARGEST_STEP = 2.0  # in log odds, so that a nearly separated table walks out instead of leaping
_RIDGE = 1e-13
_LARGEST_ODDS = 700.0  # log odds beyond which e^x leaves the floats


def probability(predictors: Floats, beta: Floats) -> Floats:
    """P(y = 1) of each row, for each leading axis of β."""
    # Column by column, so that a row's value does not depend on its place or on how many others there are.
    odds = predictors[:, 0] * beta[..., :1]
    for place in range(1, beta.shape[-1]):
        odds = odds + predictors[:, place] * beta[..., place : place + 1]
    return _logistic(odds)


def probability_by_row(predictors: Floats, beta: Floats) -> Floats:
    """P(y = 1) where each row has a β of its own; to the last bit what `probability` gives."""
    odds = predictors[:, 0] * beta[:, 0]
    for place in range(1, beta.shape[1]):
        odds = odds + predictors[:, place] * beta[:, place]
    return _logistic(odds)


def _logistic(odds: Floats) -> Floats:
    p: Floats = 1.0 / (1.0 + np.exp(-np.clip(odds, -_LARGEST_ODDS, _LARGEST_ODDS)))
    return p


def fit_counts(levels: Floats, ones: Floats, zeros: Floats) -> Floats:
    """The coefficients that solve the score equation; `levels` are levels × predictors, the intercept among them."""
    shape = (*ones.shape[:-1], levels.shape[1])
    ones, total = np.atleast_2d(ones), np.atleast_2d(ones + zeros)
    beta = np.zeros((len(ones), levels.shape[1]))
    walking = np.arange(len(ones))
    for _ in range(_STEPS):
        p = probability(levels, beta[walking])
        score = (ones[walking] - total[walking] * p) @ levels
        step = solved(_ridged(information(levels, total[walking], p)), score)
        beta[walking] += shortened(step, _LARGEST_STEP)
        walking = walking[np.abs(step).max(axis=-1) >= _CLOSE]
        if not len(walking):
            break
    return beta.reshape(shape)


def solved(matrix: Floats, vector: Floats) -> Floats:
    """M⁻¹v for each leading axis."""
    solution: Floats = np.linalg.solve(matrix, vector[..., None])[..., 0].astype(np.float64, copy=False)
    return solution


def shortened(step: Floats, largest: float) -> Floats:
    """The step, or in its direction one whose largest entry is `largest`."""
    longest = np.abs(step).max(axis=-1, keepdims=True)
    walked: Floats = step * np.minimum(1.0, largest / np.maximum(longest, 1e-300))
    return walked


def information(levels: Floats, total: Floats, p: Floats) -> Floats:
    """H = Σ max(n_k, 0)·p(1 − p)·x xᵀ."""
    return _weighted(levels, np.maximum(total, 0.0) * p * (1.0 - p))


def _weighted(levels: Floats, weight: Floats) -> Floats:
    matrix: Floats = (levels.T * weight[..., None, :]) @ levels
    return matrix


def _ridged(matrix: Floats) -> Floats:
    """A matrix that can be solved even where every weight is zero."""
    size = 1.0 + np.trace(matrix, axis1=-2, axis2=-1)
    ridged: Floats = matrix + np.eye(matrix.shape[-1]) * (_RIDGE * np.asarray(size)[..., None, None])
    return ridged


def noise_information(levels: Floats, p: Floats, variance: float) -> Floats:
    """J = Σ x xᵀ·((1 − p)² + p²)·v: what independent noise of variance v on every count adds to the score."""
    return _weighted(levels, ((1.0 - p) ** 2 + p**2) * variance)


def covariances(levels: Floats, total: Floats, beta: Floats, variance: float) -> tuple[Floats, Floats]:
    """H⁻¹ for sampling and H⁻¹JH⁻¹ for the noise; their sum is the covariance of the published coefficients."""
    p = probability(levels, beta)
    inverse: Floats = np.linalg.inv(_ridged(information(levels, total, p))).astype(np.float64)
    privacy: Floats = inverse @ noise_information(levels, p, variance) @ inverse
    return inverse, privacy


def log_loss(design: Floats, outcome: Floats, beta: Floats) -> Floats:
    """The mean of −ln P(y) over the rows, for each leading axis of β."""
    odds = np.clip(beta @ design.T, -_LARGEST_ODDS, _LARGEST_ODDS)
    mean: Floats = np.mean(np.logaddexp(0.0, odds) - outcome * odds, axis=-1)
    return mean

"""Model-based estimates: direct scores pulled towards what size and mean of x predict, over all cells of the release.

Model: θ − θ⁰ ~ N(Z·B, κ_c·T) with Z = (1, log n, u) centred, T a 2 × 2 matrix, κ_c one scale for each class of size;
score s = Q(θ − θ⁰) + e, e ~ N(0, V). B, T and κ by expectation and maximisation with a weak pull of T towards (.02)²;
the posterior is in closed form. They borrow strength from other cells and are not unbiased for a single one.
Source: Chen (2023) for letting precision predict the parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET, Context
from workbench.products.area_estimates.direct import Direct

_CLASSES = (25.0, 50.0, 100.0, 200.0, 400.0)
_ROUNDS = 60
_PULL, _PULL_CELLS = 0.02**2, 4.0
_CLOSE = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBased:
    """Estimates at ranks .25 and .75 and their posterior covariance, cells × 2 and cells × 2 × 2."""

    estimate: Floats
    covariance: Floats


def posterior(score: Floats, slope: Floats, variance: Floats, prior: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of θ − θ⁰ given the score: (T⁻¹ + QᵀV⁻¹Q)⁻¹, in the form that needs no T⁻¹."""
    outer = slope @ prior @ slope.transpose(0, 2, 1) + variance
    gain = prior @ slope.transpose(0, 2, 1) @ np.linalg.inv(outer)
    surprise = score - np.einsum("cij,cj->ci", slope, mean)
    found = mean + np.einsum("cij,cj->ci", gain, surprise)
    covariance: Floats = prior - gain @ slope @ prior
    return found, 0.5 * (covariance + covariance.transpose(0, 2, 1))


def model_based(direct: Direct, context: Context = QUIET) -> ModelBased:
    """Fit the model to all cells at once and read off every cell's posterior."""
    predictors = _predictors(direct)
    classes = np.searchsorted(np.array(_CLASSES), direct.design.size)
    matrix, scale = np.eye(2) * 0.05**2, np.ones(len(_CLASSES) + 1)
    coefficients = np.zeros((predictors.shape[1], 2))
    found, spread = np.zeros_like(direct.score), np.zeros_like(direct.score_variance)
    for round_ in range(_ROUNDS):
        context.step(round_ / _ROUNDS, "fitting the model over all cells")
        prior = scale[classes][:, None, None] * matrix
        mean = predictors @ coefficients
        found, spread = posterior(direct.score, direct.slope, direct.score_variance, prior, mean)
        before = matrix
        coefficients, matrix, scale = _maximised(found, spread, predictors, classes, scale)
        if float(np.abs(matrix - before).max()) < _CLOSE * float(np.abs(matrix).max()):
            break
    context.step(1.0, "model fitted")
    return ModelBased(estimate=direct.center + found, covariance=spread)


def _predictors(direct: Direct) -> Floats:
    columns = np.stack([np.log(direct.design.size), direct.design.x_mean], axis=1)
    centred = columns - columns.mean(axis=0)
    predictors: Floats = np.concatenate([np.ones((len(columns), 1)), centred], axis=1)
    return predictors


def _maximised(
    found: Floats, spread: Floats, predictors: Floats, classes: Integers, scale: Floats
) -> tuple[Floats, Floats, Floats]:
    weight = 1.0 / scale[classes]
    weighted = predictors * weight[:, None]
    coefficients: Floats = np.linalg.solve(
        weighted.T @ predictors + 1e-9 * np.eye(predictors.shape[1]), weighted.T @ found
    ).astype(np.float64)
    left = found - predictors @ coefficients
    squares = spread + left[:, :, None] * left[:, None, :]
    total = (weight[:, None, None] * squares).sum(axis=0) + _PULL_CELLS * _PULL * np.eye(2)
    matrix: Floats = total / (len(found) + _PULL_CELLS)
    inverse = np.linalg.inv(matrix)
    own = np.einsum("ij,cji->c", inverse, squares) / 2.0
    cells = np.bincount(classes, minlength=len(scale))
    sums = np.bincount(classes, weights=own, minlength=len(scale))
    return coefficients, matrix, np.clip((sums + _PULL_CELLS) / (cells + _PULL_CELLS), 0.1, 10.0)

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
_MOST_FITTED = 20_000
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


@dataclass(frozen=True, slots=True)
class _Symmetric:
    """Symmetric 2 × 2 matrices by their entries, cell by cell: a tenth of the time of stacked matrices."""

    first: Floats
    across: Floats
    second: Floats

    @classmethod
    def of(cls, matrices: Floats) -> _Symmetric:
        return cls(matrices[:, 0, 0], 0.5 * (matrices[:, 0, 1] + matrices[:, 1, 0]), matrices[:, 1, 1])

    def stacked(self) -> Floats:
        rows = [np.stack([self.first, self.across], axis=1), np.stack([self.across, self.second], axis=1)]
        matrices: Floats = np.stack(rows, axis=1)
        return matrices


def _updated(own: Floats, variance: _Symmetric, prior: _Symmetric, mean: Floats) -> tuple[Floats, _Symmetric]:
    """The posterior of θ − θ⁰ given its direct estimate: P(P + V)⁻¹, entry by entry."""
    a, b, d = prior.first + variance.first, prior.across + variance.across, prior.second + variance.second
    determinant = a * d - b * b
    surprise = own - mean
    # g = (P + V)⁻¹ times what is seen, h = (P + V)⁻¹P
    g1 = (d * surprise[:, 0] - b * surprise[:, 1]) / determinant
    g2 = (a * surprise[:, 1] - b * surprise[:, 0]) / determinant
    found = np.stack(
        [mean[:, 0] + prior.first * g1 + prior.across * g2, mean[:, 1] + prior.across * g1 + prior.second * g2], axis=1
    )
    h11, h21 = (d * prior.first - b * prior.across) / determinant, (a * prior.across - b * prior.first) / determinant
    h12, h22 = (d * prior.across - b * prior.second) / determinant, (a * prior.second - b * prior.across) / determinant
    spread = _Symmetric(
        prior.first - prior.first * h11 - prior.across * h21,
        prior.across - prior.first * h12 - prior.across * h22,
        prior.second - prior.across * h12 - prior.second * h22,
    )
    return found, spread


def model_based(direct: Direct, context: Context = QUIET) -> ModelBased:
    """Fit the model to the cells together and read off every cell's posterior.

    The fit takes at most 20,000 cells, evenly spread over the list: its dozen numbers need no more.
    """
    cells = _Cells.of(direct)
    few = cells.every(-(-len(cells.own) // _MOST_FITTED))
    matrix, scale = np.eye(2) * 0.05**2, np.ones(len(_CLASSES) + 1)
    coefficients = np.zeros((few.predictors.shape[1], 2))
    for round_ in range(_ROUNDS):
        context.step(round_ / _ROUNDS, "fitting the model over all cells")
        found, spread = _posterior(few, matrix, scale, coefficients)
        before = matrix
        coefficients, matrix, scale = _maximised(found, spread, few.predictors, few.classes, scale)
        if float(np.abs(matrix - before).max()) < _CLOSE * float(np.abs(matrix).max()):
            break
    found, spread = _posterior(cells, matrix, scale, coefficients)
    context.step(1.0, "model fitted")
    return ModelBased(estimate=direct.center + found, covariance=spread.stacked())


@dataclass(frozen=True, slots=True)
class _Cells:
    """Direct estimates around the pool's line with their variance, predictors and class of size."""

    own: Floats
    variance: _Symmetric
    predictors: Floats
    classes: Integers

    @classmethod
    def of(cls, direct: Direct) -> _Cells:
        classes = np.searchsorted(np.array(_CLASSES), direct.design.size)
        variance = _Symmetric.of(direct.covariance())
        return cls(direct.estimate - direct.center, variance, _predictors(direct), classes)

    def every(self, step: int) -> _Cells:
        variance = _Symmetric(
            *(entries[::step] for entries in (self.variance.first, self.variance.across, self.variance.second))
        )
        return _Cells(self.own[::step], variance, self.predictors[::step], self.classes[::step])


def _posterior(cells: _Cells, matrix: Floats, scale: Floats, coefficients: Floats) -> tuple[Floats, _Symmetric]:
    share = scale[cells.classes]
    prior = _Symmetric(share * matrix[0, 0], share * matrix[0, 1], share * matrix[1, 1])
    return _updated(cells.own, cells.variance, prior, _predicted(cells.predictors, coefficients))


def _predictors(direct: Direct) -> Floats:
    columns = np.stack([np.log(direct.design.size), direct.design.x_mean], axis=1)
    centred = columns - columns.mean(axis=0)
    predictors: Floats = np.concatenate([np.ones((len(columns), 1)), centred], axis=1)
    return predictors


def _predicted(predictors: Floats, coefficients: Floats) -> Floats:
    mean: Floats = np.einsum("ci,ij->cj", predictors, coefficients)
    return mean


def _maximised(
    found: Floats, spread: _Symmetric, predictors: Floats, classes: Integers, scale: Floats
) -> tuple[Floats, Floats, Floats]:
    weight = 1.0 / scale[classes]
    weighted = predictors * weight[:, None]
    # sums written out: many threads for three columns take longer than one
    squares, products = (np.einsum("ci,cj->ij", weighted, other) for other in (predictors, found))
    steady = squares + 1e-9 * np.eye(predictors.shape[1])
    coefficients: Floats = np.linalg.solve(steady, products).astype(np.float64)
    left = found - _predicted(predictors, coefficients)
    first, second = spread.first + left[:, 0] ** 2, spread.second + left[:, 1] ** 2
    across = spread.across + left[:, 0] * left[:, 1]
    low, both, high = ((weight * entries).sum() for entries in (first, across, second))
    total = np.array([[low, both], [both, high]])
    matrix: Floats = (total + _PULL_CELLS * _PULL * np.eye(2)) / (len(found) + _PULL_CELLS)
    inverse = np.linalg.inv(matrix)
    own = (inverse[0, 0] * first + 2.0 * inverse[0, 1] * across + inverse[1, 1] * second) / 2.0
    cells = np.bincount(classes, minlength=len(scale))
    sums = np.bincount(classes, weights=own, minlength=len(scale))
    return coefficients, matrix, np.clip((sums + _PULL_CELLS) / (cells + _PULL_CELLS), 0.1, 10.0)

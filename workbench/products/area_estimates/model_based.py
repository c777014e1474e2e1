"""Model-based estimates: direct scores pulled towards what size and mean of x predict, over all cells of the release.

Model: θ − θ⁰ ~ N(Z·B, κ·T) with Z = (1, log n, u) centred in the pool, T a 2 × 2 matrix, κ one scale for each class of
size in each group of people; score s = Q(θ − θ⁰) + e, e ~ N(0, V). B, T and κ by expectation and maximisation with a
weak pull of T towards (.02)², T divided by the cells that are left after one for each pool's line and one for each
predictor. κ of a class in a group is pulled, as by 50 cells, towards a factor of the group times a scale of the class,
and its geometric mean over the cells is 1.
Groups have scales of their own because areas differ more for some people than for others: with one scale for all,
margins of the first are too small and those of the others too large, and only their mean holds.
The posterior is in closed form; its covariance includes what is not known of θ⁰ and B (see `prior_uncertainty`). The
estimates borrow strength from other cells and are not unbiased for a single one.
Source: Chen (2023) for letting precision predict the parameter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET, Context
from workbench.products.area_estimates.direct import Direct
from workbench.products.area_estimates.prior_uncertainty import added_covariance
from workbench.products.area_estimates.symmetric import Symmetric

_CLASSES = (25.0, 50.0, 100.0, 200.0, 400.0)
_ROUNDS = 60
_MOST_FITTED = 20_000
_PULL, _PULL_CELLS = 0.02**2, 4.0
_GROUP_CELLS = 50.0  # with which a class of size in one group is pulled towards what group and class have in common
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


def _updated(own: Floats, variance: Symmetric, prior: Symmetric, mean: Floats) -> tuple[Floats, Symmetric]:
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
    spread = Symmetric(
        prior.first - prior.first * h11 - prior.across * h21,
        prior.across - prior.first * h12 - prior.across * h22,
        prior.second - prior.across * h12 - prior.second * h22,
    )
    return found, spread


def model_based(direct: Direct, context: Context = QUIET) -> ModelBased:
    """Fit the model to the cells together and read off every cell's posterior.

    The fit takes at most 20,000 cells, evenly spread over the pools: its dozen numbers need no more.
    """
    cells = _Cells.of(direct)
    few = cells.every(-(-len(cells.own) // _MOST_FITTED), direct.pool)
    matrix, scale = np.eye(2) * 0.05**2, np.ones((cells.groups, len(_CLASSES) + 1))
    coefficients = np.zeros((few.predictors.shape[1], 2))
    for round_ in range(_ROUNDS):
        context.step(round_ / _ROUNDS, "fitting the model over all cells")
        found, spread = _posterior(few, matrix, scale, coefficients)
        before = matrix
        coefficients, matrix, scale = _maximised(found, spread, few, scale)
        if float(np.abs(matrix - before).max()) < _CLOSE * float(np.abs(matrix).max()):
            break
    found, spread = _posterior(cells, matrix, scale, coefficients)
    added = added_covariance(
        _prior(cells, matrix, scale), cells.variance, cells.predictors, size=direct.design.size, pool=direct.pool
    )
    context.step(1.0, "model fitted")
    return ModelBased(estimate=direct.center + found, covariance=(spread + added).stacked())


@dataclass(frozen=True, slots=True)
class _Cells:
    """Direct estimates around the pool's line with their variance, predictors, class of size and group."""

    own: Floats
    variance: Symmetric
    predictors: Floats
    classes: Integers
    group: Integers
    groups: int
    lines: int  # pools, each with a line of its own

    @classmethod
    def of(cls, direct: Direct) -> _Cells:
        classes = np.searchsorted(np.array(_CLASSES), direct.design.size)
        variance = Symmetric.of(direct.covariance())
        own, lines = direct.estimate - direct.center, len(np.unique(direct.pool))
        groups = int(direct.group.max()) + 1
        return cls(own, variance, _predictors(direct), classes, direct.group, groups, lines)

    def every(self, step: int, pool: Integers) -> _Cells:
        """Each so many cells one, pool by pool: the order of the list, areas by groups, leaves no group out."""
        few = np.argsort(pool, kind="stable")[::step]
        return _Cells(
            self.own[few], self.variance.chosen(few), self.predictors[few], self.classes[few], self.group[few],
            self.groups, self.lines,
        )  # fmt: skip


def _posterior(cells: _Cells, matrix: Floats, scale: Floats, coefficients: Floats) -> tuple[Floats, Symmetric]:
    prior = _prior(cells, matrix, scale)
    return _updated(cells.own, cells.variance, prior, _predicted(cells.predictors, coefficients))


def _prior(cells: _Cells, matrix: Floats, scale: Floats) -> Symmetric:
    """κT of every cell."""
    return Symmetric.of(matrix[None]).times(scale[cells.group, cells.classes])


def _predictors(direct: Direct) -> Floats:
    """(1, log n, u), the last two around their means in the pool: θ⁰ is the pool's line, with cells weighed by size."""
    size, pool = direct.design.size, direct.pool
    share = size / np.bincount(pool, weights=size)[pool]

    def around(column: Floats) -> Floats:
        centred: Floats = column - np.bincount(pool, weights=share * column)[pool]
        return centred

    return np.stack([np.ones(len(size)), around(np.log(size)), around(direct.design.x_mean)], axis=1)


def _predicted(predictors: Floats, coefficients: Floats) -> Floats:
    mean: Floats = np.einsum("ci,ij->cj", predictors, coefficients)
    return mean


def _maximised(found: Floats, spread: Symmetric, of: _Cells, scale: Floats) -> tuple[Floats, Floats, Floats]:
    predictors = of.predictors
    weight = 1.0 / scale[of.group, of.classes]
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
    left_over = max(1.0, len(found) - of.lines - predictors.shape[1] + _PULL_CELLS)
    matrix: Floats = (total + _PULL_CELLS * _PULL * np.eye(2)) / left_over
    inverse = np.linalg.inv(matrix)
    own = (inverse[0, 0] * first + 2.0 * inverse[0, 1] * across + inverse[1, 1] * second) / 2.0
    return coefficients, *_scaled(matrix, own, of, scale.shape)


def _scaled(matrix: Floats, own: Floats, of: _Cells, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """T and the scales κ of every group and class of size, 1 on average over the cells."""
    place = of.group * shape[1] + of.classes
    cells = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(place, weights=own, minlength=shape[0] * shape[1]).reshape(shape)
    everybody = (sums.sum(axis=0) + _PULL_CELLS) / (cells.sum(axis=0) + _PULL_CELLS)
    scale = everybody[None]
    if shape[0] > 1:
        group = ((sums / everybody).sum(axis=1) + _PULL_CELLS) / (cells.sum(axis=1) + _PULL_CELLS)
        scale = (sums + _GROUP_CELLS * group[:, None] * everybody) / (cells + _GROUP_CELLS)
    mean = math.exp(float((cells * np.log(scale)).sum() / cells.sum()))
    return matrix * mean, np.clip(scale / mean, 0.1, 10.0)

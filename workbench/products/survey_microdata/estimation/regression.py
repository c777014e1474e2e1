"""Linear and logistic regression from a locally protected file, corrected for the protection.

Linear: with decoded values the normal matrix Â is the mean of products, its diagonal of decoded squares, b̂ the mean of
products with the outcome; β̂ = Â⁻¹b̂, and its standard error that of the influence values ψ_r = Â⁻¹(b_r − A_r·β̂), so
that sampling and privacy noise are in it. Weights w enter by linearisation: means are Σw·x/Σw, and ψ_r is multiplied by
n·w_r/Σw. Logistic, with few categories: every record stands for all true combinations with the signed weights
ΠM_j⁻¹[x_j, y_j]; Σ weight × score = 0 is solved, with a sandwich for the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.products.survey_microdata.estimation.decoding import PublishedDesign

_NEWTON_STEPS = 60
_SMALL = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """The intercept first, then the predictors in their order."""

    estimate: Floats
    error: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A variable as a number in a regression: decoded values and decoded squares, record by record."""

    values: Floats
    squares: Floats


def scored(design: PublishedDesign, published: Floats, scores: Floats | None = None) -> Scored:
    """A category by the scores of its answers (0, 1, 2 … where none are given), a number by itself."""
    if design.variable.number:
        return Scored(values=design.decoded(published), squares=design.decoded_square(published))
    points = np.arange(design.answers, dtype=np.float64) if scores is None else scores
    place, inverse = published.astype(np.int64), design.inverse()
    return Scored(values=(points @ inverse)[place], squares=(points**2 @ inverse)[place])


def as_published(published: Floats) -> Scored:
    """A column taken for the truth: what a naive regression uses."""
    return Scored(values=published, squares=published**2)


def linear(outcome: Floats, predictors: Sequence[Scored], weights: Floats | None = None) -> Coefficients:
    """Corrected least squares of a decoded outcome on decoded predictors."""
    columns = [np.ones(len(outcome)), *(each.values for each in predictors)]
    squares = [np.ones(len(outcome)), *(each.squares for each in predictors)]
    size, count = len(columns), len(outcome)
    share = np.ones(count) if weights is None else weights * (count / weights.sum())
    products = np.empty((count, size, size))
    for i in range(size):
        for j in range(i, size):
            products[:, i, j] = products[:, j, i] = squares[i] if i == j else columns[i] * columns[j]
    right = np.stack(columns, axis=1) * outcome[:, None]
    normal, moment = np.einsum("r,rij->ij", share, products) / count, share @ right / count
    inverse = np.linalg.inv(normal)
    beta = inverse @ moment
    influence = (right - products @ beta) * share[:, None] @ inverse.T
    return Coefficients(estimate=beta, error=influence.std(axis=0) / np.sqrt(count))


def logistic(
    outcome: PublishedDesign, predictors: Sequence[PublishedDesign], columns: Sequence[Floats]
) -> Coefficients:
    """Of the last answer of the outcome, on predictors scored 0, 1, 2 …; `columns` are published, its own first."""
    designs = (outcome, *predictors)
    shape = tuple(design.answers for design in designs)
    places: Integers = np.ravel_multi_index(tuple(column.astype(np.int64) for column in columns), shape)
    observed = np.bincount(places, minlength=int(np.prod(shape))).astype(np.float64)
    inverse: Floats = np.ones((1, 1))
    for design in designs:
        inverse = np.kron(inverse, design.inverse()).astype(np.float64)
    grid = np.stack(np.meshgrid(*[np.arange(size) for size in shape], indexing="ij"), axis=-1).reshape(-1, len(shape))
    event = (grid[:, 0] == shape[0] - 1).astype(np.float64)
    x = np.concatenate([np.ones((len(grid), 1)), grid[:, 1:].astype(np.float64)], axis=1)
    counts, beta = inverse @ observed, np.zeros(len(shape))
    for _ in range(_NEWTON_STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ beta, -30.0, 30.0)))
        slope = (x * (counts * p * (1.0 - p))[:, None]).T @ x
        step = np.linalg.solve(slope, x.T @ (counts * (event - p)))
        beta = beta + np.clip(step, -2.0, 2.0)
        if float(np.abs(step).max()) < _SMALL:
            break
    p = 1.0 / (1.0 + np.exp(-np.clip(x @ beta, -30.0, 30.0)))
    slope = np.linalg.inv((x * (counts * p * (1.0 - p))[:, None]).T @ x)
    scores = inverse.T @ (x * (event - p)[:, None])  # of each published combination
    spread = (scores * observed[:, None]).T @ scores
    return Coefficients(estimate=beta, error=np.sqrt(np.maximum(np.diag(slope @ spread @ slope), 0.0)))

"""Neighbours by brute force: every person that could be added, through the code's own sums, and exact laws."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.products.model_fits import hand_made
from workbench.core.confidential import Confidential
from workbench.noise import discrete_laplace
from workbench.products.model_fits import logit
from workbench.products.model_fits.fit_data import GRID, FitData, Predictor
from workbench.products.model_fits.mechanisms import table_logit
from workbench.products.model_fits.mechanisms.neighbours import nobody
from workbench.products.model_fits.mechanisms.published_fit import DrawnFits, published_fit


def declared(*levels: int) -> FitData:
    predictors = tuple(Predictor(name=f"x{i}", lower=0.0, upper=1.0, levels=many) for i, many in enumerate(levels))
    base = replace(hand_made.prepared(), predictors=predictors)
    return nobody(base)


def with_row(data: FitData, values: tuple[int, ...], outcome: int) -> FitData:
    row = np.array([[GRID, *values]], dtype=np.int64)
    return replace(
        data,
        grid=Confidential(np.concatenate([data.grid.reveal(), row])),
        outcome=Confidential(np.append(data.outcome.reveal(), outcome)),
    )


@pytest.mark.parametrize("knots", [4, 7, 32, 64])
def test_that_everybody_on_a_continuous_predictor_moves_the_table_by_exactly_the_declared_units(knots: int) -> None:
    base = with_row(with_row(declared(0), (-GRID,), 1), (333,), 0)
    before = table_logit.counts_of(base, knots)
    assert before.sum() == 2 * table_logit.UNITS
    for value, outcome in product(range(-GRID, GRID + 1, 1 if knots == 7 else 37), (0, 1)):
        moved = table_logit.counts_of(with_row(base, (value,), outcome), knots) - before
        assert int(np.abs(moved).sum()) == table_logit.UNITS
        assert (moved >= 0).all()
        assert (moved[:, 1 - outcome] == 0).all()


@pytest.mark.parametrize("levels", [(2,), (7,), (64,), (2, 3, 4)])
def test_that_everybody_on_declared_levels_moves_one_count_by_one(levels: tuple[int, ...]) -> None:
    base = with_row(declared(*levels), (0,) * len(levels), 1)
    before = table_logit.counts_of(base, 32)
    cells = math.prod(levels)
    assert before.shape == (cells, 2)
    seen = set()
    for values in product(range(-GRID, GRID + 1, 100 if len(levels) > 1 else 7), repeat=len(levels)):
        moved = table_logit.counts_of(with_row(base, values, 0), 32) - before
        assert np.abs(moved).sum() == moved.max() == 1
        seen.add(int(moved[:, 0].argmax()))
    assert seen == set(range(cells)), "every declared level can be reached"


@pytest.mark.parametrize("levels", [2, 0])
@pytest.mark.parametrize("epsilon", ["0.01", "0.3", "1", "7.5", "50"])
def test_that_the_scale_in_use_spends_no_more_than_epsilon_in_exact_arithmetic(levels: int, epsilon: str) -> None:
    """Fraction by fraction: (what a person adds)/scale for the float that is handed to the sampler."""
    data = declared(levels)
    params = table_logit.TableLogitParams(epsilon=table_logit.Epsilon(epsilon))
    scale = table_logit._scale(data, params)
    spent = Fraction(table_logit._added(data)) / Fraction(scale)
    assert spent <= Fraction(params.epsilon)
    assert spent >= Fraction(params.epsilon) * (1 - Fraction(1, 10**12))
    assert discrete_laplace.spent(table_logit._added(data), scale) >= spent * (1 - Fraction(1, 10**12))


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_that_the_exact_law_of_small_published_fits_keeps_epsilon(epsilon: float) -> None:
    """All noisy tables of two levels in a box, the published row of each, and its weight for two neighbours.

    Both weights run over the same tables, so that leaving out what is beyond the box cannot make a ratio larger.
    """
    data = with_row(with_row(declared(2), (GRID,), 1), (-GRID,), 0)
    params = table_logit.TableLogitParams(epsilon=table_logit.Epsilon(str(epsilon)))
    q = math.exp(-1.0 / table_logit._scale(data, params))
    tables = np.array(list(product(range(-4, 8), repeat=4)))
    people = tables.reshape(-1, 2, 2).astype(float)
    levels = table_logit.levels_of(data, 32)
    beta = logit.fit_counts(levels, people[..., 1], people[..., 0])
    margins = table_logit._margins(levels, people.sum(axis=-1), beta, 2.0)
    many = replace(data, copies=len(tables))
    rows = published_fit(many, DrawnFits(beta=beta, margins=margins)).values.reshape(len(tables), -1)
    _, which = np.unique(rows, axis=0, return_inverse=True)
    laws = []
    for each in (data, with_row(data, (GRID,), 0)):
        away = np.abs(tables - table_logit.counts_of(each, 32).ravel()).sum(axis=1)
        laws.append(np.bincount(which.ravel(), weights=((1 - q) / (1 + q)) ** 4 * q**away))
    assert min(law.sum() for law in laws) > (0.5 if epsilon < 1 else 0.99)
    worst = float(np.abs(np.log(laws[0] / laws[1])).max())
    assert 0.9 * epsilon < worst <= epsilon * (1 + 1e-9)

"""AdaSSP: sums and sensitivities by brute force, the ridge by a second route, and what it claims."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.area_estimates import hand_made
from workbench.accounting import zcdp
from workbench.core.claims import Definition, Standing
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.area_estimates import adaptive_ridge
from workbench.products.area_estimates.adaptive_ridge import RidgeScales, RidgeSums, ridge_lines, ridge_sums
from workbench.products.area_estimates.area_data import TableSums
from workbench.products.area_estimates.fractional_sums import GRID, SUMS, contributions
from workbench.products.area_estimates.mechanisms import adassp, fractional_table
from workbench.products.area_estimates.twin.in_memory import twin_cells


def cell(x: np.ndarray, y: np.ndarray) -> RidgeSums:
    """One cell of these people, in thousandths, by the code's own contributions."""
    one = contributions(x, y)
    sums = one.sums.sum(axis=0).reshape(1, 1, 4)
    moments = one.x_moment.sum().reshape(1), one.y_moment.sum().reshape(1, 1)
    return ridge_sums(TableSums(sums=sums, x_moment=moments[0], y_moment=moments[1]))


def test_that_sums_are_those_of_the_rows() -> None:
    random = np.random.default_rng(1)
    x, y = random.integers(0, GRID + 1, 40), random.integers(0, GRID + 1, 40)
    design = np.stack([np.ones(40), 2 * x / GRID - 1], axis=1)
    found = cell(x, y)
    matrix = design.T @ design
    assert found.matrix[0] / SUMS == pytest.approx([matrix[0, 0], matrix[0, 1], matrix[1, 1]], rel=1e-12)
    assert found.vector[0, 0] / SUMS == pytest.approx(design.T @ (2 * y / GRID - 1), rel=1e-12)
    assert found.smallest[0] / SUMS == pytest.approx(np.linalg.eigvalsh(matrix)[0], abs=1e-5)


def test_that_no_person_adds_more_than_is_accounted_for_and_a_corner_attains_it() -> None:
    """Every value of the predictor with the outcome at both ends and between, by the code's own sums."""
    most = {"matrix": 0, "vector": 0}
    for x in range(GRID + 1):
        for y in (0, 371, GRID):
            one = cell(np.array([x]), np.array([y]))
            n, along, square = one.matrix[0].tolist()
            most["matrix"] = max(most["matrix"], n * n + 2 * along * along + square * square)
            most["vector"] = max(most["vector"], sum(value * value for value in one.vector[0, 0].tolist()))
    assert most == {"matrix": 4 * SUMS**2, "vector": 2 * SUMS**2}


def test_that_one_person_moves_the_least_eigenvalue_by_no_more_than_is_accounted_for() -> None:
    random, most = np.random.default_rng(5), 0
    for trial in range(400):
        people = int(random.integers(0, 30))
        x = random.integers(0, GRID + 1, people) if trial % 2 else np.full(people, random.integers(0, GRID + 1))
        for new in (0, GRID, int(random.integers(0, GRID + 1))):
            y = np.zeros(people + 1, np.int64)
            moved = cell(np.append(x, new), y).smallest[0] - cell(x, y[:-1]).smallest[0]
            assert moved >= 0
            most = max(most, int(moved))
    opposite = cell(np.zeros(10_000, np.int64), np.zeros(10_000, np.int64))
    against = cell(np.append(np.zeros(10_000, np.int64), GRID), np.zeros(10_001, np.int64))
    most = max(most, int(against.smallest[0] - opposite.smallest[0]))
    assert 1.99 * SUMS < most <= 2 * SUMS + 2


@pytest.mark.parametrize("outcomes", [1, 3])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_that_it_spends_its_rho_and_no_more(outcomes: int, epsilon: float) -> None:
    budget = zcdp.rho_of(epsilon, 1e-6)
    scales = adaptive_ridge.ridge_scales(Fraction(budget), outcomes)
    assert float(scales.rho()) <= budget
    assert float(scales.rho()) == pytest.approx(budget, rel=1e-6)
    by_hand = 4 / (2 * (scales.matrix / SUMS) ** 2) + 2 * outcomes / (2 * (scales.vector / SUMS) ** 2)
    by_hand += (2 + 2 / SUMS) ** 2 / (2 * (scales.smallest / SUMS) ** 2)
    assert by_hand == pytest.approx(budget, rel=1e-6)
    assert scales.beside == pytest.approx(scales.matrix / math.sqrt(2), rel=1e-12)


def test_that_without_noise_it_is_the_exact_line_and_with_noise_the_ridge_of_the_source() -> None:
    random = np.random.default_rng(3)
    x, y = random.integers(0, GRID + 1, 60), random.integers(0, GRID + 1, 60)
    exact = cell(x, y)
    nothing = RidgeScales(matrix=0.0, beside=0.0, vector=0.0, smallest=0.0, outcomes=1)
    (a,), (b,) = (each[0] for each in ridge_lines(exact, nothing, 1e-6))
    slope, level = np.polyfit(2 * x / GRID - 1, 2 * y / GRID - 1, 1)
    assert (a, b) == pytest.approx((level, slope), rel=1e-9)
    scales = RidgeScales(matrix=9.0 * SUMS, beside=6.0 * SUMS, vector=5.0 * SUMS, smallest=2.0 * SUMS, outcomes=1)
    noisy = exact.like(exact.flat() + np.array([3, -2, 4, 5, -6, 1]) * SUMS)
    n, along, square = noisy.matrix[0] / SUMS
    known = max(0.0, noisy.smallest[0] / SUMS - 2.0 * math.sqrt(math.log(6e6)))
    ridge = max(0.0, 9.0 * math.sqrt(2 * math.log(2 * 2**2 / 0.05)) - known)
    assert ridge > 0
    by_hand = np.linalg.solve(np.array([[n, along], [along, square]]) + ridge * np.eye(2), noisy.vector[0, 0] / SUMS)
    (a,), (b,) = (each[0] for each in ridge_lines(noisy, scales, 1e-6))
    assert (a, b) == pytest.approx(tuple(by_hand), rel=1e-12)


def test_that_a_matrix_that_noise_leaves_without_a_line_gives_a_gap() -> None:
    made = RidgeSums(matrix=np.array([[-5, 0, 3]]), vector=np.ones((1, 1, 2), np.int64), smallest=np.zeros(1, np.int64))
    nothing = RidgeScales(matrix=0.0, beside=0.0, vector=0.0, smallest=0.0, outcomes=1)
    assert np.isnan(ridge_lines(made, nothing, 1e-6)).all()


def test_that_it_protects_presence_and_is_less_accurate_than_the_table_of_the_same_epsilon() -> None:
    """The ridge pulls towards ½, which helps where cells are small; the model of the table helps more."""
    claim = adassp.SPEC.claim(hand_made.prepared(), adassp.AdasspParams())
    assert (claim.definition, claim.standing) == (Definition.CENTRAL, Standing.PROVED)
    twin = twin_cells(400, 120, seed=5)
    line = twin.prepared.lines.reveal()[0]

    def off(mechanism: Any, column: str, epsilon: int, truth: np.ndarray) -> float:
        settings = mechanism.params(epsilon=Epsilon(epsilon))
        drawn = mechanism.study(twin.prepared, settings, StudyRandom(2), QUIET).reveal().units(column).numbers()
        return float(np.sqrt(np.mean((drawn - truth)[line.size >= 20] ** 2)))

    exact = line.at(0.25)
    assert off(adassp.SPEC, "p25", 4, exact) > 1.5 * off(fractional_table.SPEC, "p25", 4, exact)
    true = twin.truth[:, 0]
    assert off(adassp.SPEC, "p25", 2, true) > 2.0 * off(fractional_table.SPEC, "p25_model", 2, true)
    assert off(adassp.SPEC, "p25", 20, exact) < 0.05

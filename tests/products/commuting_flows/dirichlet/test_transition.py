"""The posterior-ratio audit against enumeration of everything that can come out."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows.dirichlet import urn
from workbench.core.errors import UserProblem
from workbench.products.commuting_flows.dirichlet.pure import log_ratios, pure_epsilon, pure_priors
from workbench.products.commuting_flows.dirichlet.transition import transition

CASES = [((9, 0, 0), ("0.1", "0.1", "0.1")), ((2, 1, 0), ("0.5", "0.25", "2")), ((0, 0), ("0.3", "0.7")),
         ((1, 0, 3, 0), ("0.2", "0.1", "0", "0.4"))]  # fmt: skip


def largest_by_enumeration(known: tuple[int, ...], prior: tuple[str, ...], draws: int) -> float:
    weights = [alpha + count for alpha, count in zip(urn.fractions(prior), known, strict=True)]
    largest = Fraction(0)
    for outcome in urn.outcomes(draws, len(known)):
        chances = [urn.chance(outcome, urn.with_row(weights, cell)) for cell in range(len(known))]
        if max(chances) > 0 and min(chances) == 0:
            return math.inf
        if max(chances) > 0:
            largest = max(largest, max(chances) / min(chances))
    return math.log(largest)


@pytest.mark.parametrize(("known", "prior"), CASES)
@pytest.mark.parametrize("draws", [1, 2, 5])
def test_that_the_largest_ratio_is_the_one_enumeration_finds(
    known: tuple[int, ...], prior: tuple[str, ...], draws: int
) -> None:
    audit = transition(known, [float(alpha) for alpha in prior], draws)
    assert audit.max_log_ratio == pytest.approx(largest_by_enumeration(known, prior, draws), rel=1e-13)
    assert audit.one_draw.log_ratio == pytest.approx(largest_by_enumeration(known, prior, 1), rel=1e-13)


@pytest.mark.parametrize(("known", "prior"), CASES)
def test_that_the_matrix_is_the_law_of_one_draw_and_holds_the_worst_pair(
    known: tuple[int, ...], prior: tuple[str, ...]
) -> None:
    audit = transition(known, [float(alpha) for alpha in prior])
    weights = [alpha + count for alpha, count in zip(urn.fractions(prior), known, strict=True)]
    cells = len(known)
    for row in range(cells):
        one_each = [tuple(int(place == cell) for place in range(cells)) for cell in range(cells)]
        exact = [float(urn.chance(outcome, urn.with_row(weights, row))) for outcome in one_each]
        assert audit.matrix[row] == pytest.approx(exact, rel=1e-14)
    worst = audit.one_draw
    ratio = audit.matrix[worst.row_a, worst.outcome] / audit.matrix[worst.row_b, worst.outcome]
    assert math.log(ratio) == pytest.approx(worst.log_ratio, rel=1e-13)


@pytest.mark.parametrize("draws", [1, 3])
def test_that_pure_epsilon_is_the_worst_of_all_data_sets(draws: int) -> None:
    prior = ("0.4", "0.3", "1.5")
    worst = max(largest_by_enumeration(known, prior, draws) for known in urn.outcomes(3, 3))
    alpha = [float(value) for value in prior]
    assert pure_epsilon(alpha, draws) == pytest.approx(worst, rel=1e-13)
    assert transition((3, 3, 0), alpha, draws).max_log_ratio < transition((3, 3, 0), alpha, draws).pure_epsilon


def test_that_the_example_of_the_source_comes_out(golden: Any) -> None:
    audit = transition([9, 0, 0], [0.1, 0.1, 0.1], 10)
    assert audit.one_draw.log_ratio == pytest.approx(math.log(11), rel=1e-15)
    assert audit.max_log_ratio == pytest.approx(math.log(101), rel=1e-15)
    assert (audit.one_draw.outcome, audit.one_draw.row_a, audit.one_draw.row_b) == (1, 1, 2)
    for case in golden("dirichlet_pure")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        if "eps" in expected:
            assert log_ratios(inputs["alpha"], inputs["m"]) == pytest.approx(expected["eps"], rel=1e-10)
        elif "alpha_min" in expected:
            assert pure_priors(inputs["m"], inputs["eps"]) == pytest.approx(expected["alpha_min"], rel=1e-10)
        else:
            data = np.array(inputs["data"])
            row = int(np.flatnonzero(data)[-1])
            known = data - (np.arange(len(data)) == row)
            assert transition(known, inputs["prior"]).matrix[row] == pytest.approx(expected["predictive"], rel=1e-10)


def test_that_a_cell_without_prior_is_infinite_and_named() -> None:
    audit = transition([9, 0, 0], [0.1, 0.1, 0.0])
    assert audit.max_log_ratio == audit.pure_epsilon == math.inf
    assert audit.without_weight == audit.without_prior == (2,)
    assert (audit.one_draw.outcome, audit.one_draw.row_a) == (2, 2)


def test_that_known_rows_hide_a_missing_prior_only_from_this_attacker() -> None:
    audit = transition([9, 0, 4], [0.1, 0.1, 0.0])
    assert audit.max_log_ratio == pytest.approx(math.log(11))
    assert audit.pure_epsilon == math.inf
    assert audit.without_weight == ()
    assert audit.without_prior == (2,)


def test_that_one_cell_gives_nothing_away() -> None:
    assert transition([4], [0.1], 5).max_log_ratio == 0.0
    assert transition([4], [0.1], 5).pure_epsilon == 0.0


def test_that_a_minimum_prior_for_pure_epsilon_spends_exactly_it() -> None:
    draws, epsilon = np.array([1, 10, 500]), 4.6
    assert log_ratios(pure_priors(draws, epsilon), draws) == pytest.approx([4.6] * 3, rel=1e-14)


def test_that_known_rows_stay_out_of_the_representation() -> None:
    assert "7531" not in repr(transition([7531, 0], [0.1, 0.1]))


@pytest.mark.parametrize(
    ("known", "prior", "draws", "said"),
    [
        ([9, -1], [0.1, 0.1], 1, "Number 2 is negative"),
        ([9.5, 1], [0.1, 0.1], 1, "Number 1 is a fraction"),
        ([9, 1], [0.1, -0.1], 1, "Number 2 is negative"),
        ([9, 1], [0.1, math.inf], 1, "not a finite number"),
        ([9, 1], [0.1], 1, "known has 2 cells and prior has 1"),
        ([9, 1], [0.1, 0.1], 0, "at least 1"),
        ([], [], 1, "no cell"),
    ],
)
def test_that_bad_input_is_a_problem_in_words_without_counts(
    known: list[float], prior: list[float], draws: int, said: str
) -> None:
    with pytest.raises(UserProblem, match=said) as problem:
        transition(known, prior, draws)
    assert "9" not in str(problem.value)


def test_that_all_problems_come_at_once() -> None:
    with pytest.raises(UserProblem) as problem:
        transition([1, -1], [-0.1, 0.1], 0)
    assert len(problem.value.problems) == 3

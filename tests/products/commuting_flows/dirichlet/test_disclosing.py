"""The exact chance of a disclosing outcome: golden values, enumeration in fractions, and draws."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows.dirichlet import urn
from tests.products.commuting_flows.dirichlet.disclosing import disclosing_chance, hockey_stick
from workbench.core.errors import UserProblem


def discloses(outcome: urn.Counts, data: tuple[int, ...], prior: list[Fraction], limit: float) -> bool:
    """The definition, word by word: a row is removed, two cells are compared."""
    for removed, rows in enumerate(data):
        if not rows:
            continue
        weights = [alpha + n - (cell == removed) for cell, (alpha, n) in enumerate(zip(prior, data, strict=True))]
        factors = [1 + s / w if w else Fraction(10**30 if s else 1) for s, w in zip(outcome, weights, strict=True)]
        pairs = ((i, j) for i in range(len(data)) for j in range(len(data)) if i != j)
        if any(float(factors[i] / factors[j]) > limit * (1 + 1e-12) for i, j in pairs):
            return True
    return False


def chance_by_enumeration(data: tuple[int, ...], prior: list[Fraction], draws: int, epsilon: float) -> float:
    weights = [alpha + n for alpha, n in zip(prior, data, strict=True)]
    limit = math.exp(epsilon)
    return float(
        sum(
            (urn.chance(outcome, weights) for outcome in urn.outcomes(draws, len(data))
             if discloses(outcome, data, prior, limit)), Fraction(0),
        )
    )  # fmt: skip


def test_that_the_golden_chances_come_out(golden: Any) -> None:
    for case in golden("dirichlet_pdp_exact")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        prior = [inputs["alpha_each"]] * len(inputs["data"])
        found = disclosing_chance(inputs["data"], prior, draws=inputs["m"], epsilon=inputs["eps"])
        assert found.delta_exact == pytest.approx(expected["delta_exact"], rel=1e-10)
        assert found.delta_union == pytest.approx(expected["delta_union"], rel=1e-10)


@pytest.mark.parametrize(
    ("data", "prior", "draws"),
    [
        ((2, 1), ("0.5", "1.5"), 6),
        ((3, 0), ("0.2", "0.4"), 7),
        ((0, 4, 0), ("0.2", "0.4", "0.3"), 5),
        ((1, 1, 2), ("0.05", "0.3", "0.05"), 6),
        ((1, 0, 0, 1), ("0.5", "0.5", "0.25", "0.25"), 4),
        ((1, 2, 0), ("0", "0.1", "0.1"), 4),
        ((6, 5, 7), ("0.1", "0.1", "0.1"), 9),
    ],
)
@pytest.mark.parametrize("epsilon", [0.15, 0.7, 1.6, 3.0])
def test_that_the_chance_is_the_one_enumeration_finds(
    data: tuple[int, ...], prior: tuple[str, ...], draws: int, epsilon: float
) -> None:
    exact = chance_by_enumeration(data, urn.fractions(prior), draws, epsilon)
    found = disclosing_chance(data, [float(alpha) for alpha in prior], draws=draws, epsilon=epsilon)
    assert found.delta_exact == pytest.approx(exact, rel=1e-11, abs=1e-13)
    assert found.delta_union >= found.delta_exact - 1e-13


def test_that_draws_disclose_as_often_as_calculated() -> None:
    data, prior, draws, epsilon = (4, 2, 1, 0), (0.3, 0.2, 0.2, 0.4), 7, 1.5
    rng = np.random.default_rng(12)
    shares = rng.dirichlet(np.add(data, prior), 40_000)
    drawn, many = np.unique(rng.multinomial(draws, shares), axis=0, return_counts=True)
    fractions = [Fraction(alpha).limit_denominator(10) for alpha in prior]
    hits = sum(int(n) for row, n in zip(drawn, many, strict=True)
               if discloses(tuple(map(int, row)), data, fractions, math.exp(epsilon)))  # fmt: skip
    exact = disclosing_chance(data, prior, draws=draws, epsilon=epsilon).delta_exact
    assert 0.05 < exact < 0.95
    assert abs(hits / 40_000 - exact) < 4 * math.sqrt(exact * (1 - exact) / 40_000)


def test_that_large_populations_are_exact_too() -> None:
    data, prior, draws = np.array([30, 20, 10, 5, 3, 2, 1, 1] + [0] * 300), np.full(308, 0.15), 72
    rng = np.random.default_rng(13)
    drawn = rng.multinomial(draws, rng.dirichlet(data + prior, 10_000))
    # With more cells than draws some cell gets none, so the second factor is 1.
    hits = np.any(drawn > math.expm1(3.0) * (prior + np.maximum(data - 1, 0)), axis=1).mean()
    exact = disclosing_chance(data, prior, draws=draws, epsilon=3.0).delta_exact
    assert 0.05 < exact < 0.95
    assert abs(hits - exact) < 4 * math.sqrt(exact * (1 - exact) / 10_000)


def test_that_nothing_is_disclosed_where_there_is_nothing_to_tell() -> None:
    assert disclosing_chance([5], [0.1], draws=3, epsilon=1.0).delta_exact == 0.0
    assert disclosing_chance([0, 0], [0.1, 0.1], draws=3, epsilon=1.0).delta_union == 0.0


def test_that_a_calculation_without_end_is_refused() -> None:
    with pytest.raises(UserProblem, match="too long"):
        disclosing_chance(list(range(60)), [0.1] * 60, draws=5000, epsilon=1.0)


def test_that_the_golden_hockey_sticks_come_out(golden: Any) -> None:
    for case in golden("dirichlet_hockeystick")["cases"]:
        inputs = case["inputs"]
        prior = [inputs["alpha_each"]] * len(inputs["base"])
        rows = {"row_a": inputs["i"], "row_b": inputs["j"]}
        found = hockey_stick(inputs["base"], prior, draws=inputs["m"], epsilon=inputs["eps"], **rows)
        assert found == pytest.approx(case["expected"]["delta"], rel=1e-10)


@pytest.mark.parametrize(
    ("known", "prior"),
    [((2, 0), ("0.5", "0.25")), ((1, 0, 2, 0), ("0.5", "0.2", "0", "0.1")), ((3, 0, 1), ("1", "0", "1"))],
)
@pytest.mark.parametrize("epsilon", [0.3, 1.2])
def test_that_the_hockey_stick_is_the_sum_over_all_outcomes(
    known: tuple[int, ...], prior: tuple[str, ...], epsilon: float
) -> None:
    weights = [alpha + count for alpha, count in zip(urn.fractions(prior), known, strict=True)]
    p, q = urn.with_row(weights, 1), urn.with_row(weights, 0)
    total = sum(
        max(float(urn.chance(outcome, p)) - math.exp(epsilon) * float(urn.chance(outcome, q)), 0.0)
        for outcome in urn.outcomes(4, len(known))
    )
    alphas = [float(alpha) for alpha in prior]
    assert hockey_stick(known, alphas, draws=4, epsilon=epsilon, row_a=1, row_b=0) == pytest.approx(total, rel=1e-12)


def test_that_the_hockey_stick_ends_where_pure_epsilon_begins() -> None:
    prior = [0.1, 0.1, 0.1]
    below, at = (hockey_stick([9, 0, 0], prior, draws=10, epsilon=epsilon, row_a=1, row_b=2)
                 for epsilon in (math.log(101) - 0.01, math.log(101) + 1e-12))  # fmt: skip
    assert below > 0.0
    assert at == 0.0

"""The price of pruning, against enumeration of what is kept and what comes out."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows.dirichlet import urn
from workbench.core.errors import UserProblem
from workbench.products.commuting_flows.dirichlet.pruning import (
    headlines,
    pruning_price,
    pruning_prices,
)


def test_that_the_golden_prices_come_out(golden: Any) -> None:
    for case in golden("pruning_cost")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        if "eps_star" in inputs:
            found = headlines(inputs["eps_star"], inputs["min_p"])
            told = {"headline": found.stated, "sharper_(2-p)/p": found.sharper, "alpha_le_p": found.small_prior}
        else:
            price = pruning_price(draws=inputs["m"], workers=inputs["n"], alpha=inputs["alpha"], keep=inputs["p"],
                                  cell_draws=inputs["mmax"])  # fmt: skip
            told = {
                "eps_exact": price.exact,
                "G": price.pruned_factor,
                "eps_nominal": price.nominal,
                "bound": price.bound,
            }
        for name, value in expected.items():
            assert float(told[name]) == pytest.approx(value, rel=1e-10)


def price_by_enumeration(
    rows: int, alpha: Fraction, keep: Fraction, *, draws: int, most: int, others: tuple[Fraction, ...]
) -> float:
    """Three cells; all known rows in the third. The unknown row lives in the first or in the second. The first cell's
    prior is pruned at random; so are the others' where the attacker does not see it (`others` are their priors)."""
    known = (0, 0, rows - 1)
    patterns = list(itertools.product((True, False), repeat=1 + len(others)))
    largest = Fraction(0)
    for outcome in urn.outcomes(draws, 3):
        if not 0 < outcome[0] <= most:
            continue
        chances = [Fraction(0), Fraction(0)]
        for pattern in patterns:
            priors = [prior * kept for prior, kept in zip((alpha, *others), pattern, strict=True)]
            priors += [Fraction(0)] * (3 - len(priors))
            likely = Fraction(1)
            for kept in pattern:
                likely *= keep if kept else 1 - keep
            weights = [prior + count for prior, count in zip(priors, known, strict=True)]
            for cell in (0, 1):
                chances[cell] += likely * urn.chance(outcome, urn.with_row(weights, cell))
        if chances[1]:
            largest = max(largest, chances[0] / chances[1])
    return math.log(largest)


@pytest.mark.parametrize("alpha", ["0.1", "1", "3"])
@pytest.mark.parametrize(("keep", "most"), [("0.1", 6), ("0.5", 2), ("1", 6)])
def test_that_the_price_is_the_one_enumeration_finds(alpha: str, keep: str, most: int) -> None:
    by_hand = price_by_enumeration(5, Fraction(alpha), Fraction(keep), draws=6, most=most, others=())
    found = pruning_price(draws=6, workers=5, alpha=float(alpha), keep=float(keep), cell_draws=most)
    assert found.exact == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("alpha", ["0.1", "2"])
def test_that_it_bounds_the_price_where_other_priors_are_pruned_unseen(alpha: str) -> None:
    prior = Fraction(alpha)
    by_hand = price_by_enumeration(4, prior, Fraction("0.2"), draws=4, most=4, others=(prior, prior))
    found = pruning_price(draws=4, workers=4, alpha=float(alpha), keep=0.2)
    assert math.log1p(4 / float(alpha)) < by_hand <= found.exact


def test_that_the_worst_number_of_draws_is_the_worst_of_all() -> None:
    for alpha in (0.02, 0.7, 1.0, 1.5, 6.0):
        for keep in (0.01, 0.5):
            whole = pruning_price(draws=40, workers=30, alpha=alpha, keep=keep)
            below = pruning_prices(draws=40, workers=30, alpha=alpha, keep=keep, cell_draws=np.arange(1, 41))
            assert whole.exact == pytest.approx(float(below.exact.max()), rel=1e-13)
            at_worst = pruning_price(draws=40, workers=30, alpha=alpha, keep=keep, cell_draws=whole.worst_cell_draws)
            assert at_worst.exact == pytest.approx(whole.exact, rel=1e-13)


def test_that_keeping_all_costs_nothing_and_the_headline_knows_its_limits() -> None:
    assert pruning_price(draws=9, workers=9, alpha=0.1, keep=1.0).exact == pytest.approx(math.log(91), rel=1e-14)
    assert pruning_price(draws=10, workers=10, alpha=0.0203078, keep=0.025).headline_holds
    assert not pruning_price(draws=10, workers=10, alpha=10.0, keep=0.025).headline_holds


def test_that_many_populations_are_priced_at_once() -> None:
    m, alpha = np.array([10, 5, 0]), np.array([0.1, 0.0, 0.1])
    prices = pruning_prices(draws=m, workers=np.array([10, 5, 3]), alpha=alpha, keep=0.1)
    assert prices.exact[0] == pytest.approx(6.727364120498669, rel=1e-10)
    assert prices.exact[1] == prices.nominal[1] == math.inf
    assert prices.exact[2] == prices.nominal[2] == 0.0


@pytest.mark.parametrize("keep", [0.0, -0.1, 1.01, math.nan])
def test_that_the_chance_to_keep_lies_above_zero_and_up_to_one(keep: float) -> None:
    with pytest.raises(UserProblem, match="above 0 and at most 1"):
        pruning_price(draws=10, workers=10, alpha=0.1, keep=keep)


def test_that_a_cell_cannot_get_more_than_all_draws() -> None:
    with pytest.raises(UserProblem, match="more than all the draws"):
        pruning_price(draws=10, workers=10, alpha=0.1, keep=0.1, cell_draws=11)

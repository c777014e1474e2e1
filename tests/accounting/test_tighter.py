"""Composition that is tighter than the sum: exact, against brute force, against the grid, and never too cheap."""

from __future__ import annotations

import itertools
import math
import random
from decimal import Decimal
from typing import Any

import pytest

from tests.accounting.test_ledger import claim
from workbench.accounting import optimal, pld
from workbench.accounting.composition import homogeneous_delta
from workbench.accounting.totals import Rule, in_sequence, tightest
from workbench.core.claims import Definition
from workbench.core.errors import Defect

Pairs = list[tuple[Decimal, Decimal]]
MIXED: Pairs = [
    (Decimal("0.5"), Decimal("1e-7")), (Decimal("0.3"), Decimal(0)), (Decimal("0.5"), Decimal(0)),
    (Decimal("1"), Decimal("1e-8")), (Decimal("0.2"), Decimal("1e-7")), (Decimal("0.3"), Decimal(0)),
]  # fmt: skip


def brute_force(pairs: Pairs, epsilon: float) -> float:
    """Hockey-stick divergence summed over all outcomes of k coins that fail openly or answer with odds e^ε."""
    intact = math.prod(1 - float(delta) for _, delta in pairs)
    beyond = 0.0
    for signs in itertools.product((1, -1), repeat=len(pairs)):
        here = math.prod(1 / (1 + math.exp(-s * float(e))) for s, (e, _) in zip(signs, pairs, strict=True))
        there = math.prod(1 / (1 + math.exp(s * float(e))) for s, (e, _) in zip(signs, pairs, strict=True))
        beyond += max(0.0, here - math.exp(epsilon) * there)
    return 1 - intact * (1 - beyond)


@pytest.mark.parametrize("epsilon", ["0", "0.4", "1.1", "2", "2.7"])
def test_that_the_exact_delta_is_that_of_brute_force(epsilon: str) -> None:
    exact = optimal.delta_at(MIXED, Decimal(epsilon))
    assert float(exact) == pytest.approx(brute_force(MIXED, float(epsilon)), rel=1e-9)


def test_that_equal_pure_losses_give_the_known_optimal_bound() -> None:
    pairs: Pairs = [(Decimal("0.1"), Decimal(0))] * 10
    for total in ("0", "0.35", "0.6", "0.9"):
        known = homogeneous_delta(each=Decimal("0.1"), times=10, total=Decimal(total))
        assert float(optimal.delta_at(pairs, Decimal(total))) == pytest.approx(float(known), rel=1e-20)


@pytest.mark.parametrize("delta", ["3e-7", "1e-6", "1e-3", "0.02", "0.3"])
def test_that_the_smallest_epsilon_keeps_delta_and_a_smaller_one_does_not(delta: str) -> None:
    epsilon = optimal.epsilon_at(MIXED, Decimal(delta))
    assert epsilon is not None
    assert optimal.delta_at(MIXED, epsilon) <= Decimal(delta)
    if epsilon > 0:
        assert optimal.delta_at(MIXED, epsilon - Decimal("0.000002")) > Decimal(delta)


def test_that_random_pairs_are_priced_alike_by_the_exact_sums_and_by_the_grid() -> None:
    draw = random.Random(5)
    for _ in range(12):
        pairs: Pairs = [
            (Decimal(draw.randint(1, 12)) / 10, Decimal(draw.choice(["0", "1e-8", "1e-6"])))
            for _ in range(draw.randint(2, 9))
        ]
        exact = optimal.epsilon_at(pairs, Decimal("1e-4"))
        laws = [(pld.Guarantee(epsilon=float(e), delta=float(d)), 1) for e, d in pairs]
        assert exact is not None
        assert float(exact) == pytest.approx(pld.epsilon_at(laws, 1e-4), abs=2e-4 * len(pairs))


def test_that_no_price_is_named_where_the_failures_alone_are_too_many() -> None:
    assert optimal.epsilon_at([(Decimal(1), Decimal("1e-3"))], Decimal("1e-4")) is None
    assert tightest([claim("1", delta="1e-3"), claim("1", delta="1e-3")], Decimal("1e-4")).rule is Rule.SEQUENTIAL


def test_that_a_single_loss_costs_itself_without_a_delta() -> None:
    assert optimal.epsilon_at([(Decimal("1.2345678"), Decimal(0))], Decimal(0)) == Decimal("1.2345678")
    assert optimal.epsilon_at([], Decimal("0.1")) == 0
    with pytest.raises(Defect):
        optimal.epsilon_at([(Decimal("Infinity"), Decimal(0))], Decimal("0.1"))


def test_that_two_laplace_releases_have_the_exact_delta_of_the_golden_table(golden: Any) -> None:
    table = golden("composition")
    cases = [case for case in table["cases"] if case["inputs"]["type"] == "two_laplace_exact_pld"]
    assert cases
    for case in cases:
        law = pld.LaplaceNoise(scale=1 / case["inputs"]["eps0"])
        found = pld.delta_at([(law, 2)], case["inputs"]["eps"], grid=1e-5)
        assert found == pytest.approx(case["expected"]["delta"], rel=table["rtol"])


def test_that_sampled_gaussian_steps_agree_with_the_reference(golden: Any) -> None:
    table = golden("pld_reference")
    for case in table["cases"]:
        inputs = case["inputs"]
        law = pld.GaussianNoise(sigma=inputs["sigma"], sampling=inputs["q"])
        found = pld.epsilon_at([(law, inputs["T"])], inputs["delta"])
        assert found == pytest.approx(case["expected"]["eps"], rel=table["rtol"])


@pytest.fixture
def oracle(golden: Any) -> dict[str, float]:
    found: dict[str, float] = golden("accounting_oracle")["values"]
    return found


def test_that_laplace_and_gaussian_losses_agree_with_other_tools(oracle: dict[str, float]) -> None:
    checked = 0
    for name, expected in oracle.items():
        if not name.startswith("PLD eps:"):
            continue
        words = {part.split("=")[0]: part.split("=")[1] for part in name.replace(",", "").split() if "=" in part}
        times = next((int(part[1:].rstrip(",")) for part in name.split() if part[0] == "x"), 1)
        scale = float(words.get("scale", words.get("sigma", "1")))
        law: pld.Law = pld.LaplaceNoise(scale=scale) if "Laplace" in name else pld.GaussianNoise(sigma=scale)
        assert pld.epsilon_at([(law, times)], float(words["delta"])) == pytest.approx(expected, rel=1e-6), name
        checked += 1
    assert checked >= 30


def test_that_the_noise_other_tools_solve_for_spends_exactly_what_was_asked(oracle: dict[str, float]) -> None:
    for times in (20, 500):
        scale = oracle[f"get_smallest_laplace_noise(eps=1,delta=1e-4,k={times},sens=1)"]
        assert pld.epsilon_at([(pld.LaplaceNoise(scale=scale), times)], 1e-4) == pytest.approx(1, rel=1e-3)
    sigma = oracle["get_smallest_gaussian_noise(eps=1,delta=0.78760074,k=25,sens=6)"]
    law = pld.GaussianNoise(sigma=sigma, sensitivity=6)
    assert pld.delta_at([(law, 25)], 1) == pytest.approx(0.78760074, rel=1e-4)


def test_that_randomised_response_costs_its_closed_form(oracle: dict[str, float]) -> None:
    known = {name: expected for name, expected in oracle.items() if "closed-form" in name}
    assert known
    for expected in known.values():
        assert pld.epsilon_at([(pld.Guarantee(epsilon=expected), 1)], 0.0) == pytest.approx(expected, abs=1.01e-4)


def test_that_the_optimal_bound_is_at_most_what_approximate_bounds_say(oracle: dict[str, float]) -> None:
    expected = oracle["diffprivlib total eps: 700 x 2^-9 pure, slack 2^-25"]
    pairs: Pairs = [(Decimal(2) ** -9, Decimal(0))] * 700
    found = optimal.epsilon_at(pairs, Decimal(2) ** -25)
    assert found is not None
    assert 0.5 * expected < float(found) <= expected


def test_that_an_allowed_delta_makes_many_releases_cheaper_and_none_too_cheap() -> None:
    entries = [claim("0.1")] * 60
    cost = tightest(entries, Decimal("1e-6"))
    assert cost.rule is Rule.PLD
    assert cost.epsilon < in_sequence(entries).epsilon == 6
    assert optimal.delta_at([(Decimal("0.1"), Decimal(0))] * 60, cost.epsilon) <= Decimal("1e-6")
    assert tightest(entries).rule is Rule.SEQUENTIAL, "without a δ there is nothing to trade"


def test_that_losses_with_too_many_different_sums_are_priced_on_the_grid() -> None:
    draw = random.Random(7)
    pairs: Pairs = [(Decimal(draw.randint(10**8, 10**9)).scaleb(-10), Decimal(0)) for _ in range(16)]
    assert optimal.too_many(pairs)
    cost = tightest([claim(str(epsilon)) for epsilon, _ in pairs], Decimal("1e-3"))
    assert cost.rule is Rule.PLD
    assert float(optimal.delta_at(pairs, cost.epsilon)) <= 1e-3


@pytest.mark.parametrize("definition", [Definition.PROBABILISTIC, Definition.CONDITIONAL])
def test_that_definitions_that_are_no_true_pairs_are_only_added(definition: Definition) -> None:
    assert tightest([claim("0.1", definition)] * 60, Decimal("1e-6")).rule is Rule.SEQUENTIAL


def test_that_a_grid_result_is_rounded_up() -> None:
    assert pld.upwards(1.23456) == Decimal("1.2346")
    assert pld.upwards(2.0) > 2
    assert pld.upwards(math.inf) == Decimal("Infinity")
    with pytest.raises(Defect):
        pld.epsilon_at([], 0.1)

"""Composition against the golden table, and by second routes: brute force over outcomes, fractions, floats."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.accounting.composition import (
    exact_difference,
    exact_product,
    group,
    homogeneous_delta,
    sequential,
)
from workbench.core.errors import Defect

losses = st.decimals(min_value="0", max_value="50", allow_nan=False, allow_infinity=False, places=9)


def _d(value: object) -> Decimal:
    return Decimal(str(value))


def _corners(*, each: Decimal, times: int) -> list[tuple[Decimal, Decimal]]:
    """(ε, δ) of the optimal composition at ε = (k − 2i)·ε₀ for i = 0 … ⌊k/2⌋, largest ε (and δ = 0) first."""
    losses = [each * (times - 2 * i) for i in range(times // 2 + 1)]
    return [(loss, homogeneous_delta(each=each, times=times, total=loss)) for loss in losses]


def _computed(inputs: dict[str, Any]) -> dict[str, Decimal]:
    match inputs["type"]:
        case "sequential":
            return {"eps": sequential(_d(each) for each in inputs["eps"])}
        case "group":
            epsilon, delta = group(epsilon=_d(inputs["eps"]), delta=_d(inputs["delta"]), size=inputs["k"])
            return {"eps": epsilon, "delta": delta}
        case "kov":
            epsilon, delta = _corners(each=_d(inputs["eps0"]), times=inputs["k"])[inputs["i"]]
            return {"eps": epsilon, "delta": delta}
    raise AssertionError(inputs["type"])


def test_that_composition_agrees_with_the_golden_table(golden: Any) -> None:
    table = golden("composition")
    ours = {"sequential", "group", "kov"}
    cases = [case for case in table["cases"] if case["inputs"]["type"] in ours]
    assert {case["inputs"]["type"] for case in cases} == ours
    for case in cases:
        computed = _computed(case["inputs"])
        for key, expected in case["expected"].items():
            assert float(computed[key]) == pytest.approx(expected, rel=table["rtol"]), case


def test_that_the_optimal_bound_covers_two_laplace_releases_whose_exact_delta_is_known(golden: Any) -> None:
    cases = [c for c in golden("composition")["cases"] if c["inputs"]["type"] == "two_laplace_exact_pld"]
    assert cases
    for case in cases:
        bound = homogeneous_delta(each=_d(case["inputs"]["eps0"]), times=2, total=_d(case["inputs"]["eps"]))
        assert case["expected"]["delta"] <= float(bound) <= 1


@pytest.mark.parametrize("total", ["0", "0.3", "0.7", "1.4", "2.1"])
def test_that_the_optimal_delta_is_reached_by_randomised_response(total: str) -> None:
    """Brute force: k answers of randomised response, hockey-stick divergence summed over all 2^k outcomes."""
    each, times = 0.7, 5
    truth = math.exp(each) / (1 + math.exp(each))
    delta = 0.0
    for outcome in itertools.product((0, 1), repeat=times):
        ones = sum(outcome)
        here = truth ** (times - ones) * (1 - truth) ** ones
        there = truth**ones * (1 - truth) ** (times - ones)
        delta += max(0.0, here - math.exp(float(total)) * there)
    computed = homogeneous_delta(each=Decimal("0.7"), times=times, total=Decimal(total))
    assert float(computed) == pytest.approx(delta, rel=1e-12)


def test_that_the_optimal_composition_never_promises_less_than_no_delta_at_the_full_sum() -> None:
    corners = _corners(each=Decimal("0.1"), times=10)
    assert corners[0] == (Decimal("1.0"), Decimal(0))
    assert [loss for loss, _ in corners] == sorted((loss for loss, _ in corners), reverse=True)
    assert [delta for _, delta in corners] == sorted(delta for _, delta in corners)


@given(st.lists(losses, max_size=40))
def test_that_a_sum_is_exact(values: list[Decimal]) -> None:
    assert Fraction(sequential(values)) == sum((Fraction(value) for value in values), Fraction(0))


def test_that_seven_tenths_are_seven_tenths() -> None:
    assert sequential([Decimal("0.1")] * 7) == Decimal("0.7")


def test_that_thirty_digits_are_kept() -> None:
    long = Decimal("0.123456789012345678901234567890123")
    assert sequential([long, Decimal(5)]) == Decimal("5.123456789012345678901234567890123")
    assert exact_product(long, Decimal(3)) == Decimal("0.370370367037037036703703703670369")
    assert exact_difference(Decimal(1), long) == Decimal("0.876543210987654321098765432109877")


def test_that_a_sum_that_cannot_be_exact_is_a_defect_not_a_rounding() -> None:
    with pytest.raises(Defect):
        sequential([Decimal(1), Decimal("1e-3000")])
    with pytest.raises(Defect):
        exact_product(Decimal("1." + "3" * 1500), Decimal("1." + "7" * 1500))


def test_that_infinite_losses_stay_infinite() -> None:
    assert sequential([Decimal("Infinity"), Decimal(1)]) == Decimal("Infinity")


@given(epsilon=losses.filter(lambda value: value <= 3), size=st.integers(1, 12))
def test_that_the_group_delta_is_the_sum_of_single_steps_rounded_up(epsilon: Decimal, size: int) -> None:
    delta = Decimal("1e-20")
    total, group_delta = group(epsilon=epsilon, delta=delta, size=size)
    steps = sum(1e-20 * math.exp(i * float(epsilon)) for i in range(size))
    assert total == epsilon * size
    assert float(group_delta) == pytest.approx(steps, rel=1e-12)


def test_that_a_group_delta_is_never_rounded_down_nor_above_one() -> None:
    _, three_steps = group(epsilon=Decimal(0), delta=Decimal("1e-7"), size=3)
    assert three_steps >= Decimal("3e-7")
    _, capped = group(epsilon=Decimal(2), delta=Decimal("0.2"), size=9)
    assert capped == 1
    assert group(epsilon=Decimal(2), delta=Decimal(0), size=9) == (Decimal(18), Decimal(0))


def test_that_composition_over_nothing_is_a_defect() -> None:
    for times in (0, -1):
        with pytest.raises(Defect):
            homogeneous_delta(each=Decimal(1), times=times, total=Decimal(0))
    with pytest.raises(Defect):
        group(epsilon=Decimal(1), delta=Decimal(0), size=0)

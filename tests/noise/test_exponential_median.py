"""Medians by the exponential mechanism: published shares, the law by enumeration, and what one value changes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.noise.test_geometric import p_value
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.noise.exponential_median import Lists, _exactly, draw, gaps, shares
from workbench.noise.lazy_uniform import LazyUniform


def lists(*values: list[int], low: int = 0, high: int = 20) -> Lists:
    ends = np.cumsum([len(each) for each in values])
    return Lists(
        values=np.array([value for each in values for value in sorted(each)], dtype=np.int64),
        start=ends - [len(each) for each in values],
        end=ends,
        low=np.full(len(values), low),
        high=np.full(len(values), high),
    )


def law(values: list[int], epsilon: float, low: int = 0, high: int = 20) -> np.ndarray:
    """Every integer by itself: a second route."""
    weight = np.array(
        [np.exp(-epsilon * abs(sum(v <= d for v in values) - len(values) / 2)) for d in range(low, high + 1)]
    )
    found: np.ndarray = weight / weight.sum()
    return found


def test_that_gaps_have_the_published_shares(golden: Any) -> None:
    for case in golden("exponential_quantile")["cases"]:
        inputs = case["inputs"]
        assert inputs["quantile"] == 0.5
        held = lists(inputs["values"], low=inputs["low"], high=inputs["high"] - 1)
        _, lengths = gaps(held, np.array([0]), len(inputs["values"]))
        found = shares(lengths, inputs["eps"])[0]
        assert found == pytest.approx(case["expected"]["interval_probabilities"], rel=1e-10)


@pytest.mark.parametrize("values", [[], [7], [3, 3, 9], [0, 0, 0, 20], [5, 6, 7, 8, 9, 10]])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_that_draws_have_the_law(values: list[int], epsilon: Fraction) -> None:
    drawn = draw(lists(*[values] * 20_000), epsilon, ReleaseRandom())
    expected = law(values, float(epsilon)) * len(drawn)
    assert p_value(np.bincount(drawn, minlength=21), expected) > 1e-5


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_that_one_value_more_loses_at_most_epsilon(epsilon: float) -> None:
    worst = 0.0
    for values in ([], [4], [2, 9], [0, 0, 20], [5, 6, 7, 8]):
        for joiner in range(0, 21, 4):
            pair = law(values, epsilon), law([*values, joiner], epsilon)
            worst = max(worst, float(np.abs(np.log(pair[0] / pair[1])).max()))
    assert worst <= epsilon * (1 + 1e-9)
    assert worst > 0.7 * epsilon


def test_that_the_exact_route_agrees_with_floats() -> None:
    lengths, epsilon = np.array([4, 0, 3, 9]), Fraction(1)
    upper = np.cumsum(shares(lengths[None, :], 1.0)[0])
    for tail in (0.01, float(upper[0]) - 1e-6, float(upper[0]) + 1e-6, 0.5, 0.999):
        word = LazyUniform(int(tail * 2**64), 64, StudyRandom(1))
        assert _exactly(lengths, epsilon, word) == int((tail >= upper).sum())

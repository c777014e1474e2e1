"""Beta-binomial tails: against exact fractions, and against an independent library."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.products.commuting_flows.dirichlet import urn
from workbench.products.commuting_flows.dirichlet.beta_binomial import log_pmf, tail_ceiling, upper_tail


@pytest.mark.parametrize(
    ("draws", "a", "b"),
    [
        (12, "0.1", "30.5"),
        (12, "1.1", "0.2"),
        (25, "0.03", "0.4"),
        (25, "40", "3"),
        (40, "2.5", "300"),
        (1, "0.5", "0.5"),
    ],
)
def test_that_every_tail_is_that_of_the_urn(draws: int, a: str, b: str) -> None:
    t = np.arange(-1, draws + 3)
    exact = [float(urn.tail(int(value), draws, Fraction(a), Fraction(b))) for value in t]
    assert upper_tail(t, draws=draws, a=float(a), b=float(b)) == pytest.approx(exact, rel=1e-12, abs=0)


def test_that_long_tails_agree_with_the_library() -> None:
    from scipy.stats import betabinom

    rng = np.random.default_rng(3)
    m = rng.integers(50, 5000, 60)
    a, b = 10 ** rng.uniform(-2, 2, 60), 10 ** rng.uniform(-1, 4, 60)
    t = np.floor(rng.random(60) ** 2 * m)
    summed = [
        betabinom.pmf(np.arange(first, last + 1), last, *ab).sum() for first, last, *ab in zip(t, m, a, b, strict=True)
    ]
    assert upper_tail(t, draws=m, a=a, b=b) == pytest.approx(summed, rel=1e-9, abs=1e-290)


def test_that_cells_without_weight_get_none_and_lone_cells_all() -> None:
    assert upper_tail([0, 1, 5, 6], draws=5, a=0.0, b=2.0).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert upper_tail([0, 1, 5, 6], draws=5, a=2.0, b=0.0).tolist() == [1.0, 1.0, 1.0, 0.0]


def test_that_probabilities_add_up_to_one() -> None:
    assert np.exp(log_pmf(np.arange(301), draws=300, a=0.3, b=17.0)).sum() == pytest.approx(1.0, rel=1e-12)


def test_that_the_quick_ceiling_never_lies_below_the_tail() -> None:
    rng = np.random.default_rng(4)
    m = rng.integers(1, 400, 3000).astype(float)
    t = np.floor(rng.random(3000) * m) + 1.0
    a, b = 10 ** rng.uniform(-2, 2, 3000), 10 ** rng.uniform(-2, 3, 3000)
    exact, ceiling = upper_tail(t, draws=m, a=a, b=b), tail_ceiling(t, draws=m, a=a, b=b)
    assert np.all(ceiling >= exact * (1 - 1e-12))
    assert np.median(ceiling[ceiling < 1.0] / exact[ceiling < 1.0]) < 1.5

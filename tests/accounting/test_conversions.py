"""ρ, μ and (ε, δ): the conversions against published values, by a second route, rounded with care."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.accounting import gaussian_dp, zcdp
from workbench.noise import discrete_gaussian


def test_that_rho_has_the_published_values(golden: Any) -> None:
    table = golden("survey_zcdp")
    for case in table["cases"]:
        found = zcdp.rho_of(case["inputs"]["eps"], case["inputs"]["delta"])
        assert found == pytest.approx(case["expected"]["rho"], rel=table["rtol"])


def test_that_mu_has_the_published_values(golden: Any) -> None:
    for case in golden("gdp_mu")["cases"]:
        found = gaussian_dp.mu_of(case["inputs"]["eps"], case["inputs"]["delta"])
        assert found == pytest.approx(case["expected"]["mu"], rel=case["rtol"])


def test_that_the_analytic_gaussian_has_the_published_values(golden: Any) -> None:
    table = golden("gaussian_analytic")
    for case in table["cases"]:
        inputs = case["inputs"]
        found = gaussian_dp.delta_of(inputs["sensitivity"] / inputs["sigma"], inputs["eps"])
        assert found == pytest.approx(case["expected"]["delta"], rel=table["rtol"])


@settings(deadline=None, max_examples=60)
@given(st.floats(0.01, 12.0), st.floats(1.0, 10.0))
def test_that_there_and_back_never_promises_more(epsilon: float, power: float) -> None:
    delta = 10.0**-power
    rho = zcdp.rho_of(epsilon, delta)
    assert zcdp.delta_of(rho, epsilon) <= delta
    assert epsilon * (1 - 1e-9) - 1e-9 <= zcdp.epsilon_of(rho, delta) <= epsilon * (1 + 1e-12)
    mu = gaussian_dp.mu_of(epsilon, delta)
    assert gaussian_dp.delta_of(mu, epsilon) <= delta
    assert gaussian_dp.epsilon_of(mu, delta) <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("rho", [0.001, 0.1, 1.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0, 40.0])
def test_that_the_search_finds_the_smallest_of_a_fine_grid(rho: float, epsilon: float) -> None:
    above = np.exp(np.linspace(math.log(1e-8), math.log(1e6), 200_001))
    order = 1.0 + above
    logs = above * (order * rho - epsilon) - np.log(above) - order * np.log1p(1.0 / above)
    assert zcdp.delta_of(rho, epsilon) == pytest.approx(min(1.0, math.exp(min(logs.min(), 1.0))), rel=1e-6)


@pytest.mark.parametrize(("sigma", "epsilon"), [(0.7, 8.0), (1.0, 2.0), (3.0, 1.0), (3.7742, 4.0)])
def test_that_the_integer_law_stays_below_the_delta_of_its_rho(sigma: float, epsilon: float) -> None:
    values = np.arange(-200, 201)
    first, second = discrete_gaussian.probability(values, sigma), discrete_gaussian.probability(values - 1, sigma)
    true = float(np.maximum(first - math.exp(epsilon) * second, 0.0).sum())
    assert true <= zcdp.delta_of(1.0 / (2.0 * sigma * sigma), epsilon)


def test_that_the_formula_for_continuous_noise_is_too_small_for_integers() -> None:
    """Why δ of discrete Gaussian noise is never read off the analytic formula: one plain count at ε = 8."""
    mu = gaussian_dp.mu_of(8.0, 1e-6)
    values = np.arange(-200, 201)
    first = discrete_gaussian.probability(values, 1.0 / mu)
    second = discrete_gaussian.probability(values - 1, 1.0 / mu)
    true = float(np.maximum(first - math.exp(8.0) * second, 0.0).sum())
    assert true > 2.9e-6


def test_that_a_pure_release_costs_no_more_than_half_its_square() -> None:
    for epsilon in (0.01, 0.5, 1.0, 4.0):
        assert zcdp.rho_of_pure(epsilon) <= epsilon * epsilon / 2.0

"""The formulas of model fits against published values, and by a second route."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from workbench.accounting import gaussian_dp
from workbench.core.errors import Defect
from workbench.products.model_fits import logit
from workbench.products.model_fits.mechanisms import (
    newton_noise,
    objective_noise,
    step_accounting,
    table_logit,
)
from workbench.products.model_fits.params import PredictorParams


def test_that_noisy_counts_give_the_published_fit(golden: Any) -> None:
    for case in golden("table_logit")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        levels = np.column_stack([np.ones(len(inputs["levels"])), inputs["levels"]])
        ones, zeros = np.array(inputs["noisy_ones"]), np.array(inputs["noisy_zeros"])
        beta = logit.fit_counts(levels, ones, zeros)
        sampling, privacy = logit.covariances(levels, ones + zeros, beta, 2 / inputs["eps"] ** 2)
        assert beta == pytest.approx(expected["beta"], rel=case["rtol"])
        assert np.sqrt(np.diag(sampling)) == pytest.approx(expected["se_sampling"], rel=case["rtol"])
        assert np.sqrt(np.diag(privacy)) == pytest.approx(expected["se_privacy"], rel=case["rtol"])
        assert np.sqrt(np.diag(sampling + privacy)) == pytest.approx(expected["se_total"], rel=case["rtol"])


def test_that_the_score_equation_is_solved_even_with_negative_counts() -> None:
    levels = np.column_stack([np.ones(4), [-1.0, -0.3, 0.4, 1.0]])
    ones, zeros = np.array([-1.2, 20.0, 60.0, 90.0]), np.array([30.0, 40.0, 30.0, -2.0])
    beta = logit.fit_counts(levels, ones, zeros)
    score = levels.T @ (ones - (ones + zeros) * logit.probability(levels, beta))
    assert np.abs(score).max() < 1e-8


def test_that_a_separated_table_stays_finite() -> None:
    levels = np.column_stack([np.ones(2), [-1.0, 1.0]])
    beta = logit.fit_counts(levels, np.array([0.0, 50.0]), np.array([50.0, 0.0]))
    assert np.isfinite(beta).all()


def test_that_newton_noise_has_the_published_scales(golden: Any) -> None:
    for case in golden("newton_noise")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        noise = newton_noise.noise_for(
            epsilon=inputs["eps"], delta=inputs["delta"], coefficients=inputs["d"], steps=inputs["steps"],
            share=inputs["share_S"],
        )  # fmt: skip
        found = (noise.radius, noise.clip, noise.moments, noise.gradient)
        assert found == pytest.approx(tuple(expected[name] for name in ("R", "C", "sd_S", "sd_gradient")), rel=1e-9)


@pytest.mark.parametrize("coefficients", [2, 3, 5])
def test_that_the_shares_of_newton_noise_add_up_to_its_mu(coefficients: int) -> None:
    """One person's X′X moves by norm R² at most (off-diagonals counted once, with noise divided by √2)."""
    noise = newton_noise.NewtonNoise(coefficients=coefficients, mu=0.7)
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * (coefficients - 1))).reshape(coefficients - 1, -1).T
    rows = np.column_stack([np.ones(len(corners)), corners])
    largest = 0.0
    for row in rows:
        outer = np.outer(row, row)
        diagonal = (np.diag(outer) ** 2).sum()
        off = 2.0 * (outer[np.triu_indices(coefficients, 1)] ** 2).sum()
        largest = max(largest, math.sqrt(diagonal + off))
    moments = largest / noise.moments
    gradients = math.sqrt(noise.steps) * noise.clip / noise.gradient
    assert math.hypot(moments, gradients) == pytest.approx(noise.mu, rel=1e-12)


def test_that_objective_perturbation_has_the_published_noise(golden: Any) -> None:
    for case in golden("objective_perturbation")["cases"]:
        inputs, expected = case["inputs"], case["expected"]
        strength = objective_noise.strength_for(inputs["eps"], inputs["R"], inputs["frac"])
        sigma = objective_noise.sigma_for(
            epsilon=inputs["eps"], delta=inputs["delta"], radius=inputs["R"], strength=strength
        )
        assert strength == pytest.approx(expected["lam"], rel=case["rtol"])
        assert sigma == pytest.approx(expected["sigma"], rel=case["rtol"])


@pytest.mark.parametrize(("mu", "price"), [(0.01, 0.044), (0.001, 0.0039), (0.0001, 0.00034)])
def test_that_the_output_step_is_taken_out_of_epsilon_beforehand(mu: float, price: float) -> None:
    noise = objective_noise.noise_for(epsilon=1.0, delta=1e-6, coefficients=2, output_mu=mu)
    assert noise.output_epsilon == pytest.approx(price, rel=0.05)
    spent = objective_noise.delta_at(
        epsilon=1.0 - noise.output_epsilon, radius=math.sqrt(2), strength=noise.strength, sigma=noise.sigma
    )
    assert spent + noise.output_delta <= 1e-6
    assert gaussian_dp.delta_of(noise.output_mu, noise.output_epsilon) <= noise.output_delta
    # what the output step must hide: twice (solver, grid of b) over λ, and the grid of the output itself
    moved = 2 * (noise.tolerance + math.sqrt(2) * noise.sigma / 2 / objective_noise.LINEAR_GRID) / noise.strength
    moved += math.sqrt(2) * noise.output_sigma / objective_noise.OUTPUT_GRID
    assert moved / noise.output_sigma <= mu


def test_that_an_output_step_without_noise_is_refused() -> None:
    noise = objective_noise.noise_for(epsilon=1.0, delta=1e-6, coefficients=2)
    with pytest.raises(Defect):
        _ = replace(noise, output_mu=math.sqrt(2) / objective_noise.OUTPUT_GRID).output_sigma
    with pytest.raises(Defect):
        _ = replace(noise, output_mu=math.inf).output_sigma


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_that_the_exact_minimum_in_one_dimension_stays_below_its_delta(epsilon: float) -> None:
    """Densities of the minimum for a row added or not: θ solves λθ + b + Σ gradients = 0, so b is known from θ."""
    radius, delta = 1.0, 0.01
    strength = objective_noise.strength_for(epsilon, radius)
    sigma = objective_noise.sigma_for(epsilon=epsilon, delta=delta, radius=radius, strength=strength)
    theta = np.linspace(-60, 60, 400_001) * sigma / strength / 6
    rows = [(1.0, 1), (0.4, 0), (-0.8, 1)]

    def density(data: list[tuple[float, int]]) -> np.ndarray:
        gradient, curvature = strength * theta, np.full(len(theta), strength)
        for x, y in data:
            p = 1 / (1 + np.exp(-x * theta))
            gradient, curvature = gradient + x * (p - y), curvature + x * x * p * (1 - p)
        law: np.ndarray = np.exp(-(gradient**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi)) * curvature
        return law

    step = theta[1] - theta[0]
    for added in ((1.0, 1), (1.0, 0), (-1.0, 1), (0.5, 0)):
        without, with_ = density(rows), density([*rows, added])
        for first, second in ((without, with_), (with_, without)):
            assert np.maximum(first - math.exp(epsilon) * second, 0).sum() * step <= delta


def test_that_steps_have_the_published_renyi_costs(golden: Any) -> None:
    for case in golden("rdp_dpsgd")["cases"]:
        inputs = case["inputs"]
        if "order" in inputs:
            found = step_accounting.renyi_of_step(inputs["q"], inputs["sigma"], inputs["order"])
            assert found == pytest.approx(case["expected"]["rdp"], rel=1e-10)
        else:
            found = step_accounting.epsilon_by_renyi(inputs["q"], inputs["sigma"], inputs["T"], inputs["delta"])
            assert found == pytest.approx(case["expected"]["eps"], rel=1e-10)


def test_that_loss_distributions_have_the_published_costs(golden: Any) -> None:
    table = golden("pld_reference")
    for case in table["cases"]:
        inputs = case["inputs"]
        found = step_accounting.epsilon_by_pld(inputs["q"], inputs["sigma"], inputs["T"], inputs["delta"])
        assert found == pytest.approx(case["expected"]["eps"], rel=table["rtol"])


def test_that_the_course_example_costs_what_is_published() -> None:
    assert step_accounting.epsilon_by_renyi(0.01, 1.1, 1000, 1e-5) == pytest.approx(1.725, abs=0.001)
    assert step_accounting.epsilon_by_pld(0.01, 1.1, 1000, 1e-5) == pytest.approx(1.515, abs=0.001)


def test_that_the_noise_of_descent_is_the_published_one(golden: Any) -> None:
    for case in golden("dpsgd_sigma")["cases"][:1]:
        inputs = case["inputs"]
        found = step_accounting.sigma_for(inputs["q"], inputs["T"], inputs["eps"], inputs["delta"])
        assert found == pytest.approx(case["expected"]["sigma_pld"], rel=case["rtol"])
        assert step_accounting.epsilon_by_pld(inputs["q"], found, inputs["T"], inputs["delta"]) <= inputs["eps"]


@pytest.mark.parametrize(("lower", "upper"), [("0", "240000000000"), ("0", "0.00003")])
def test_that_bounds_beyond_the_exact_grid_are_refused(lower: str, upper: str) -> None:
    assert PredictorParams(lower=Decimal(lower), upper=Decimal(upper)).check()


@pytest.mark.parametrize("knots", [4, 17, 64])
def test_that_one_person_adds_the_declared_units_to_the_table(knots: int) -> None:
    knot, upper = table_logit.hat_shares(np.arange(-1000, 1001), knots)
    assert ((upper >= 0) & (upper <= table_logit.UNITS)).all()
    assert ((knot >= 0) & (knot <= knots - 2)).all()
    for levels in (2, 5, 64):
        place = table_logit.nearest_level(np.arange(-1000, 1001), levels)
        assert (place.min(), place.max()) == (0, levels - 1)

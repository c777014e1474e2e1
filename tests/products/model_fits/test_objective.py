"""Objective perturbation: where the solver ends, what it does on odd data, and the exact law of its neighbours."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.contract.contexts import CancelAt
from tests.products.model_fits import hand_made
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import objective_noise
from workbench.products.model_fits.mechanisms import objective_perturbation as mechanism
from workbench.products.model_fits.mechanisms.neighbours import nobody
from workbench.products.model_fits.mechanisms.objective import Objective, steady_sums

PARAMS = mechanism.ObjectivePerturbationParams()


def odd_data() -> dict[str, FitData]:
    data = hand_made.prepared()
    upper = (data.grid.reveal()[:, 1] > 0).astype(np.int64)
    return {
        "plain": data,
        "nobody": nobody(data),
        "separated": replace(data, outcome=Confidential(upper)),
        "all with the outcome": replace(data, outcome=Confidential(np.ones_like(upper))),
        "constant": replace(data, grid=Confidential(np.full_like(data.grid.reveal(), 1000))),
    }


@pytest.mark.parametrize("which", sorted(odd_data()))
@pytest.mark.parametrize("size", [0.0, 1.0, 40.0])
def test_that_the_gradient_at_the_end_is_below_its_tolerance_in_exact_sums(which: str, size: float) -> None:
    """The sum is exact, each p comes from a longer float: the other half of τ is there for rounding."""
    data = odd_data()[which]
    noise = objective_noise.noise_for(epsilon=1.0, delta=1e-6, coefficients=2)
    linear = np.array([[size * noise.sigma, -0.7 * size * noise.sigma]])
    design, outcome = data.people.reveal()
    objective = Objective(design=design, outcome=outcome, linear=linear, strength=noise.strength)
    theta = objective.minimum(noise.tolerance, QUIET)[0]
    long = np.longdouble
    p = 1 / (1 + np.exp(-(design.astype(long) @ theta.astype(long))))
    gradient = []
    for place in range(2):
        total = Fraction(0)
        for term in (design[:, place].astype(long) * (outcome.astype(long) - p)).tolist():
            total += Fraction(float(term))
        gradient.append(float(Fraction(noise.strength * theta[place]) + Fraction(linear[0, place]) - total))
    assert math.hypot(*gradient) <= noise.tolerance


@pytest.mark.parametrize("which", sorted(odd_data()))
def test_that_there_is_one_kind_of_output_whatever_the_data_are(which: str) -> None:
    release = mechanism.SPEC.release(odd_data()[which], PARAMS, ReleaseRandom(), QUIET)
    usual = mechanism.SPEC.release(odd_data()["plain"], PARAMS, ReleaseRandom(), QUIET)
    assert release.names == usual.names
    assert release.values.shape == usual.values.shape
    assert (release.units("margin_of_error").given() == usual.units("margin_of_error").given()).all()


def test_that_a_solver_that_halves_all_its_steps_still_gets_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Newton's steps are too long by far, halving them is what ends at the minimum."""
    data = hand_made.prepared()
    noise = objective_noise.noise_for(epsilon=1.0, delta=1e-6, coefficients=2)
    design, outcome = data.people.reveal()
    objective = Objective(design=design, outcome=outcome, linear=np.ones((1, 2)), strength=noise.strength)
    usual = objective.minimum(noise.tolerance, QUIET)
    flat = Objective.curvature
    monkeypatch.setattr(Objective, "curvature", lambda self, theta: flat(self, theta) / 9.0)
    assert objective.minimum(noise.tolerance, QUIET) == pytest.approx(usual, abs=1e-6)


def test_that_the_solver_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        mechanism.SPEC.study(hand_made.prepared(), PARAMS, StudyRandom(1), CancelAt(3))


def test_that_sums_of_many_values_are_as_good_as_declared() -> None:
    random = np.random.default_rng(8)
    values = random.normal(size=(2, 10_007)) * 10.0 ** random.integers(-8, 9, (2, 10_007))
    for row, found in zip(values, steady_sums(values), strict=True):
        true = sum(map(Fraction, row.tolist()), Fraction(0))
        bound = 16 * 2.0**-53 * float(sum(abs(Fraction(v)) for v in row.tolist()))
        assert abs(float(true - Fraction(float(found)))) <= bound
    assert steady_sums(np.zeros((3, 0))).tolist() == [0.0, 0.0, 0.0]


def test_that_more_people_than_its_sums_can_hold_are_refused_before_any_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mechanism, "MOST_PEOPLE", 399)
    (problem,) = mechanism.SPEC.problems(hand_made.prepared(), PARAMS)
    assert "at most 399 people" in problem.sentence()


def test_that_rounding_of_the_gradient_stays_within_half_the_tolerance_at_the_most_people() -> None:
    """u·n·(16 + 6 + (d + 1)/4·Σ|β|) for the least λ there is, coefficients of up to 50 in sum."""
    for d in (2, 11):
        noise = objective_noise.noise_for(epsilon=50.0, delta=0.01, coefficients=d)
        bound = 2.0**-53 * mechanism.MOST_PEOPLE * (16 + 6 + (d + 1) / 4 * 50)
        assert bound <= noise.tolerance / 2


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_that_two_dimensional_neighbours_stay_below_their_delta(epsilon: float) -> None:
    """Exact densities of the minimum on a grid: b is known from θ, and its Jacobian is the curvature."""
    delta, d = 0.01, 2
    noise = objective_noise.noise_for(epsilon=epsilon, delta=delta, coefficients=d)
    left = epsilon - noise.output_epsilon
    axis = np.linspace(-7, 7, 501) * noise.sigma / noise.strength
    theta = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)

    def density(rows: list[tuple[float, int]]) -> np.ndarray:
        design = np.array([(1.0, x) for x, _ in rows]).reshape(-1, 2)
        outcome = np.array([y for _, y in rows], dtype=float)
        made = Objective(design=design, outcome=outcome, linear=np.zeros((len(theta), 2)), strength=noise.strength)
        b = -made.gradient(theta, np.arange(len(theta)))
        jacobian = np.linalg.det(made.curvature(theta))
        law: np.ndarray = np.exp(-(b**2).sum(axis=1) / (2 * noise.sigma**2)) / (2 * math.pi * noise.sigma**2) * jacobian
        return law

    cell = (axis[1] - axis[0]) ** 2
    some = [(0.5, 1), (-1.0, 0)]
    without = density(some)
    assert without.sum() * cell == pytest.approx(1.0, abs=1e-3)
    for added in ((1.0, 1), (1.0, 0), (-1.0, 1), (0.0, 0)):
        with_ = density([*some, added])
        for first, second in ((without, with_), (with_, without)):
            assert np.maximum(first - math.exp(left) * second, 0).sum() * cell <= delta - noise.output_delta


def test_that_the_output_step_is_there() -> None:
    """Without it two draws with the same b would be alike to the last digit."""
    noise = objective_noise.noise_for(epsilon=1.0, delta=1e-6, coefficients=2)
    assert noise.output_sigma > 0.0
    assert 1e-6 < noise.output_sigma < 0.01, "small beside the noise of the fit"

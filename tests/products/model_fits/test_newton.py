"""Private Newton steps: what their guarantee rests on, piece by piece, and the curvature by a second route."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tests.products.model_fits import hand_made
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.products.model_fits import logit
from workbench.products.model_fits.fit_data import GRID, FitData, Predictor
from workbench.products.model_fits.mechanisms import dp_newton
from workbench.products.model_fits.mechanisms.fit_random import FitRandom, exact, study
from workbench.products.model_fits.mechanisms.gradients import STEPS_PER_UNIT
from workbench.products.model_fits.mechanisms.neighbours import nobody
from workbench.products.model_fits.mechanisms.newton_noise import NewtonNoise


def data_of(rows: np.ndarray, outcome: np.ndarray) -> FitData:
    named = tuple(Predictor(name=f"x{place}", lower=-1.0, upper=1.0, levels=0) for place in range(rows.shape[1] - 1))
    return FitData(predictors=named, grid=Confidential(rows), outcome=Confidential(outcome), bounded=True)


class Watched:
    """Hands the noise on and remembers what was asked of it."""

    def __init__(self) -> None:
        self.random, self.asked = study(StudyRandom(3)), []

    def source(self) -> FitRandom:
        def rounded(sums: np.ndarray, sigma: np.ndarray) -> np.ndarray:
            self.asked.append((sums.copy(), sigma.copy()))
            return self.random.rounded(sums, sigma)

        return FitRandom(self.random.uniform, rounded)


@pytest.mark.parametrize(("predictors", "price"), [(1, 1.072), (2, 1.031)])
def test_that_leaving_the_intercept_out_of_d_would_cost_more_than_claimed(predictors: int, price: float) -> None:
    """Right with the intercept counted; the published prices of the mistake without it."""

    def spent(noise: NewtonNoise) -> float:
        rows = np.array([(1.0, *corner) for corner in product((-1.0, 1.0), repeat=predictors)])
        moved = max(float(np.linalg.norm(np.outer(row, row))) for row in rows)
        # gradients are clipped to the clip of their own noise, so that they are safe in any case
        return math.hypot(moved / noise.moments, math.sqrt(noise.steps) * noise.clip / noise.gradient)

    assert spent(NewtonNoise(coefficients=predictors + 1, mu=1.0)) == pytest.approx(1.0, rel=1e-12)
    assert spent(NewtonNoise(coefficients=predictors, mu=1.0)) == pytest.approx(price, abs=0.001)


def test_that_what_is_asked_of_the_noise_moves_no_more_than_its_scale_is_made_for() -> None:
    """Brute force through the code's own sums: every corner added to some people, first matrix, then first gradient."""
    params = dp_newton.DpNewtonParams()
    random = np.random.default_rng(2)
    rows = np.concatenate([np.full((5, 1), GRID), random.integers(-GRID, GRID + 1, (5, 2))], axis=1)
    base = data_of(rows, random.integers(0, 2, 5))
    worst = [0.0, 0.0]
    for *corner, y in product((-GRID, -1, GRID), (-GRID, 0, GRID), (0, 1)):
        row = np.array([[GRID, *corner]])
        more = data_of(np.concatenate([rows, row]), np.append(base.outcome.reveal(), y))
        for place in (0, 1):
            moved = []
            for data in (base, more):
                watched = Watched()
                dp_newton.SPEC.drawn(data, params, watched.source(), QUIET)
                moved.append(watched.asked[place])
            by = np.linalg.norm((moved[1][0] - moved[0][0]) / moved[0][1])
            worst[place] = max(worst[place], float(by))
    noise = dp_newton._noise(base, params)
    assert worst[0] == pytest.approx(noise.radius**2 / noise.moments, rel=1e-6)
    assert worst[1] <= noise.clip / noise.gradient
    assert math.hypot(worst[0], math.sqrt(noise.steps) * noise.clip / noise.gradient) <= noise.mu * (1 + 1e-12)


class Replayed:
    """Gives the answers of an earlier run, whatever is asked, and remembers what was."""

    def __init__(self, answers: list[np.ndarray]) -> None:
        self.answers, self.asked = iter(answers), []

    def source(self) -> FitRandom:
        def rounded(sums: np.ndarray, sigma: np.ndarray) -> np.ndarray:
            self.asked.append((sums.copy(), sigma.copy()))
            return next(self.answers)

        return FitRandom(StudyRandom(1), rounded)


@pytest.mark.parametrize("at_bounds", [False, True])
def test_that_no_step_moves_more_than_its_noise_is_made_for_whatever_was_drawn_before(at_bounds: bool) -> None:
    """After the same answers both neighbours have the same clip and noise, and differ by no more than the clip."""
    params, random = dp_newton.DpNewtonParams(epsilon=Epsilon(4)), np.random.default_rng(8)
    values = random.choice([-GRID, GRID], (300, 3)) if at_bounds else random.integers(-300, 301, (300, 3))
    rows = np.concatenate([np.full((300, 1), GRID), values], axis=1)
    base = data_of(rows, random.integers(0, 2, 300))
    noise, clips = dp_newton._noise(base, params), []
    for *corner, y in product((-GRID, 0, GRID), (-GRID, GRID), (-GRID, GRID), (0, 1)):
        more = data_of(np.concatenate([rows, [[GRID, *corner]]]), np.append(base.outcome.reveal(), y))
        first, answers = Watched(), []
        source = first.source()
        kept = FitRandom(source.uniform, lambda sums, sigma: answers.append(source.rounded(sums, sigma)) or answers[-1])  # noqa: B023 - used at once
        dp_newton.SPEC.drawn(base, params, kept, QUIET)
        again = Replayed(answers)
        dp_newton.SPEC.drawn(more, params, again.source(), QUIET)
        for step, ((sums, sigma), (others, same)) in enumerate(zip(first.asked, again.asked, strict=True)):
            assert np.array_equal(sigma, same)
            allowed = noise.radius**2 / noise.moments if step == 0 else 1.0 / noise.per_clip
            assert np.linalg.norm((others - sums) / sigma) <= allowed
        clips.append(first.asked[1][1][0] / (noise.per_clip * STEPS_PER_UNIT))
    expected = noise.radius if at_bounds else noise.clip
    assert clips == pytest.approx([expected] * len(clips), rel=0.05)


def test_that_predictors_at_their_bounds_are_fitted_without_the_bias_of_a_short_clip() -> None:
    random = np.random.default_rng(9)
    grid = np.concatenate([np.full((20_000, 1), GRID), random.choice([-GRID, GRID], (20_000, 9))], axis=1)
    chance = logit.probability(grid / GRID, np.linspace(-0.6, 0.7, 10))
    data = data_of(grid, (random.random(20_000) < chance).astype(np.int64))
    drawn = dp_newton.SPEC.drawn(data, dp_newton.DpNewtonParams(epsilon=Epsilon(8)), study(StudyRandom(4)), QUIET)
    away = np.sqrt(np.mean((drawn.beta[0] - data.exact.reveal()) ** 2))
    assert away < np.sqrt(np.diag(drawn.margins.covariance[0])).mean(), "less than the error of sampling alone"


def test_that_what_steadies_the_steps_makes_over_and_undershoot_alike() -> None:
    """By a search over what is added, with the worst eigenvalue and the worst noise of each."""
    true = np.linspace(0.05, 60.0, 40_000)[:, None]
    added = np.linspace(0.0, 2.0, 401)
    edge = math.sqrt(2.0)
    over = true / (np.maximum(true - edge, 1.0) + added) - 1.0
    short = np.where(true >= 1.0 + edge, 1.0 - true / (true + edge + added), 0.0)
    worst = np.maximum(over.max(axis=0), short.max(axis=0))
    assert pytest.approx(added[worst.argmin()], abs=0.006) == dp_newton._STEADIED
    assert worst.min() == pytest.approx(0.461, abs=0.003)


def test_that_the_number_of_measurements_never_depends_on_the_data() -> None:
    data = hand_made.prepared()
    separated = replace(data, outcome=Confidential((data.grid.reveal()[:, 1] > 0).astype(np.int64)))
    shapes = []
    for rows in (data, nobody(data), separated):
        watched = Watched()
        dp_newton.SPEC.drawn(rows, dp_newton.DpNewtonParams(), watched.source(), QUIET)
        shapes.append([sums.shape for sums, _ in watched.asked])
    assert shapes[0] == shapes[1] == shapes[2]
    assert len(shapes[0]) == 1 + 8


def test_that_the_noise_of_a_release_has_the_quantiles_of_a_rounded_normal() -> None:
    from scipy.stats import chisquare, norm

    sigma, drawn = 3.7, exact(ReleaseRandom()).normal(np.full(40_000, 12), 3.7)
    values = np.arange(-2, 27)
    seen = np.array([np.count_nonzero(drawn == value) for value in values])
    law = norm.cdf((values + 0.5 - 12) / sigma) - norm.cdf((values - 0.5 - 12) / sigma)
    expected = np.append(law, 1.0 - law.sum()) * len(drawn)
    assert chisquare(np.append(seen, len(drawn) - seen.sum()), expected).pvalue > 1e-6


def test_that_the_curvature_is_that_of_normal_predictors() -> None:
    """By simulation: Σ p(1 − p)·x xᵀ for many normal x with the same moments."""
    random = np.random.default_rng(5)
    mixing = np.array([[0.5, 0.0], [0.2, 0.3]])
    x = np.column_stack([np.ones(400_000), random.normal(size=(400_000, 2)) @ mixing + [0.3, -0.4]])
    beta = np.array([0.4, 1.5, -0.8])
    p = logit.probability(x, beta)
    simulated = (x * (p * (1 - p))[:, None]).T @ x
    found = dp_newton.information((x.T @ x)[None], beta[None])[0]
    assert found == pytest.approx(simulated, rel=0.02, abs=0.005 * len(x) * 0.25)
    at_zero = dp_newton.information((x.T @ x)[None], np.zeros((1, 3)))[0]
    assert at_zero == pytest.approx((x.T @ x) / 4, rel=1e-6)


def test_that_its_steps_lead_to_the_exact_fit_where_there_is_no_noise() -> None:
    random = np.random.default_rng(6)
    grid = np.concatenate([np.full((4000, 1), GRID), random.integers(-GRID, GRID + 1, (4000, 3))], axis=1)
    chance = logit.probability(grid / GRID, np.array([0.2, 1.0, -0.7, 0.4]))
    data = data_of(grid, (random.random(4000) < chance).astype(np.int64))
    silent = FitRandom(StudyRandom(1), lambda sums, _: sums)
    drawn = dp_newton.SPEC.drawn(data, dp_newton.DpNewtonParams(), silent, QUIET)
    assert np.abs(drawn.beta[0] - data.exact.reveal()).max() < 0.01, "a hundredth: the rest is clipping"

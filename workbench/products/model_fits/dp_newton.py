"""A few private Newton steps: one noisy X′X, eight noisy sums of clipped gradients, the late steps averaged.

Formula: S = X′X + N(0, sd_S²), off the diagonal with sd_S/√2, eigenvalues floored at sd_S·√d. The first step divides by
S/4, later ones by k(β)·S, k(β) = E[p(1 − p)] by Gauss–Hermite quadrature with the mean and variance of xβ from S. The
estimate is the mean over the steps from the third on, six of them; its covariance is H⁻¹(H + I·sd_g²/6)H⁻¹.
Guarantee: exactly μ-Gaussian privacy for one person added or removed, hence (ε, δ), for noise that is added and then
rounded (see `newton_noise`). The number of steps is fixed, n is the noisy corner of S, no true gradient stops it.
Margins are withheld where the smallest noisy eigenvalue is under half the floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from workbench.accounting import gaussian_dp
from workbench.core.arrays import Floats
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Delta, Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, NoCase, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.model_fits import newton_noise
from workbench.products.model_fits.claims import fit_claim
from workbench.products.model_fits.exact_gaussian import Noise, exact, study
from workbench.products.model_fits.fit_data import GRID, FitData
from workbench.products.model_fits.gradients import STEPS_PER_UNIT, clipped_grid
from workbench.products.model_fits.neighbours import one_more
from workbench.products.model_fits.newton_noise import NewtonNoise
from workbench.products.model_fits.published_fit import published_fit

_STEPS, _AVERAGED_FROM = 8, 2
_POINTS = 32
_LARGEST_STEP = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DpNewtonParams:
    epsilon: Epsilon = param(
        Epsilon("1"),
        "Privacy loss ε",
        "For all measurements of the fit together.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )
    delta: Delta = param(
        Delta("0.000001"), "Failure δ", "The probability with which ε may be exceeded. Far below one in the number of "
        "people.", ge="1e-30", le="0.01",
    )  # fmt: skip

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class DpNewton:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "dp-newton"
    version: int = 1
    title: str = "Private Newton steps"
    summary: str = "One noisy matrix and eight noisy gradients; no setting to tune, with margins of error."
    params: type[DpNewtonParams] = DpNewtonParams
    case: type[NoCase] = NoCase
    traits: Traits = Traits(slow=True, bound=True, no_closed_form=True)

    def problems(self, prepared: FitData, params: DpNewtonParams) -> tuple[Problem, ...]:  # noqa: ARG002 - none
        return ()

    def claim(self, prepared: FitData | None, params: DpNewtonParams) -> Claim:
        return fit_claim(prepared, epsilon=Decimal(params.epsilon), delta=Decimal(params.delta))

    def release(self, prepared: FitData, params: DpNewtonParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(_fitted(prepared, params, exact(rng), context), self, rng)

    def study(
        self, prepared: FitData, params: DpNewtonParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_fitted(prepared, params, study(rng), context))

    def expected_error(self, prepared: FitData, params: DpNewtonParams) -> None:
        """None: clipped steps have no closed form."""

    def exact_loss(self, prepared: FitData, params: DpNewtonParams, context: Context) -> ExactLoss:
        """δ at ε of the μ that all measurements together have, recomputed from the noise that is used."""
        context.step(0.0, "composing the measurements")
        noise = _noise(prepared, params)
        matrix = noise.radius**2 / noise.moments
        gradients = math.sqrt(noise.steps) * noise.clip / noise.gradient
        return ExactLoss(
            epsilon=float(params.epsilon),
            delta=gaussian_dp.delta_of(math.hypot(matrix, gradients), float(params.epsilon)),
            worst_cell=None,
            worst_pair="one person at a corner of the declared bounds, present or absent",
            data_free=True,
            bound=True,
        )

    def neighbours(self, prepared: FitData, params: DpNewtonParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - a fit uses all its data at once
        return one_more(prepared)

    def calibrate(self, params: DpNewtonParams, case: NoCase) -> Calibration:  # noqa: ARG002 - there is none
        noise = newton_noise.noise_for(epsilon=float(params.epsilon), delta=float(params.delta), coefficients=2)
        return Calibration(
            scale=noise.gradient,
            expected_absolute_error=noise.gradient * math.sqrt(2.0 / math.pi),
            spent_epsilon=float(params.epsilon),
            spent_delta=float(params.delta),
            notes=("The error is that of one entry of one gradient, with one predictor.",),
        )


def _noise(prepared: FitData, params: DpNewtonParams) -> NewtonNoise:
    return newton_noise.noise_for(
        epsilon=float(params.epsilon), delta=float(params.delta), coefficients=prepared.coefficients, steps=_STEPS
    )


def _fitted(prepared: FitData, params: DpNewtonParams, noisy: Noise, context: Context) -> Columns:
    context.step(0.0, "measuring the predictors")
    noise, design = _noise(prepared, params), prepared.design.reveal()
    outcome = prepared.outcome.reveal().astype(np.float64)
    matrix, smallest = _noisy_matrix(prepared, noise, noisy)
    beta, visited, hessian = np.zeros(prepared.coefficients), [], matrix / 4.0
    for step in range(noise.steps):
        context.step((step + 1) / (noise.steps + 1), f"step {step + 1} of {noise.steps}")
        sums = clipped_grid(design, outcome, beta, noise.clip).sum(axis=0)
        sigma = np.full(prepared.coefficients, math.nextafter(noise.gradient * STEPS_PER_UNIT, math.inf))
        gradient = noisy(sums, sigma) / STEPS_PER_UNIT
        hessian = matrix / 4.0 if step == 0 else matrix * _curvature(matrix, beta)
        move = np.linalg.solve(hessian, gradient)
        beta = beta + move * min(1.0, _LARGEST_STEP / max(float(np.abs(move).max()), 1e-300))
        visited.append(beta)
    averaged = visited[_AVERAGED_FROM:]
    inverse = np.linalg.inv(hessian)
    added = np.eye(prepared.coefficients) * noise.gradient**2 / len(averaged)
    floor = noise.moments * math.sqrt(prepared.coefficients)
    context.step(1.0, "all steps taken")
    return published_fit(
        prepared,
        np.mean(averaged, axis=0),
        inverse @ (hessian + added) @ inverse,
        with_margins=smallest >= floor / 2.0,
    )


def _noisy_matrix(prepared: FitData, noise: NewtonNoise, noisy: Noise) -> tuple[Floats, float]:
    """S with its eigenvalues floored, and the smallest before that."""
    grid = prepared.grid.reveal()
    d = prepared.coefficients
    rows, columns = np.triu_indices(d)
    sums = (grid.T @ grid)[rows, columns]
    spread = np.where(rows == columns, noise.moments, noise.moments / math.sqrt(2.0)) * GRID**2
    drawn = noisy(sums, np.nextafter(spread, np.inf)) / GRID**2
    matrix = np.zeros((d, d))
    matrix[rows, columns] = drawn
    matrix[columns, rows] = drawn
    values, vectors = np.linalg.eigh(matrix)
    floor = noise.moments * math.sqrt(d)
    return (vectors * np.maximum(values, floor)) @ vectors.T, float(values[0])


def _curvature(matrix: Floats, beta: Floats) -> float:
    """E[p(1 − p)] for normal xβ with the mean and variance that the noisy moments give."""
    size = max(float(matrix[0, 0]), 1.0)
    mean = float(matrix[0] @ beta) / size
    variance = max(float(beta @ matrix @ beta) / size - mean**2, 0.0)
    points, weights = np.polynomial.hermite_e.hermegauss(_POINTS)
    p = 1.0 / (1.0 + np.exp(-np.clip(mean + math.sqrt(variance) * points, -700.0, 700.0)))
    return max(float((weights * p * (1.0 - p)).sum() / weights.sum()), 1e-4)


SPEC = DpNewton()

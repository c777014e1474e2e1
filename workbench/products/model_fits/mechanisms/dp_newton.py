"""A few private Newton steps: one noisy X′X, eight noisy sums of clipped gradients, the settled steps averaged.

Formula: S = X′X + N(0, sd_S²), off the diagonal with sd_S/√2, eigenvalues floored at f = sd_S·√d. The first step is
divided by (S + a·f)/4, later ones by H(β, S + a·f): the information of normal predictors with these moments. The
estimate is the mean over the m steps from the third on, or from a later one where the first of them are still on their
way (see `settled_steps`); its covariance is H⁻¹(H + I·sd_g²/m)H⁻¹ with H = H(β, S). Gradients are clipped to the mean
length of a row by the noisy S, at least √(1 + (d − 1)/3): noise and clip then go together, and predictors that lie at
their bounds, such as yes or no, are not shortened.
Choice of a: in large matrices the noise moves an eigenvalue λ by at most √2·f (Wigner 1958), so that S + a·f lies
between max(λ − √2·f, f) + a·f and λ + (√2 + a)·f. What a step leaves of the distance, |1 − λ/(S + a·f)|, is worst at
λ = (1 + √2)·f, the least that noise cannot push below the floor: (√2 − a)/(1 + a) where the step goes too far,
(√2 + a)/(1 + 2√2 + a) where it falls short. Both are .46 at a = .652, which depends on no data.
Guarantee: exactly μ-Gaussian privacy for one person added or removed, hence (ε, δ), for noise that is added and then
rounded (see `newton_noise`). Each step may depend on what was drawn before it (Dong, Roth and Su 2022). The number of
steps is fixed, n is the noisy corner of S, no true gradient stops it.
Weak directions: eigenvalues of S under the floor, or of H under sd_g²/m, where the noise has more variance than the
sample; whichever are more. Margins are withheld where the smallest noisy eigenvalue of S is under half the floor, or
the steps have not settled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

import numpy as np

from workbench.accounting import gaussian_dp
from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Delta, Epsilon
from workbench.mechanisms.contract import Calibration, ExactLoss, NoCase
from workbench.mechanisms.traits import Traits
from workbench.noise.declared.contract import Declared, Law
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.model_fits import logit
from workbench.products.model_fits.fit_data import GRID, FitData
from workbench.products.model_fits.mechanisms import newton_noise
from workbench.products.model_fits.mechanisms.accuracy import (
    accuracy_laws,
    accuracy_param,
    left_for_the_fit,
    told_accuracy,
)
from workbench.products.model_fits.mechanisms.claims import fit_claim
from workbench.products.model_fits.mechanisms.fit_mechanism import FitMechanism, delta_param
from workbench.products.model_fits.mechanisms.fit_random import FitRandom, normal_law
from workbench.products.model_fits.mechanisms.gradients import STEPS_PER_UNIT, gradient_sums
from workbench.products.model_fits.mechanisms.newton_noise import NewtonNoise
from workbench.products.model_fits.mechanisms.published_fit import DrawnFits, Margins
from workbench.products.model_fits.mechanisms.settled_steps import SettledSteps, settled_steps

_PRODUCTS, _GRADIENTS = "products of predictors", "gradients"  # names of answers
_STEPS = 8
_POINTS = 32
_LARGEST_STEP = 5.0
_EDGE = math.sqrt(2.0)  # how far the noise moves an eigenvalue, in floors
_STEADIED = (math.sqrt((1.0 + _EDGE) ** 2 + 8.0) - 1.0 - _EDGE) / 2.0  # a: steps fall as short as they go too far
_LEAST_CURVATURE, _LEAST_VARIANCE = 1e-4, 1e-12


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
    delta: Delta = delta_param()
    accuracy: Decimal = accuracy_param()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class DpNewton(FitMechanism[DpNewtonParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "dp-newton"
    version: int = 2
    title: str = "Private Newton steps"
    summary: str = "One noisy matrix and eight noisy gradients; no setting to tune, with margins of error."
    params: type[DpNewtonParams] = DpNewtonParams
    case: type[NoCase] = NoCase
    traits: Traits = Traits(bound=True, no_closed_form=True)

    def claim(self, prepared: FitData | None, params: DpNewtonParams) -> Claim:
        return fit_claim(prepared, epsilon=Decimal(params.epsilon), delta=Decimal(params.delta))

    def drawn(self, prepared: FitData, params: DpNewtonParams, random: FitRandom, context: Context) -> DrawnFits:
        context.step(0.0, "measuring the predictors")
        noise, gradients = _noise(prepared, params), gradient_sums(prepared)
        matrix, raw = _noisy_matrix(prepared, noise, random)
        clip = noise.clip_for(raw)
        steady = matrix + _STEADIED * noise.floor * np.eye(prepared.coefficients)
        spread = noise.per_clip * clip
        beta, visited = np.zeros((prepared.copies, prepared.coefficients)), []
        for step in range(noise.steps):
            context.step((step + 1) / (noise.steps + 1), f"step {step + 1} of {noise.steps}")
            sums = gradients.of_all(beta, clip)
            gradient = random.normal(sums, (spread * STEPS_PER_UNIT)[:, None], _GRADIENTS) / STEPS_PER_UNIT
            curvature = information(steady, beta) if step else steady / 4.0
            beta = beta + logit.shortened(logit.solved(curvature, gradient), _LARGEST_STEP)
            visited.append(beta)
        context.step(1.0, "all steps taken")
        end = information(steady, np.mean(visited[-2:], axis=0))
        found = settled_steps(np.stack(visited), end, spread)
        told = told_accuracy(prepared, found.mean, epsilon=params.epsilon, share=params.accuracy, random=random)
        margins = _margins(information(matrix, found.mean), raw, noise, spread, found)
        return DrawnFits(beta=found.mean, margins=margins, accuracy=told)

    def laws(self, prepared: FitData, params: DpNewtonParams) -> Mapping[str, Declared]:
        """Normal noise, added and then rounded, around products of predictors and around every step's gradients.

        That of gradients is in units of the clip, which follows from the noisy products.
        """
        noise, d = _noise(prepared, params), prepared.coefficients

        def around(gradients: Integers, products: Integers) -> Law:
            clip = noise.clip_for(_matrix(prepared, products.reshape(prepared.copies, -1)))
            return normal_law(np.repeat(noise.per_clip * clip * STEPS_PER_UNIT, d))(gradients)

        spread = np.tile(_spread(prepared, noise), prepared.copies)
        return {
            _PRODUCTS: Declared(law=normal_law(spread), exact=Confidential(_products(prepared).ravel())),
            _GRADIENTS: Declared(law=around, after=_PRODUCTS),
            **accuracy_laws(params.epsilon, params.accuracy),
        }

    def exact_loss(self, prepared: FitData, params: DpNewtonParams, context: Context) -> ExactLoss:
        """δ at ε of the μ that all measurements together have, recomputed from the noise that is used."""
        context.step(0.0, "composing the measurements")
        noise = _noise(prepared, params)
        matrix = noise.radius**2 / noise.moments
        gradients = math.sqrt(noise.steps) / noise.per_clip
        return ExactLoss(
            epsilon=float(params.epsilon),
            delta=gaussian_dp.delta_of(
                math.hypot(matrix, gradients), left_for_the_fit(params.epsilon, params.accuracy)
            ),
            worst_cell=None,
            worst_pair="one person at a corner of the declared bounds, present or absent",
            data_free=True,
            bound=True,
        )

    def calibrate(self, params: DpNewtonParams, case: NoCase) -> Calibration:  # noqa: ARG002 - there is none
        noise = newton_noise.noise_for(
            epsilon=left_for_the_fit(params.epsilon, params.accuracy), delta=float(params.delta), coefficients=2
        )
        return Calibration(
            scale=noise.gradient,
            expected_absolute_error=noise.gradient * math.sqrt(2.0 / math.pi),
            spent_epsilon=float(params.epsilon),
            spent_delta=float(params.delta),
            notes=("The error is that of one entry of one gradient, with one predictor.",),
        )


def _noise(prepared: FitData, params: DpNewtonParams) -> NewtonNoise:
    return newton_noise.noise_for(
        epsilon=left_for_the_fit(params.epsilon, params.accuracy),
        delta=float(params.delta),
        coefficients=prepared.coefficients,
        steps=_STEPS,
    )


def _noisy_matrix(prepared: FitData, noise: NewtonNoise, random: FitRandom) -> tuple[Floats, Floats]:
    """S with its eigenvalues floored, and as it was before that."""
    matrix = _matrix(prepared, random.normal(_products(prepared), _spread(prepared, noise), _PRODUCTS))
    values, vectors = np.linalg.eigh(matrix)
    floored = vectors * np.maximum(values, noise.floor)[:, None, :]
    return floored @ np.swapaxes(vectors, 1, 2), matrix


def _matrix(prepared: FitData, products: Integers) -> Floats:
    """Noisy X′X of every copy from its products on and above the diagonal."""
    d = prepared.coefficients
    rows, columns = np.triu_indices(d)
    matrix = np.zeros((prepared.copies, d, d))
    matrix[:, rows, columns] = matrix[:, columns, rows] = products / GRID**2
    return matrix


def _products(prepared: FitData) -> Integers:
    """X′X on and above the diagonal, for every copy."""
    grid = prepared.grid.reveal()
    return np.tile((grid.T @ grid)[np.triu_indices(prepared.coefficients)], (prepared.copies, 1))


def _spread(prepared: FitData, noise: NewtonNoise) -> Floats:
    """The standard deviation of the noise on each of them."""
    rows, columns = np.triu_indices(prepared.coefficients)
    spread: Floats = np.where(rows == columns, noise.moments, noise.moments / math.sqrt(2.0)) * GRID**2
    return spread


def _margins(hessian: Floats, raw: Floats, noise: NewtonNoise, spread: Floats, steps: SettledSteps) -> Margins:
    """Sampling and noise of the averaged steps; weak are floored directions, and those where noise exceeds sampling."""
    inverse, values, variance = np.linalg.inv(hessian), np.linalg.eigvalsh(raw), spread**2 / steps.averaged
    added = np.eye(noise.coefficients) * variance[:, None, None]
    floored = np.count_nonzero(values < noise.floor, axis=-1)
    drowned = np.count_nonzero(np.linalg.eigvalsh(hessian) < variance[:, None], axis=-1)
    return Margins(
        covariance=inverse @ (hessian + added) @ inverse,
        weak=np.maximum(floored, drowned).astype(np.int64),
        told=(values[:, 0] >= noise.floor / 2.0) & steps.settled,
    )


@cache
def _nodes() -> tuple[Floats, Floats]:
    """Gauss-Hermite points and weights, the same for every matrix."""
    points, weights = np.polynomial.hermite_e.hermegauss(_POINTS)
    return points, weights


def information(matrix: Floats, beta: Floats) -> Floats:
    """H for each copy: Σ p(1 − p)·x xᵀ as it would be for normal x with the noisy moments.

    With M the moments for one person, z = xβ, t = z in standard units and a = Cov(x, t), w = p(1 − p):
    H/n = E[w]·(M − aaᵀ) + E[w·t]·(μaᵀ + aμᵀ) + E[w·t²]·aaᵀ.
    """
    size = np.maximum(matrix[:, 0, 0], 1.0)[:, None, None]
    moments = matrix / size
    mean = moments[:, :, 0]
    middle = np.einsum("ci,ci->c", mean, beta)
    covariance = np.einsum("cij,cj->ci", moments, beta) - mean * middle[:, None]
    spread = np.sqrt(np.maximum(np.einsum("ci,ci->c", covariance, beta), _LEAST_VARIANCE))
    points, weights = _nodes()
    p = 1.0 / (1.0 + np.exp(-np.clip(middle[:, None] + spread[:, None] * points, -700.0, 700.0)))
    w = np.maximum(p * (1.0 - p), _LEAST_CURVATURE) * (weights / weights.sum())
    level, slope, bend = (((w * points**power).sum(axis=1))[:, None, None] for power in (0, 1, 2))
    along = covariance / spread[:, None]
    square, across = along[:, :, None] * along[:, None, :], mean[:, :, None] * along[:, None, :]
    found: Floats = size * (level * (moments - square) + slope * (across + np.swapaxes(across, 1, 2)) + bend * square)
    return found


SPEC = DpNewton()

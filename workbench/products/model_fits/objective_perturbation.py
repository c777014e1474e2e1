"""Objective perturbation: the minimum of a regularised loss with a random linear term, and a small output step.

Formula: minimise Σ loss + (λ/2)‖θ‖² + bᵀθ, b ~ N(0, σ²I), to a gradient of norm at most τ; then add N(0, σ_out²) to
every coefficient, σ_out = 2τ/(λμ_out). The ε₂ and δ₂ of the output step are taken out of ε and δ beforehand (see
`objective_noise`). Sums of up to some ten million values are rounded by far less than the τ/2 left for it.
Guarantee: (ε, δ) for one person added or removed, proved for continuous b. Here b lies on a grid of a millionth of its
standard deviation, drawn exactly; the step from the grid to the continuum is not proved, so the claim is conditional.
Source: Chaudhuri, Monteleoni and Sarwate (2011); Redberg, Koskela and Wang (2023) for σ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Delta, Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, NoCase, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.model_fits import logit, objective_noise
from workbench.products.model_fits.claims import fit_claim
from workbench.products.model_fits.exact_gaussian import Noise, exact, study
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.neighbours import one_more
from workbench.products.model_fits.objective_noise import ObjectiveNoise
from workbench.products.model_fits.published_fit import published_fit

_FINE = 1_000_000  # grid points in one standard deviation of b, and of the output step
_CLOSE = 1e-7  # τ in units of λ; half of it is left for the rounding of the gradient itself
_STEPS = 500
_LARGEST_STEP = 2.0  # in log odds, so that far starts walk instead of leaping
_GRID_CONDITION = "noise on a grid of a millionth of its standard deviation protects like continuous noise"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectivePerturbationParams:
    epsilon: Epsilon = param(
        Epsilon("1"),
        "Privacy loss ε",
        "Of objective and output step together.",
        ge="0.05",
        le=MOST_EPSILON,
        effect="dial",
    )
    delta: Delta = param(
        Delta("0.000001"), "Failure δ", "The probability with which ε may be exceeded.", gt="0.0000001", le="0.01"
    )

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class ObjectivePerturbation:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "objective-perturbation"
    version: int = 1
    title: str = "Objective perturbation"
    summary: str = "One noisy objective, minimised: a second opinion beside private Newton steps."
    params: type[ObjectivePerturbationParams] = ObjectivePerturbationParams
    case: type[NoCase] = NoCase
    traits: Traits = Traits(slow=True, bound=True, no_closed_form=True)

    def problems(self, prepared: FitData, params: ObjectivePerturbationParams) -> tuple[Problem, ...]:  # noqa: ARG002 - none
        return ()

    def claim(self, prepared: FitData | None, params: ObjectivePerturbationParams) -> Claim:
        claim = fit_claim(prepared, epsilon=Decimal(params.epsilon), delta=Decimal(params.delta))
        return replace(claim, provided=(*claim.provided, _GRID_CONDITION))

    def release(
        self, prepared: FitData, params: ObjectivePerturbationParams, rng: ReleaseRandom, context: Context
    ) -> Release:
        return Release.of(_fitted(prepared, params, exact(rng), context), self, rng)

    def study(
        self, prepared: FitData, params: ObjectivePerturbationParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_fitted(prepared, params, study(rng), context))

    def expected_error(self, prepared: FitData, params: ObjectivePerturbationParams) -> None:
        """None: a minimum has no closed form."""

    def exact_loss(self, prepared: FitData, params: ObjectivePerturbationParams, context: Context) -> ExactLoss:
        context.step(0.0, "accounting for objective and output step")
        noise = _noise(prepared, params)
        spent = objective_noise.delta_at(
            epsilon=float(params.epsilon) - noise.output_epsilon,
            radius=math.sqrt(prepared.coefficients),
            strength=noise.strength,
            sigma=noise.sigma,
        )
        return ExactLoss(
            epsilon=float(params.epsilon),
            delta=spent + noise.output_delta,
            worst_cell=None,
            worst_pair="one person at a corner of the declared bounds, present or absent",
            data_free=True,
            bound=True,
        )

    def neighbours(
        self, prepared: FitData, params: ObjectivePerturbationParams, copies: int  # noqa: ARG002 - a fit uses all its data at once
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        return one_more(prepared)

    def calibrate(self, params: ObjectivePerturbationParams, case: NoCase) -> Calibration:  # noqa: ARG002 - there is none
        noise = objective_noise.noise_for(
            epsilon=float(params.epsilon), delta=float(params.delta), radius=math.sqrt(2.0)
        )
        return Calibration(
            scale=noise.sigma,
            expected_absolute_error=noise.sigma * math.sqrt(2.0 / math.pi),
            spent_epsilon=float(params.epsilon),
            spent_delta=float(params.delta),
            notes=("The error is that of one entry of the linear term, with one predictor.",),
        )


def _noise(prepared: FitData, params: ObjectivePerturbationParams) -> ObjectiveNoise:
    return objective_noise.noise_for(
        epsilon=float(params.epsilon), delta=float(params.delta), radius=math.sqrt(prepared.coefficients)
    )


def _fitted(prepared: FitData, params: ObjectivePerturbationParams, noisy: Noise, context: Context) -> Columns:
    noise, d = _noise(prepared, params), prepared.coefficients
    zero, fine = np.zeros(d, np.int64), np.full(d, float(_FINE))
    linear: Floats = noisy(zero, fine) * np.float64(noise.sigma / _FINE)
    close = _CLOSE * noise.strength
    beta, hessian = _minimum(prepared, linear, noise.strength, close, context)
    # The grid moves a coefficient by half a step at most, which is paid for like the solver's inexactness.
    output = noise.output_sigma(close * (1.0 + 2.0 * math.sqrt(d) / _FINE)) / _FINE
    beta = np.rint(beta / output) * output + noisy(zero, fine) * output
    inverse = np.linalg.inv(hessian)
    sampling = hessian - noise.strength * np.eye(d)
    covariance = inverse @ (sampling + np.eye(d) * noise.sigma**2) @ inverse
    return published_fit(prepared, beta, covariance, with_margins=False)


def _minimum(
    prepared: FitData, linear: Floats, strength: float, close: float, context: Context
) -> tuple[Floats, Floats]:
    """θ where the gradient is at most `close`, and the curvature there."""
    design, outcome = prepared.design.reveal(), prepared.outcome.reveal().astype(np.float64)
    beta = np.zeros(prepared.coefficients)
    for step in range(_STEPS):
        context.step(step / _STEPS, "minimising the objective")
        p = logit.probability(design, beta)
        gradient = strength * beta + linear - design.T @ (outcome - p)
        hessian = strength * np.eye(len(beta)) + logit.information(design, np.ones(len(p)), p)
        if float(np.linalg.norm(gradient)) <= close / 2.0:
            context.step(1.0, "objective minimised")
            return beta, hessian
        move = np.linalg.solve(hessian, gradient)
        beta = beta - move * min(1.0, _LARGEST_STEP / max(float(np.abs(move).max()), 1e-300))
    raise Defect("the objective of a fit was not minimised closely enough")


SPEC = ObjectivePerturbation()

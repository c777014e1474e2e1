"""Objective perturbation: the minimum of a regularised loss with a random linear term, and a small output step.

Formula: minimise Σ loss + (λ/2)‖θ‖² + bᵀθ, b ~ N(0, σ²I), to a gradient of norm at most τ; then add N(0, σ_out²) to
every coefficient, σ_out from 2τ′/λ and μ_out. The ε₂ and δ₂ of the output step are taken out of ε and δ beforehand (see
`objective_noise`). The solver has no last step: it halves its steps until it gets there, so that there is one kind of
output whatever the data are.
Guarantee: (ε, δ) for one person added or removed. b is continuous noise rounded to a grid, drawn exactly. Given the
exact minimum for the continuous b, what is published before the output step is a function of the data that lies within
τ′/λ of it; τ′ holds the solver's tolerance, the rounding of b and that of floats. So the output step covers all three.
Floats: a gradient summed in blocks of 16 and then exactly is off by less than τ/2 up to a million people, for
coefficients of up to 50 in sum.
Source: Chaudhuri, Monteleoni and Sarwate (2011); Redberg, Koskela and Wang (2023) for σ; the output step is our own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Delta, Epsilon
from workbench.mechanisms.contract import Calibration, ExactLoss, NoCase
from workbench.mechanisms.traits import Traits
from workbench.noise.declared.contract import Declared
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import objective_noise
from workbench.products.model_fits.mechanisms.accuracy import (
    accuracy_laws,
    accuracy_param,
    left_for_the_fit,
    told_accuracy,
)
from workbench.products.model_fits.mechanisms.claims import fit_claim
from workbench.products.model_fits.mechanisms.fit_mechanism import FitMechanism, delta_param
from workbench.products.model_fits.mechanisms.fit_random import FitRandom, normal_law
from workbench.products.model_fits.mechanisms.objective import Objective
from workbench.products.model_fits.mechanisms.objective_noise import LINEAR_GRID, OUTPUT_GRID, ObjectiveNoise
from workbench.products.model_fits.mechanisms.published_fit import DrawnFits

MOST_PEOPLE = 1_000_000
_LINEAR, _OUTPUT = "linear term", "output step"  # names of answers


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
    delta: Delta = delta_param(least="0.0000001")
    accuracy: Decimal = accuracy_param()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class ObjectivePerturbation(FitMechanism[ObjectivePerturbationParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "objective-perturbation"
    version: int = 1
    title: str = "Objective perturbation"
    summary: str = "One noisy objective, minimised: a second opinion beside private Newton steps."
    params: type[ObjectivePerturbationParams] = ObjectivePerturbationParams
    case: type[NoCase] = NoCase
    traits: Traits = Traits(bound=True, no_closed_form=True)

    def problems(self, prepared: FitData, params: ObjectivePerturbationParams) -> tuple[Problem, ...]:  # noqa: ARG002 - any ε will do
        if len(prepared.outcome.reveal()) <= MOST_PEOPLE:
            return ()
        return (
            Problem(
                f"Objective perturbation takes at most {MOST_PEOPLE:,} people, because of rounding in its sums",
                "id",
                "Choose dp-newton",
            ),
        )

    def claim(self, prepared: FitData | None, params: ObjectivePerturbationParams) -> Claim:
        return fit_claim(prepared, epsilon=Decimal(params.epsilon), delta=Decimal(params.delta))

    def drawn(
        self, prepared: FitData, params: ObjectivePerturbationParams, random: FitRandom, context: Context
    ) -> DrawnFits:
        noise, shape = _noise(prepared, params), (prepared.copies, prepared.coefficients)
        context.step(0.0, "drawing the linear term")
        nothing = np.zeros(shape, np.int64)
        linear = _scaled(random.normal(nothing, float(LINEAR_GRID), _LINEAR), noise.sigma / LINEAR_GRID)
        design, outcome = prepared.people.reveal()
        objective = Objective(design=design, outcome=outcome, linear=linear, strength=noise.strength)
        minimum = objective.minimum(noise.tolerance, context)
        step = noise.output_sigma / OUTPUT_GRID
        context.step(0.95, "adding the output step")
        centre = np.rint(minimum / step).astype(np.int64)
        beta = _scaled(random.normal(centre, float(OUTPUT_GRID), _OUTPUT), step)
        context.step(1.0, "objective minimised")
        told = told_accuracy(prepared, beta, epsilon=params.epsilon, share=params.accuracy, random=random)
        return DrawnFits(beta=beta, accuracy=told)

    def laws(self, prepared: FitData, params: ObjectivePerturbationParams) -> Mapping[str, Declared]:
        """Normal noise in units of its own grid: on the linear term around nothing, and around the minimum."""
        nothing = np.zeros(prepared.copies * prepared.coefficients, np.int64)
        return {
            _LINEAR: Declared(law=normal_law(float(LINEAR_GRID)), exact=Confidential(nothing)),
            _OUTPUT: Declared(law=normal_law(float(OUTPUT_GRID))),
            **accuracy_laws(params.epsilon, params.accuracy),
        }

    def exact_loss(self, prepared: FitData, params: ObjectivePerturbationParams, context: Context) -> ExactLoss:
        context.step(0.0, "accounting for objective and output step")
        noise = _noise(prepared, params)
        spent = objective_noise.delta_at(
            epsilon=left_for_the_fit(params.epsilon, params.accuracy) - noise.output_epsilon,
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

    def calibrate(self, params: ObjectivePerturbationParams, case: NoCase) -> Calibration:  # noqa: ARG002 - there is none
        noise = objective_noise.noise_for(
            epsilon=left_for_the_fit(params.epsilon, params.accuracy), delta=float(params.delta), coefficients=2
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
        epsilon=left_for_the_fit(params.epsilon, params.accuracy),
        delta=float(params.delta),
        coefficients=prepared.coefficients,
    )


def _scaled(units: Integers, step: float) -> Floats:
    scaled: Floats = units * np.float64(step)
    return scaled


SPEC = ObjectivePerturbation()

"""The source's method: stochastic gradient descent on Poisson samples, clipped gradients, normal noise in every step.

Formula: θ₀ is drawn at random from a recorded public seed. In each of T steps every person is sampled with probability
q, gradients are shortened to norm C, summed, and given noise N(0, σ²C²); θ moves by η_t times the sum divided by q
times a public planning size. η_t = η·(1 − t/T) where the schedule falls. The averaged iterate is the mean of the
second half.
Guarantee: (ε, δ) for one person added or removed, as an upper bound by privacy loss distributions of the sampled
Gaussian (σ is the smallest that keeps it). Rényi accounting would need some 5 to 10 per cent more noise.
Rounding: the noise is added to integers and rounded, drawn exactly; sampling uses 64-bit words, q rounded down to them.
No margins of error are published: the method gives none.
Source: Abadi et al. (2016), algorithm 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Delta, Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, NoCase, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.model_fits import step_accounting
from workbench.products.model_fits.claims import fit_claim
from workbench.products.model_fits.exact_gaussian import Noise, exact, study
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.gradients import STEPS_PER_UNIT, clipped_grid
from workbench.products.model_fits.neighbours import one_more
from workbench.products.model_fits.published_fit import published_fit


class Schedule(StrEnum):
    CONSTANT = "constant"
    FALLING = "falling"


@dataclass(frozen=True, slots=True, kw_only=True)
class DpSgdParams:
    epsilon: Epsilon = param(
        Epsilon("1"), "Privacy loss ε", "Of all steps together.", ge="0.1", le=MOST_EPSILON, effect="dial"
    )
    delta: Delta = param(
        Delta("0.000001"), "Failure δ", "The probability with which ε may be exceeded.", ge="1e-30", le="0.01"
    )
    sampling: Decimal = param(
        Decimal("0.05"), "Sampling rate q", "The chance of each person to be in a step.", ge="0.000001", le=1
    )
    steps: int = param(400, "Steps T", "More steps come nearer to the fit, with more noise in each.", ge=1, le=20_000)
    clip: Decimal = param(Decimal(1), "Clip C", "Gradients longer than this are shortened to it.", ge="0.001", le=100)
    rate: Decimal = param(Decimal(4), "Learning rate η", "How far a step moves.", gt=0, le=1000)
    schedule: Schedule = param(
        Schedule.CONSTANT, "Schedule", "Whether the learning rate stays or falls to zero.",
        labels={"constant": "Constant", "falling": "Falls to zero"},
    )  # fmt: skip
    averaged: bool = param(
        True, "Average the second half", "Publish the mean of the second half of the steps instead of the last.",
        effect="post-processing",
    )  # fmt: skip
    people: int = param(5000, "Planning size", "About how many people there are, from a public source.", ge=1)
    seed: int = param(1, "Public seed of θ₀", "The start is drawn from it and may be repeated by anybody.", ge=0)

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class DpSgd:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "dp-sgd"
    version: int = 1
    title: str = "Private stochastic gradient descent"
    summary: str = "Many noisy steps on random samples, as in Abadi et al. (2016). No margins of error."
    params: type[DpSgdParams] = DpSgdParams
    case: type[NoCase] = NoCase
    traits: Traits = Traits(slow=True, bound=True, no_closed_form=True, of_the_source=True)

    def problems(self, prepared: FitData, params: DpSgdParams) -> tuple[Problem, ...]:  # noqa: ARG002 - none
        return ()

    def claim(self, prepared: FitData | None, params: DpSgdParams) -> Claim:
        return fit_claim(
            prepared,
            epsilon=Decimal(params.epsilon),
            delta=Decimal(params.delta),
            more=("Learning rate, clip, steps and planning size are public and were not tuned on these data.",),
        )

    def release(self, prepared: FitData, params: DpSgdParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(_descended(prepared, params, exact(rng), rng, context), self, rng)

    def study(
        self, prepared: FitData, params: DpSgdParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_descended(prepared, params, study(rng), rng, context))

    def expected_error(self, prepared: FitData, params: DpSgdParams) -> None:
        """None: clipped steps have no closed form."""

    def exact_loss(self, prepared: FitData, params: DpSgdParams, context: Context) -> ExactLoss:  # noqa: ARG002 - the same on all data
        context.step(0.0, "accounting for all steps")
        spent = step_accounting.epsilon_by_pld(
            float(params.sampling), noise_of(params), params.steps, float(params.delta)
        )
        return ExactLoss(
            epsilon=spent,
            delta=float(params.delta),
            worst_cell=None,
            worst_pair="one person with a clipped gradient in every sample, present or absent",
            data_free=True,
            bound=True,
        )

    def neighbours(self, prepared: FitData, params: DpSgdParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - a fit uses all its data at once
        return one_more(prepared)

    def calibrate(self, params: DpSgdParams, case: NoCase) -> Calibration:  # noqa: ARG002 - there is none
        sigma = noise_of(params)
        renyi = step_accounting.epsilon_by_renyi(float(params.sampling), sigma, params.steps, float(params.delta))
        return Calibration(
            scale=sigma * float(params.clip),
            expected_absolute_error=sigma * float(params.clip) * math.sqrt(2.0 / math.pi),
            spent_epsilon=float(params.epsilon),
            spent_delta=float(params.delta),
            notes=(
                "The error is that of one entry of one step.",
                f"By Rényi accounting the same noise would be said to cost ε = {renyi:.3g}.",
            ),
        )


def noise_of(params: DpSgdParams) -> float:
    """σ, in units of the clip: the smallest that keeps (ε, δ) by loss distributions."""
    return step_accounting.sigma_for(float(params.sampling), params.steps, float(params.epsilon), float(params.delta))


def start(coefficients: int, seed: int) -> Floats:
    """θ₀: small random numbers from the public seed."""
    return np.random.Generator(np.random.PCG64(seed)).normal(0.0, 0.1, coefficients)


def _descended(prepared: FitData, params: DpSgdParams, noisy: Noise, rng: UniformWords, context: Context) -> Columns:
    path = descent(prepared, params, noisy, rng, context)
    kept = path[len(path) // 2 :] if params.averaged else path[-1:]
    beta: Floats = np.mean(kept, axis=0)
    return published_fit(prepared, beta, np.zeros((len(beta), len(beta))), with_margins=False)


def descent(prepared: FitData, params: DpSgdParams, noisy: Noise, rng: UniformWords, context: Context) -> Floats:
    """θ after every step, θ₀ first."""
    context.step(0.0, "accounting for all steps")
    sigma = np.full(prepared.coefficients, noise_of(params) * float(params.clip) * STEPS_PER_UNIT)
    design, outcome = prepared.design.reveal(), prepared.outcome.reveal().astype(np.float64)
    theta = start(prepared.coefficients, params.seed)
    path = [theta]
    for step in range(params.steps):
        context.step(step / params.steps, f"step {step + 1} of {params.steps}")
        chosen = _sampled(len(outcome), params.sampling, rng)
        sums = clipped_grid(design[chosen], outcome[chosen], theta, float(params.clip)).sum(axis=0)
        falls = 1.0 - step / params.steps if params.schedule is Schedule.FALLING else 1.0
        size = float(params.sampling) * params.people
        theta = theta + float(params.rate) * falls * noisy(sums, sigma) / (STEPS_PER_UNIT * size)
        path.append(theta)
    context.step(1.0, "all steps taken")
    return np.array(path)


def _sampled(people: int, sampling: Decimal, rng: UniformWords) -> Bools:
    """Everybody with probability q, independently: u < ⌊q·2^64⌋, q the float that is accounted for."""
    if sampling == 1:
        return np.ones(people, np.bool_)
    chosen: Bools = rng.words(people) < np.uint64(min(int(float(sampling) * 2.0**64), 2**64 - 1))
    return chosen


SPEC = DpSgd()

"""The source's method: stochastic gradient descent on Poisson samples, clipped gradients, normal noise in every step.

Formula: θ₀ is drawn at random from a recorded public seed. In each of T steps every person is sampled with probability
q, gradients are shortened to norm C, summed, and given noise N(0, σ²C²); θ moves by η_t times the sum divided by q
times a public planning size. η_t = η·(1 − t/T) where the schedule falls. The averaged iterate is the mean of the
second half. By rule C = √(1 + (d − 1)/3) and η = 8/d, d counting the intercept, so that nothing is tuned on the data;
settings of one's own are allowed where somebody declares that these data were not looked at.
Guarantee: (ε, δ) for one person added or removed, as an upper bound by privacy loss distributions of the sampled
Gaussian (σ is the smallest that keeps it, ε rounded up). Rényi accounting would need some 5 to 10 per cent more noise.
Rounding: the noise is added to integers and rounded, drawn exactly; samples are exact too, at a q that is rounded down
(see `gradients` and `poisson_samples`).
No margins of error are published: the method gives none.
Source: Abadi et al. (2016), algorithm 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

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
from workbench.noise.declared.samples import SampleSize
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.mechanisms import newton_noise, step_accounting
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
from workbench.products.model_fits.mechanisms.poisson_samples import poisson_samples
from workbench.products.model_fits.mechanisms.published_fit import DrawnFits

_USUAL_SAMPLING, _USUAL_STEPS = Decimal("0.05"), 400
_USUAL_DELTA, _LEAST_EPSILON = Delta("0.000001"), Decimal("0.1")
_AT_ONCE = 1 << 18  # numbers of noise
_SAMPLES, _GRADIENTS = "people in a sample", "gradients"  # names of answers
_RATE = 8.0  # divided by the number of coefficients
_NOT_TUNED = "sampling rate, steps, clip and learning rate were not chosen by looking at these data"


class Schedule(StrEnum):
    CONSTANT = "constant"
    FALLING = "falling"


class Tuning(StrEnum):
    RULE = "rule"
    OWN = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class DpSgdParams:
    epsilon: Epsilon = param(
        Epsilon("1"), "Privacy loss ε", "Of all steps together.", ge=str(_LEAST_EPSILON), le=MOST_EPSILON, effect="dial"
    )
    delta: Delta = delta_param()
    accuracy: Decimal = accuracy_param()
    sampling: Decimal = param(
        _USUAL_SAMPLING, "Sampling rate q", "The chance of each person to be in a step.", ge="0.000001", le=1
    )
    steps: int = param(
        _USUAL_STEPS, "Steps T", "More steps come nearer to the fit, with more noise in each.", ge=1, le=20_000
    )
    tuning: Tuning = param(
        Tuning.RULE, "Clip and learning rate", "By rule they follow from the number of coefficients. Your own must not "
        "be chosen on these data.", labels={"rule": "By rule", "own": "As set below"},
    )  # fmt: skip
    clip: Decimal = param(
        Decimal(1), "Clip C", "Gradients longer than this are shortened to it. Not used by rule.", ge="0.001", le=100
    )
    rate: Decimal = param(Decimal(4), "Learning rate η", "How far a step moves. Not used by rule.", gt=0, le=1000)
    schedule: Schedule = param(
        Schedule.CONSTANT, "Schedule", "Whether the learning rate stays or falls to zero.",
        labels={"constant": "Constant", "falling": "Falls to zero"},
    )  # fmt: skip
    averaged: bool = param(
        True, "Average the second half", "Publish the mean of the second half of the steps instead of the last.",
        effect="post-processing",
    )  # fmt: skip
    people: int = param(5000, "Planning size", "About how many people there are, from a public source.", ge=1)
    seed: int = param(1, "Public seed of θ₀", "The start is drawn from it and can be repeated by anybody.", ge=0)

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)

    @property
    def usual(self) -> bool:
        """Whether nothing was chosen that could have been chosen on the data."""
        return self.tuning is Tuning.RULE and (self.sampling, self.steps) == (_USUAL_SAMPLING, _USUAL_STEPS)

    def clip_for(self, coefficients: int) -> float:
        rule = newton_noise.clip_by_rule(coefficients)
        return rule if self.tuning is Tuning.RULE else float(self.clip)

    def rate_at(self, step: int, coefficients: int) -> float:
        """η_t."""
        rate = _RATE / coefficients if self.tuning is Tuning.RULE else float(self.rate)
        return rate * (1.0 - step / self.steps) if self.schedule is Schedule.FALLING else rate


@dataclass(frozen=True, slots=True)
class DpSgd(FitMechanism[DpSgdParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "dp-sgd"
    version: int = 1
    title: str = "Private stochastic gradient descent"
    summary: str = "Many noisy steps on random samples, as in Abadi et al. (2016). No margins of error."
    params: type[DpSgdParams] = DpSgdParams
    case: type[NoCase] = NoCase
    traits: Traits = Traits(bound=True, no_closed_form=True, of_the_source=True)

    def claim(self, prepared: FitData | None, params: DpSgdParams) -> Claim:
        made = fit_claim(
            prepared,
            epsilon=Decimal(params.epsilon),
            delta=Decimal(params.delta),
            more=("The planning size comes from a public source.",),
        )
        return made if params.usual else replace(made, provided=(*made.provided, _NOT_TUNED))

    def drawn(self, prepared: FitData, params: DpSgdParams, random: FitRandom, context: Context) -> DrawnFits:
        path = descent(prepared, params, random, context)
        kept = path[len(path) // 2 :] if params.averaged else path[-1:]
        beta: Floats = np.mean(kept, axis=0)
        told = told_accuracy(prepared, beta, epsilon=params.epsilon, share=params.accuracy, random=random)
        return DrawnFits(beta=beta, accuracy=told)

    def laws(self, prepared: FitData, params: DpSgdParams) -> Mapping[str, Declared]:
        """How many people every sample has, and normal noise, added and then rounded, around its clipped gradients."""
        sigma, share = _sigma(params, prepared.coefficients), float(params.sampling)
        laws = {
            _GRADIENTS: Declared(law=normal_law(sigma), by_words=False),
            **accuracy_laws(params.epsilon, params.accuracy, by_words=False),
        }
        if params.sampling < 1:
            everybody = Confidential(np.full(prepared.copies, len(prepared.outcome.reveal())))
            laws[_SAMPLES] = Declared(law=lambda people: SampleSize(people, share), exact=everybody, by_words=False)
        return laws

    def exact_loss(self, prepared: FitData, params: DpSgdParams, context: Context) -> ExactLoss:  # noqa: ARG002 - the same on all data
        context.step(0.0, "accounting for all steps")
        spent = step_accounting.epsilon_by_pld(
            float(params.sampling), noise_of(params), params.steps, float(params.delta)
        )
        return ExactLoss(
            epsilon=float(step_accounting.upwards(spent) + Decimal(params.epsilon) * params.accuracy),
            delta=float(params.delta),
            worst_cell=None,
            worst_pair="one person with a clipped gradient in every sample, present or absent",
            data_free=True,
            bound=True,
        )

    def calibrate(self, params: DpSgdParams, case: NoCase) -> Calibration:  # noqa: ARG002 - there is none
        sigma = noise_of(params)
        renyi = step_accounting.epsilon_by_renyi(float(params.sampling), sigma, params.steps, float(params.delta))
        scale = sigma * params.clip_for(2)
        return Calibration(
            scale=scale,
            expected_absolute_error=scale * math.sqrt(2.0 / math.pi),
            spent_epsilon=float(params.epsilon),
            spent_delta=float(params.delta),
            notes=(
                "The error is that of one entry of one step, with one predictor.",
                f"By Rényi accounting the same noise would cost ε = {renyi:.3g}.",
            ),
        )


def settings_for(claim: Claim, people: int, *, delta: Delta = _USUAL_DELTA) -> DpSgdParams:
    """The usual settings at the ε and δ of another claim, for comparisons; δ is the usual one where it has none."""
    epsilon = min(max(claim.epsilon, _LEAST_EPSILON), Decimal(MOST_EPSILON))
    return DpSgdParams(
        epsilon=Epsilon(epsilon), delta=Delta(claim.delta) if claim.delta else delta, people=max(1, people)
    )


def noise_of(params: DpSgdParams) -> float:
    """σ, in units of the clip: the smallest that keeps (ε, δ) by loss distributions."""
    left = left_for_the_fit(params.epsilon, params.accuracy)
    return step_accounting.sigma_for(float(params.sampling), params.steps, left, float(params.delta))


def _sigma(params: DpSgdParams, coefficients: int) -> float:
    """Of one entry of a step, in units of the grid."""
    return noise_of(params) * params.clip_for(coefficients) * STEPS_PER_UNIT


def start(coefficients: int, seed: int) -> Floats:
    """θ₀: small random numbers from the public seed."""
    return np.random.Generator(np.random.PCG64(seed)).normal(0.0, 0.1, coefficients)


def descent(prepared: FitData, params: DpSgdParams, random: FitRandom, context: Context) -> Floats:
    """θ after every step, θ₀ first: steps × copies × coefficients."""
    context.step(0.0, "accounting for all steps")
    d, copies = prepared.coefficients, prepared.copies
    gradients = gradient_sums(prepared).clipped(params.clip_for(d))
    size = float(params.sampling) * params.people * STEPS_PER_UNIT
    people = len(gradients.people)
    everybody = np.full(copies, people)
    samples = poisson_samples(people, float(params.sampling), params.steps, random.uniform, copies=copies)
    path = np.empty((params.steps + 1, copies, d))
    path[0] = theta = np.tile(start(d, params.seed), (copies, 1))
    noises = _noise_of_steps((params.steps, copies, d), _sigma(params, d), random)
    for step, (sample, noise) in enumerate(zip(samples, noises, strict=True)):
        context.step(step / params.steps, f"step {step + 1} of {params.steps}")
        sums = gradients.of(theta, sample)
        noisy = sums + noise
        if params.sampling < 1 and random.asked is not None:
            random.note(_SAMPLES, everybody, _sizes(sample, people, copies))
        random.note(_GRADIENTS, sums, noisy)
        path[step + 1] = theta = theta + (params.rate_at(step, d) / size) * noisy
    context.step(1.0, "all steps taken")
    return path


def _sizes(sample: Integers, people: int, copies: int) -> Integers:
    """How many people the sample of each copy has; quick for the one that is released."""
    return np.array([len(sample)]) if copies == 1 else np.bincount(sample // max(people, 1), minlength=copies)


def _noise_of_steps(shape: tuple[int, int, int], sigma: float, random: FitRandom) -> Iterator[Integers]:
    """Rounded noise for every step. Sums are integers, so that it can be drawn before them, for many steps at once."""
    steps, copies, d = shape
    block = max(1, _AT_ONCE // (copies * d))
    for start in range(0, steps, block):
        many = min(block, steps - start)
        yield from random.normal(np.zeros((many, copies, d), np.int64), sigma)


SPEC = DpSgd()

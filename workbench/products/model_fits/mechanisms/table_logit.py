"""Counts by level and outcome with noise, then the logistic score equation on the noisy counts.

Formula: c₁ and c₀ for every combination of declared levels, discrete Laplace of scale 1/ε on each, negatives kept; the
coefficients solve Σ x_k(c₁ₖ − (c₁ₖ + c₀ₖ)p_k) = 0. One continuous predictor is put on K knots by hat functions: a
person adds m units in all to two neighbouring knots (one share is rounded, the other is what is left), with scale m/ε.
Guarantee: pure ε for one person added or removed. A person adds exactly 1 (or m units) in L1, whatever the answer.
Margins: covariance H⁻¹(H + J)H⁻¹, sampling and noise together, from noisy counts only. A direction is weak where J
exceeds H, and margins are withheld where it does so twofold. Accuracy follows from the noisy counts too.
Rounding: counts and noise are integers; coefficients are rounded to their last decimal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import Epsilon
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, NoCase
from workbench.mechanisms.traits import Traits
from workbench.noise import discrete_laplace
from workbench.noise.declared.contract import DRAWN, Declared
from workbench.noise.declared.discrete import DiscreteLaplace
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.geometric import discrete_laplace as laplace_noise
from workbench.products.model_fits import logit
from workbench.products.model_fits.fit_data import GRID, FitData, Predictor
from workbench.products.model_fits.mechanisms.accuracy import share_of_counts
from workbench.products.model_fits.mechanisms.claims import fit_claim
from workbench.products.model_fits.mechanisms.fit_mechanism import FitMechanism
from workbench.products.model_fits.mechanisms.fit_random import FitRandom
from workbench.products.model_fits.mechanisms.neighbours import pair_of
from workbench.products.model_fits.mechanisms.published_fit import DrawnFits, Margins
from workbench.products.model_fits.params import MOST_COMBINATIONS

UNITS = 1000  # what one person adds in all where a predictor is continuous
_MANY, _FEW = 1000, 4  # people of the pair that is watched
_WITHHELD_FROM = 2.0  # noise over information, in the weakest direction


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLogitParams:
    epsilon: Epsilon = param(
        Epsilon("1"),
        "Privacy loss ε",
        "How much one person can change the odds of any published fit.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )
    knots: int = param(
        32, "Knots", "Points on which one continuous predictor is put. Fewer make the slope a little flatter.",
        ge=4, le=MOST_COMBINATIONS, advanced=True,
    )  # fmt: skip

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class TableLogit(FitMechanism[TableLogitParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "table-logit"
    version: int = 1
    title: str = "Noisy table, then logit"
    summary: str = "Integer Laplace noise on counts by level and outcome; the fit follows from the noisy counts."
    params: type[TableLogitParams] = TableLogitParams
    case: type[NoCase] = NoCase
    traits: Traits = Traits(no_closed_form=True)

    def problems(self, prepared: FitData, params: TableLogitParams) -> tuple[Problem, ...]:  # noqa: ARG002 - any ε will do
        return table_problems(prepared)

    def claim(self, prepared: FitData | None, params: TableLogitParams) -> Claim:
        return fit_claim(prepared, epsilon=Decimal(params.epsilon))

    def drawn(self, prepared: FitData, params: TableLogitParams, random: FitRandom, context: Context) -> DrawnFits:
        context.step(0.0, "counting people by level and outcome")
        counts, scale = counts_of(prepared, params.knots), _scale(prepared, params)
        many = np.full(prepared.copies * counts.size, scale)
        noise = laplace_noise(many, random.uniform, Part(context, 0.1, 0.5))
        context.step(0.5, "fitting the noisy counts")
        exact = np.tile(counts.ravel(), prepared.copies)
        noisy = exact + noise
        people = noisy.reshape(prepared.copies, *counts.shape) / _added(prepared)
        levels = levels_of(prepared, params.knots)
        beta = logit.fit_counts(levels, people[..., 1], people[..., 0])
        context.step(0.9, "working out the margins of error")
        variance = discrete_laplace.variance(scale) / _added(prepared) ** 2
        margins = _margins(levels, people.sum(axis=-1), beta, variance)
        context.step(1.0, "noisy counts fitted")
        random.note(DRAWN, exact, noisy)
        return DrawnFits(beta=beta, margins=margins, accuracy=_accuracy(levels, people, beta))

    def laws(self, prepared: FitData, params: TableLogitParams) -> Mapping[str, Declared]:
        scale = _scale(prepared, params)
        counts = Confidential(np.tile(counts_of(prepared, params.knots).ravel(), prepared.copies))
        return {DRAWN: Declared(exact=counts, law=lambda exact: DiscreteLaplace(exact, np.full(len(exact), scale)))}

    def exact_loss(self, prepared: FitData, params: TableLogitParams, context: Context) -> ExactLoss:
        context.step(0.0, "exact loss of discrete Laplace noise")
        added = _added(prepared)
        return ExactLoss(
            epsilon=float(discrete_laplace.spent(added, _scale(prepared, params))),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person, present or absent; every level is alike",
            data_free=True,
        )

    def neighbours(self, prepared: FitData, params: TableLogitParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - any ε will do
        """One person in a level where few have the outcome, so that the slope follows that one count."""
        two = Predictor(name="x", lower=-1.0, upper=1.0, levels=0 if _continuous(prepared) else 2)
        others = [(-1, 0), (-1, 1), (1, 0)] * _MANY + [(1, 1)] * _FEW
        return (
            pair_of(
                replace(prepared, predictors=(two,)), others, (1, 1), copies=copies,
                words="one person at the upper of two levels with outcome 1, present or absent",
            ),
        )  # fmt: skip

    def calibrate(self, params: TableLogitParams, case: NoCase) -> Calibration:  # noqa: ARG002 - there is none
        scale = discrete_laplace.scale_for(1, Fraction(params.epsilon))
        return Calibration(
            scale=scale,
            expected_absolute_error=discrete_laplace.mean_absolute(scale),
            spent_epsilon=float(discrete_laplace.spent(1, scale)),
            notes=("The error is that of one noisy count; that of a coefficient is known by drawing only.",),
        )


def table_problems(prepared: FitData) -> tuple[Problem, ...]:
    """Whether the declared predictors fit into a table, by the plan alone."""
    continuous = [predictor.name for predictor in prepared.predictors if not predictor.levels]
    if continuous and len(prepared.predictors) > 1:
        return (
            Problem(
                "A table of counts needs discrete predictors, or a single continuous one",
                "predictors",
                "Declare levels for every predictor, or choose dp-newton",
            ),
        )
    combinations = math.prod(predictor.levels or 1 for predictor in prepared.predictors)
    if combinations > MOST_COMBINATIONS:
        return (
            Problem(
                f"The declared levels have {combinations} combinations, and a table takes at most {MOST_COMBINATIONS}",
                "predictors",
                "Declare fewer levels, or choose dp-newton",
            ),
        )
    return ()


def _continuous(prepared: FitData) -> bool:
    return not prepared.predictors[0].levels


def _added(prepared: FitData) -> int:
    """What one person adds to the table in L1."""
    return UNITS if _continuous(prepared) else 1


def _scale(prepared: FitData, params: TableLogitParams) -> float:
    return discrete_laplace.scale_for(_added(prepared), Fraction(params.epsilon))


def levels_of(prepared: FitData, knots: int) -> Floats:
    """The public levels × coefficients, the intercept first."""
    points = [np.linspace(-1.0, 1.0, knots)] if _continuous(prepared) else [p.points() for p in prepared.predictors]
    grid = np.stack(np.meshgrid(*points, indexing="ij"), axis=-1).reshape(-1, len(points))
    return np.concatenate([np.ones((len(grid), 1)), grid], axis=1)


def counts_of(prepared: FitData, knots: int) -> Integers:
    """Levels × outcomes (0, 1): rows, or units where the predictor is continuous."""
    grid, outcome = prepared.grid.reveal()[:, 1:], prepared.outcome.reveal()
    if _continuous(prepared):
        return _hats(grid[:, 0], outcome, knots)
    cell = np.zeros(len(outcome), dtype=np.int64)
    for place, predictor in enumerate(prepared.predictors):
        level = nearest_level(grid[:, place], predictor.levels)
        cell = cell * predictor.levels + level
    levels = math.prod(predictor.levels for predictor in prepared.predictors)
    return np.bincount(cell * 2 + outcome, minlength=2 * levels).reshape(levels, 2)


def nearest_level(grid: Integers, levels: int) -> Integers:
    """Which declared level each value counts as: the nearest, the upper one of two."""
    return (2 * (grid + GRID) * (levels - 1) + 2 * GRID) // (4 * GRID)


def hat_shares(grid: Integers, knots: int) -> tuple[Integers, Integers]:
    """The knot at or below each value, and the units that go to the next one; the rest of UNITS stay."""
    position = (grid + GRID) * (knots - 1)
    knot = np.minimum(position // (2 * GRID), knots - 2)
    upper = (2 * UNITS * (position - knot * 2 * GRID) + 2 * GRID) // (4 * GRID)
    return knot, upper


def _hats(grid: Integers, outcome: Integers, knots: int) -> Integers:
    knot, upper = hat_shares(grid, knots)
    counts = np.zeros(2 * knots, dtype=np.int64)
    np.add.at(counts, knot * 2 + outcome, UNITS - upper)
    np.add.at(counts, (knot + 1) * 2 + outcome, upper)
    return counts.reshape(knots, 2)


def _accuracy(levels: Floats, people: Floats, beta: Floats) -> Floats:
    """What the noisy table itself says of it, at no further cost: the outcome at each level that the fit expects."""
    right = np.where(beta @ levels.T >= 0.0, people[..., 1], people[..., 0]).sum(axis=1)
    return share_of_counts(np.stack([right, people.sum(axis=(1, 2)) - right], axis=1))


def _margins(levels: Floats, total: Floats, beta: Floats, variance: float) -> Margins:
    sampling, privacy = logit.covariances(levels, total, beta, variance)
    noise = logit.noise_information(levels, logit.probability(levels, beta), variance)
    outweighs = np.linalg.eigvals(sampling @ noise).real
    return Margins(
        covariance=sampling + privacy,
        weak=np.count_nonzero(outweighs > 1.0, axis=-1).astype(np.int64),
        told=outweighs.max(axis=-1) <= _WITHHELD_FROM,
    )


SPEC = TableLogit()

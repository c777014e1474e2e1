"""The fractional table with Gaussian noise: for many outcomes, whose counts are then measured once.

Formula: each person adds (1−x)/2, x/2 to two counts, (1−x)(y_k−½), x(y_k−½) for every outcome k, c·((x−½)²−⅛) for the
cell and c_y·((y_k−½)²−⅛) for the pool. Its square is at most Δ² = (1+K)/4 + c²/64 + K·c_y²/64, at a corner. Discrete
Gaussian noise of standard deviation σ on all of it, each in integers of its own unit, ρ = Δ²/(2σ²).
Guarantee: ρ-zCDP, and (ε, δ) by the one conversion of the program; never by the formula for continuous noise.
Rounding: as in the fractional table; σ of each part is rounded so that no part spends more than its share of ρ.
Source: own derivation; Bun and Steinke (2016), Canonne, Kamath and Steinke (2020).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.accounting import zcdp
from workbench.core.arrays import Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import Delta, Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise import discrete_gaussian
from workbench.noise.declared.contract import DRAWN, Declared
from workbench.noise.declared.discrete import DiscreteGaussian
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.area_estimates.area_data import AreaData, TableSums
from workbench.products.area_estimates.claims import area_claim
from workbench.products.area_estimates.columns import names_of, published
from workbench.products.area_estimates.decoded import decoded
from workbench.products.area_estimates.effects import lines_only
from workbench.products.area_estimates.fractional_sums import MOMENT, SUMS
from workbench.products.area_estimates.mechanisms.case import AreaCase, error_from_variance
from workbench.products.area_estimates.neighbours import one_more
from workbench.products.area_estimates.table_noise import real_table


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianTableParams:
    epsilon: Epsilon = param(
        Epsilon("2"), "Privacy loss ε", "What one person's presence may change about the odds, but for δ.", gt=0,
        le=MOST_EPSILON, effect="dial",
    )  # fmt: skip
    delta: Delta = param(Delta("0.000001"), "Added probability δ", "Beyond the factor of ε.", gt=0, lt="0.1")
    x_moment: Decimal = param(
        Decimal("1.79"), "Factor of x²", "How precisely the spread of the predictor is measured.", gt=0, le=10,
        advanced=True,
    )  # fmt: skip
    y_moment: Decimal = param(
        Decimal("0.5"), "Factor of y²", "How precisely the spread of the outcome is measured.", gt=0, le=10,
        advanced=True,
    )  # fmt: skip

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianScales:
    """σ in integers of the counts and products, of the moment of x and of that of y; and the ρ they spend."""

    sums: float
    x_moment: float
    y_moment: float
    outcomes: int
    most_weight: int

    def rho(self) -> Fraction:
        """Of the person at a corner, who attains all three at once."""
        sums, moment = squared_sensitivities(self.outcomes, self.most_weight)
        spent = discrete_gaussian.rho(sums, self.sums) + discrete_gaussian.rho(moment, self.x_moment)
        return spent + self.outcomes * discrete_gaussian.rho(moment, self.y_moment)


def squared_sensitivities(outcomes: int, most_weight: int) -> tuple[Fraction, Fraction]:
    """Of counts and products together, (1 + K)·W²·m⁴ in units of 1/(2m²) of a half count; of one moment."""
    return Fraction((1 + outcomes) * (most_weight * SUMS) ** 2), Fraction((most_weight * MOMENT) ** 2)


def gaussian_scales(params: GaussianTableParams, outcomes: int, most_weight: int) -> GaussianScales:
    budget = Fraction(zcdp.rho_of(float(params.epsilon), float(params.delta)))
    shares = (
        Fraction(1 + outcomes, 4),
        Fraction(params.x_moment) ** 2 / 64,
        Fraction(params.y_moment) ** 2 / 64,
    )
    whole = shares[0] + shares[1] + outcomes * shares[2]
    sums, moment = squared_sensitivities(outcomes, most_weight)
    return GaussianScales(
        sums=discrete_gaussian.sigma_for(sums, budget * shares[0] / whole),
        x_moment=discrete_gaussian.sigma_for(moment, budget * shares[1] / whole),
        y_moment=discrete_gaussian.sigma_for(moment, budget * shares[2] / whole),
        outcomes=outcomes,
        most_weight=most_weight,
    )


@dataclass(frozen=True, slots=True)
class FractionalGaussian:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "fractional-table-gaussian"
    version: int = 2
    title: str = "Fractional table, Gaussian"
    summary: str = "Integer Gaussian noise on the same sums, with counts measured once for many outcomes."
    params: type[GaussianTableParams] = GaussianTableParams
    case: type[AreaCase] = AreaCase
    traits: Traits = Traits(whole=True, no_closed_form=True, bound=True)

    def problems(self, prepared: AreaData, params: GaussianTableParams) -> tuple[Problem, ...]:  # noqa: ARG002 - any ε will do
        return lines_only(prepared)

    def claim(self, prepared: AreaData | None, params: GaussianTableParams) -> Claim:
        outcomes, weight = (1, 1) if prepared is None else (len(prepared.outcomes), prepared.most_weight)
        rho = gaussian_scales(params, outcomes, weight).rho()
        return area_claim(
            prepared,
            epsilon=Decimal(params.epsilon),
            delta=Decimal(params.delta),
            rho=Decimal(math.nextafter(float(rho), math.inf)),
            more=("How ρ is divided was decided in the plan, before any result was seen.",),
        )

    def release(self, prepared: AreaData, params: GaussianTableParams, rng: ReleaseRandom, context: Context) -> Release:
        asked: list[Answer] = []
        return Release.of(_estimated(prepared, params, rng, context, asked), self, rng, tuple(asked))

    def laws(self, prepared: AreaData, params: GaussianTableParams) -> Mapping[str, Declared]:
        """Discrete Gaussian around counts, products and moments, in the order in which they are drawn."""
        scales = gaussian_scales(params, len(prepared.outcomes), prepared.most_weight)
        exact = _exact(prepared.table.reveal())
        sigma = np.repeat([scales.sums, scales.sums, scales.x_moment, scales.y_moment], [each.size for each in exact])
        flat = np.concatenate([each.ravel() for each in exact])
        return {DRAWN: Declared(exact=Confidential(flat), law=lambda around: DiscreteGaussian(around, sigma))}

    def study(
        self, prepared: AreaData, params: GaussianTableParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_estimated(prepared, params, rng, context))

    def expected_error(self, prepared: AreaData, params: GaussianTableParams) -> None:
        """None: the error of an estimate depends on the cell and is known by drawing only."""

    def exact_loss(self, prepared: AreaData, params: GaussianTableParams, context: Context) -> ExactLoss:
        context.step(0.0, "ρ of discrete Gaussian noise")
        rho = float(gaussian_scales(params, len(prepared.outcomes), prepared.most_weight).rho())
        return ExactLoss(
            epsilon=float(params.epsilon),
            delta=zcdp.delta_of(rho, float(params.epsilon)),
            worst_cell=None,
            worst_pair="one person with predictor and outcomes at their upper bounds, present or absent",
            data_free=True,
            bound=True,
        )

    def neighbours(
        self, prepared: AreaData, params: GaussianTableParams, copies: int  # noqa: ARG002 - all cells are estimated together
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        return one_more(prepared, len(names_of(prepared)))

    def numbers(self, outcomes: int) -> int:
        return 3 + 3 * outcomes

    def watched(
        self, table: TableSums, prepared: AreaData, params: GaussianTableParams, rng: UniformWords, context: Context
    ) -> tuple[Integers, ...]:
        drawn = drawn_gaussian(
            table, gaussian_scales(params, len(prepared.outcomes), prepared.most_weight), rng, context
        )
        products = (part for outcome in drawn.products for part in outcome.T)
        return (*drawn.counts.T, *products, drawn.x_moment, *drawn.y_moment)

    def calibrate(self, params: GaussianTableParams, case: AreaCase) -> Calibration:
        scales = gaussian_scales(params, 1, 1)
        sums, moment = (scales.sums / SUMS) ** 2 / 2.0, (scales.x_moment / (4 * SUMS)) ** 2
        return Calibration(
            scale=scales.sums / SUMS,
            expected_absolute_error=error_from_variance(case, sums, moment),
            spent_epsilon=float(params.epsilon),
            spent_delta=zcdp.delta_of(float(scales.rho()), float(params.epsilon)),
            notes=("The error is that of the noise alone, in an area whose predictor is spread evenly.",),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnGaussian:
    """Cells × 2 noisy counts in units of 1/m², outcomes × cells × 2 products in units of 1/(2m²), the moments."""

    counts: Integers
    products: Integers
    x_moment: Integers
    y_moment: Integers

    def sums(self) -> Integers:
        """Twice the four sums of every outcome, so that they stay integers: n ± 2Z."""
        return np.stack(
            [
                np.stack(
                    [n[:, 0] - z[:, 0], n[:, 0] + z[:, 0], n[:, 1] - z[:, 1], n[:, 1] + z[:, 1]],
                    axis=1,
                )
                for z in self.products
                for n in (self.counts,)
            ]
        )


def measured(table: TableSums) -> tuple[Integers, Integers]:
    """n_L and n_H, cells × 2, in units of 1/m²; 2Z_L and 2Z_H, outcomes × cells × 2, in the same."""
    low = table.sums[:, :, 0] + table.sums[:, :, 1], table.sums[:, :, 1] - table.sums[:, :, 0]
    high = table.sums[:, :, 2] + table.sums[:, :, 3], table.sums[:, :, 3] - table.sums[:, :, 2]
    return np.stack([low[0][0], high[0][0]], axis=1), np.stack([low[1], high[1]], axis=2)


def drawn_gaussian(table: TableSums, scales: GaussianScales, rng: UniformWords, context: Context) -> DrawnGaussian:
    counts, products = measured(table)

    def noisy(values: Integers, sigma: float, start: float, end: float) -> Integers:
        noise = discrete_gaussian.draw(np.full(values.size, sigma), rng, Part(context, start, end))
        return values + noise.reshape(values.shape)

    return DrawnGaussian(
        counts=noisy(counts, scales.sums, 0.0, 0.3),
        products=noisy(products, scales.sums, 0.3, 0.7),
        x_moment=noisy(table.x_moment, scales.x_moment, 0.7, 0.95),
        y_moment=noisy(table.y_moment, scales.y_moment, 0.95, 1.0),
    )


def _exact(table: TableSums) -> tuple[Integers, Integers, Integers, Integers]:
    return (*measured(table), table.x_moment, table.y_moment)


def _estimated(
    prepared: AreaData,
    params: GaussianTableParams,
    rng: UniformWords,
    context: Context,
    asked: list[Answer] | None = None,
) -> Columns:
    context.step(0.0, "drawing the noisy table")
    outcomes = len(prepared.outcomes)
    scales = gaussian_scales(params, outcomes, prepared.most_weight)
    drawn = drawn_gaussian(prepared.table.reveal(), scales, rng, Part(context, 0.0, 0.3))
    if asked is not None:
        exact, noisy = (
            np.concatenate([each.ravel() for each in side])
            for side in (
                _exact(prepared.table.reveal()),
                (drawn.counts, drawn.products, drawn.x_moment, drawn.y_moment),
            )
        )
        asked.append(Answer(name=DRAWN, exact=Confidential(exact), drawn=noisy))
    table = TableSums(sums=drawn.sums() / 2, x_moment=drawn.x_moment, y_moment=drawn.y_moment)  # type: ignore[arg-type]
    # a count has σ², so that each of its two sums counts as half of that
    variances = discrete_gaussian.variance(scales.sums) / 2.0, discrete_gaussian.variance(scales.x_moment)
    found = []
    for place in range(outcomes):
        part = Part(context, 0.3 + 0.7 * place / outcomes, 0.3 + 0.7 * (place + 1) / outcomes)
        found.append(decoded(real_table(table, place, prepared, variances), prepared.inner_ranks, part))
    return published(prepared, tuple(found))


SPEC = FractionalGaussian()

"""AdaSSP: private ridge regression in every cell from noisy sums, the ridge set by a noisy least eigenvalue.

Formula: see `adaptive_ridge`. Published are the line at the ranks, its slope and the noisy count; no margins, because
the ridge pulls every line towards ½ by an amount that nobody knows.
Guarantee: ρ-zCDP for one person added or removed, and (ε, δ) by the one conversion of the program. Cells are apart, and
each person has one. With K outcomes S and λ_min are measured once.
Rounding: everything measured is an integer of 1/m²; the noise is discrete Gaussian.
Source: Wang (2018); as a rival in Alabi, McMillan, Sarathy, Smith and Vadhan (2020).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.accounting import zcdp
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
from workbench.products.area_estimates.adaptive_ridge import (
    RidgeScales,
    ridge_lines,
    ridge_scales,
    ridge_sums,
    spreads,
)
from workbench.products.area_estimates.area_data import AreaData, TableSums
from workbench.products.area_estimates.claims import area_claim
from workbench.products.area_estimates.columns import Estimates, names_of, published
from workbench.products.area_estimates.effects import lines_only
from workbench.products.area_estimates.fractional_sums import GRID, SUMS, contributions
from workbench.products.area_estimates.held_neighbours import copied
from workbench.products.area_estimates.mechanisms.case import AreaCase
from workbench.products.area_estimates.mechanisms.replaced_claim import weight_problems


@dataclass(frozen=True, slots=True, kw_only=True)
class AdasspParams:
    epsilon: Epsilon = param(
        Epsilon("2"), "Privacy loss ε", "What one person's presence may change about the odds, but for δ.", gt=0,
        le=MOST_EPSILON, effect="dial",
    )  # fmt: skip
    delta: Delta = param(Delta("0.000001"), "Added probability δ", "Beyond the factor of ε.", gt=0, lt="0.1")

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class Adassp:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "adassp"
    version: int = 1
    title: str = "AdaSSP"
    summary: str = "Private ridge regression from noisy sums of every cell; its ridge follows from the noise."
    params: type[AdasspParams] = AdasspParams
    case: type[AreaCase] = AreaCase
    traits: Traits = Traits(no_closed_form=True, bound=True)

    def problems(self, prepared: AreaData, params: AdasspParams) -> tuple[Problem, ...]:  # noqa: ARG002 - any ε will do
        return (*weight_problems(prepared), *lines_only(prepared))

    def claim(self, prepared: AreaData | None, params: AdasspParams) -> Claim:
        rho = _scales(params, 1 if prepared is None else len(prepared.outcomes)).rho()
        return area_claim(
            prepared,
            epsilon=Decimal(params.epsilon),
            delta=Decimal(params.delta),
            rho=Decimal(math.nextafter(float(rho), math.inf)),
        )

    def release(self, prepared: AreaData, params: AdasspParams, rng: ReleaseRandom, context: Context) -> Release:
        asked: list[Answer] = []
        return Release.of(_drawn(prepared, params, rng, context, asked), self, rng, tuple(asked))

    def study(
        self, prepared: AreaData, params: AdasspParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context, []))

    def laws(self, prepared: AreaData, params: AdasspParams) -> Mapping[str, Declared]:
        """Discrete Gaussian around all sums and least eigenvalues, in the order in which they are drawn."""
        exact = ridge_sums(prepared.table.reveal())
        sigma = spreads(exact, _scales(params, len(prepared.outcomes)))
        return {DRAWN: Declared(exact=Confidential(exact.flat()), law=lambda around: DiscreteGaussian(around, sigma))}

    def expected_error(self, prepared: AreaData, params: AdasspParams) -> None:
        """None: a ridge that follows the noise has no closed form."""

    def exact_loss(self, prepared: AreaData, params: AdasspParams, context: Context) -> ExactLoss:
        context.step(0.0, "ρ of discrete Gaussian noise")
        rho = float(_scales(params, len(prepared.outcomes)).rho())
        return ExactLoss(
            epsilon=float(params.epsilon),
            delta=zcdp.delta_of(rho, float(params.epsilon)),
            worst_cell=None,
            worst_pair="one person with predictor and outcomes at their upper bounds, present or absent",
            data_free=True,
            bound=True,
        )

    def neighbours(self, prepared: AreaData, params: AdasspParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - every cell is alike
        """An empty cell, and the same with one person at the upper bounds; many times over, as cells are apart."""
        one = contributions(np.array([GRID], np.int64), np.array([GRID], np.int64))
        line = prepared.lines.reveal()[0].chosen(np.array([0]))

        def cells(people: int) -> Confidential[AreaData]:
            table = TableSums(
                sums=np.tile(people * one.sums[None], (1, copies, 1)),
                x_moment=np.tile(people * one.x_moment, copies),
                y_moment=np.zeros((1, 1), np.int64),
            )
            return Confidential(replace(copied(prepared, 0, line, None, (), copies), table=Confidential(table)))

        return (
            NeighbourPair(
                description="one person with predictor and outcome at their upper bounds in a cell of its own, or not",
                first=cells(1),
                second=cells(0),
                copies=copies,
                outputs=len(names_of(prepared)),
            ),
        )

    def calibrate(self, params: AdasspParams, case: AreaCase) -> Calibration:
        scales = _scales(params, 1)
        return Calibration(
            scale=scales.vector / SUMS,
            expected_absolute_error=scales.vector / (2 * SUMS * case.people) * math.sqrt(2.0 / math.pi),
            spent_epsilon=float(params.epsilon),
            spent_delta=zcdp.delta_of(float(scales.rho()), float(params.epsilon)),
            notes=("The error is that of the level at the middle; noise of the slope and the ridge come on top.",),
        )


def _scales(params: AdasspParams, outcomes: int) -> RidgeScales:
    return ridge_scales(Fraction(zcdp.rho_of(float(params.epsilon), float(params.delta))), outcomes)


def _drawn(
    prepared: AreaData, params: AdasspParams, rng: UniformWords, context: Context, asked: list[Answer]
) -> Columns:
    context.step(0.0, "adding noise to the sums of every cell")
    scales, exact = _scales(params, len(prepared.outcomes)), ridge_sums(prepared.table.reveal())
    flat = exact.flat()
    drawn = flat + discrete_gaussian.draw(spreads(exact, scales), rng, Part(context, 0.0, 0.9))
    asked.append(Answer(name=DRAWN, exact=Confidential(flat), drawn=drawn))
    noisy = exact.like(drawn)
    intercept, slope = ridge_lines(noisy, scales, float(params.delta))
    context.step(1.0, "lines worked out")
    count = noisy.matrix[:, 0] / SUMS
    return published(
        prepared,
        tuple(
            Estimates(
                at=np.stack([(1.0 + a + b * (2.0 * rank - 1.0)) / 2.0 for rank in prepared.inner_ranks], axis=1),
                count=count,
                count_error=np.full(len(count), scales.matrix / SUMS),
                slope=b,
            )
            for a, b in zip(intercept, slope, strict=True)
        ),
    )


SPEC = Adassp()

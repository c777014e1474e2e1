"""Counts and mean earnings of whole histories from one ε.

Formula: for every cell and year U = Σy and V = Σ(B − y) on a grid of B/L, history noise on all cells of a block
(institution × title, all sectors and years): P(z) ∝ e^(−ε‖z‖/L), ‖z‖ = max over years of Σz⁺ + max over years of Σz⁻.
Published: count = (U + V)/L in whole people, mean = B·U/(U + V) in whole dollars, between 0 and B.
Guarantee: pure ε for a person's whole history at an institution, whichever years, sectors and pay. Moving between
sectors costs nothing; there is no split over years or between count and mean.
Rounding: U is rounded once for each cell and V is what is left, so that one person-year moves U and V by exactly L in
all. Noise and sums are integers; everything published follows from them and the plan.
Source: Joseph and Yu (2023) for the norm; complementary sums are our own derivation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon, show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.declared.contract import DRAWN, Declared
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.history_moments import mean_absolute_of_pair
from workbench.products.outcome_reports.mechanisms.case import HistoryCase
from workbench.products.outcome_reports.mechanisms.claims import (
    ENFORCED,
    UNIT,
    by_institution,
    for_each,
    reports,
    said,
    witness,
)
from workbench.products.outcome_reports.mechanisms.history_sums import (
    BlockLaw,
    block_law,
    cell_units,
    count_and_mean,
    declared_blocks,
    noise_for,
)
from workbench.products.outcome_reports.mechanisms.neighbours import one_history
from workbench.products.outcome_reports.mechanisms.noisy_parts import noisy_sums
from workbench.products.outcome_reports.mechanisms.too_wide import too_wide
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.published_outcomes import Estimates, published


class Statistics(StrEnum):
    BOTH = "count and mean"
    COUNT = "count"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryParams:
    epsilon: Epsilon = param(
        Epsilon("4"),
        "Privacy loss ε",
        "What a person's whole history at one institution may change, all years and both statistics together.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )
    statistics: Statistics = param(
        Statistics.BOTH, "Statistics", "Counts alone have about half the noise of counts beside mean earnings."
    )

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)

    @property
    def each(self) -> int:
        """Coordinates of a cell."""
        return 1 if self.statistics is Statistics.COUNT else 2


@dataclass(frozen=True, slots=True)
class History:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "history"
    version: int = 1
    title: str = "Noise for whole histories"
    summary: str = "Integer noise made for histories: count and mean earnings of all years from one ε."
    params: type[HistoryParams] = HistoryParams
    case: type[HistoryCase] = HistoryCase
    traits: Traits = Traits(no_closed_form=True)

    def problems(self, prepared: Outcomes, params: HistoryParams) -> tuple[Problem, ...]:
        law = block_law(prepared, Fraction(params.epsilon), each=params.each)
        return too_wide(law.coordinates, law.years, params.epsilon, law.units)

    def claim(self, prepared: Outcomes | None, params: HistoryParams) -> Claim:
        epsilon = Decimal(params.epsilon)
        return Claim(
            definition=Definition.HISTORY,
            unit=UNIT,
            epsilon=epsilon * reports(prepared),
            sentence=said(prepared, epsilon),
            assumptions=ENFORCED,
            parts=by_institution(prepared, epsilon),
            coverage=witness(prepared),
            workings=(
                f"ε = {show(epsilon)} for {for_each(prepared)}, all years and both statistics together: history noise "
                "needs no sum over years."
            ),
        )

    def release(self, prepared: Outcomes, params: HistoryParams, rng: ReleaseRandom, context: Context) -> Release:
        asked: list[Answer] = []
        return Release.of(drawn(prepared, params, rng, context, asked=asked), self, rng, tuple(asked))

    def laws(self, prepared: Outcomes, params: HistoryParams) -> Mapping[str, Declared]:
        law = law_of(prepared, params)
        exact = Confidential(_exact(prepared, params, law).ravel())
        return {DRAWN: Declared(exact=exact, law=lambda around: declared_blocks(around, law))}

    def study(
        self, prepared: Outcomes, params: HistoryParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(drawn(prepared, params, rng, context))

    def expected_error(self, prepared: Outcomes, params: HistoryParams) -> None:
        """None: whole people are published, and the error of a rounded sum of two coordinates has no short form."""

    def exact_loss(self, prepared: Outcomes, params: HistoryParams, context: Context) -> ExactLoss:
        context.step(0.0, "exact loss of history noise")
        law = law_of(prepared, params)
        return ExactLoss(
            epsilon=float(law.spent) * reports(prepared),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person with a row in every year, present or absent; every cell and pay is alike",
            data_free=True,
        )

    def neighbours(self, prepared: Outcomes, params: HistoryParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - any ε will do
        return one_history(prepared, copies)

    def calibrate(self, params: HistoryParams, case: HistoryCase) -> Calibration:
        law = BlockLaw(Fraction(params.epsilon), case.years, case.sectors, params.each)
        error = law.law.mean_absolute() if params.each == 1 else _pair_error(law)
        return Calibration(
            scale=law.count_sd(),
            expected_absolute_error=error,
            spent_epsilon=float(law.spent),
            notes=("The scale is the standard deviation of a count. Years do not divide ε.",),
        )


def _pair_error(law: BlockLaw) -> float:
    """E|count noise| before it is rounded to whole people: that of a normal law of its sd where tables are long."""
    if law.years > 1 and law.years * law.coordinates * law.units / law.epsilon > 200:
        return float(np.sqrt(2.0 / np.pi)) * law.count_sd()
    return mean_absolute_of_pair(law.law) / law.units


def law_of(prepared: Outcomes, params: HistoryParams, *, separate: bool = False) -> BlockLaw:
    """The noise of a block; `separate`: of one year of it at a time."""
    law = block_law(prepared, Fraction(params.epsilon), each=params.each)
    return replace(law, years=1) if separate else law


def _exact(prepared: Outcomes, params: HistoryParams, law: BlockLaw) -> Integers:
    """Rows × coordinates of a cell."""
    count = prepared.count.reveal()
    if params.each == 1:
        return count[:, None]
    return np.stack(cell_units(count, prepared.total.reveal(), cap=prepared.cap, units=law.units), axis=1)


def drawn(
    prepared: Outcomes,
    params: HistoryParams,
    rng: UniformWords,
    context: Context,
    *,
    separate: bool = False,
    asked: list[Answer] | None = None,
) -> Columns:
    """Noisy sums of every cell, and what follows from them."""
    law = law_of(prepared, params, separate=separate)
    noise = noise_for(prepared, law, rng, Part(context, 0.0, 0.9))
    context.step(0.9, "counts and means from noisy sums")
    exact = _exact(prepared, params, law)
    noisy = exact + noise
    if asked is not None:
        asked.append(Answer(name=DRAWN, exact=Confidential(exact.ravel()), drawn=noisy.ravel()))
    if params.each == 1:
        estimates, beside = Estimates(count=noisy[:, 0].astype(np.float64), count_sd=law.count_sd()), None
    else:
        earned, missing = noisy[:, 0], noisy[:, 1]
        count, mean, sd = count_and_mean(earned, missing, cap=prepared.cap, law=law)
        estimates = Estimates(count=count, mean=mean, count_sd=law.count_sd(), mean_sd=sd)
        beside = noisy_sums(earned, missing, cap=prepared.cap, units=law.units)
    context.step(1.0, "counts and means drawn")
    return Columns(columns=published(prepared, estimates).columns, beside=beside)


SPEC = History()

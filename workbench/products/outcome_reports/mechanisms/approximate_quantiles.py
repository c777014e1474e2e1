"""Percentiles of large cells by the exponential mechanism, one inside the other.

Formula: the median of a cell's pay by the exponential mechanism on whole dollars between 0 and B; then the median of
those below it and of those at or above it, each within its own range: p25 and p75. Each person is in one of the two, so
that two steps of ε_q/2 cost ε_q. Every year has ε_q = (1 − c)·ε/T. Counts have history noise with c·ε for all years.
Guarantee: pure ε for a person's whole history at an institution: one cell a year is enforced.
Rounding: none; whole dollars are drawn.
Source: Kaplan, Schnapp and Stemmer (2022); better than a histogram from about 400/ε people in a cell and year on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon, show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise import exponential_median
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.exponential_median import Lists
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
from workbench.products.outcome_reports.mechanisms.history_sums import BlockLaw, block_law, noise_for
from workbench.products.outcome_reports.mechanisms.neighbours import one_history
from workbench.products.outcome_reports.mechanisms.too_wide import too_wide
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.published_outcomes import LEVEL, Estimates, published

_QUARTILE = math.sqrt(1.25) * 7.0 / 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateQuantilesParams:
    epsilon: Epsilon = param(
        Epsilon("4"), "Privacy loss ε", "Counts and percentiles of all years together.", gt=0, le=MOST_EPSILON,
        effect="dial",
    )  # fmt: skip
    counts: Decimal = param(
        Decimal("0.2"), "Part of counts", "The share of ε that counts get; percentiles get the rest.", gt=0, lt=1
    )

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class ApproximateQuantiles:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "approximate-quantiles"
    version: int = 1
    title: str = "Quantiles inside one another"
    summary: str = "Percentiles of large cells by the exponential mechanism, and counts with noise for histories."
    params: type[ApproximateQuantilesParams] = ApproximateQuantilesParams
    case: type[HistoryCase] = HistoryCase
    traits: Traits = Traits(no_closed_form=True, bound=True)

    def problems(self, prepared: Outcomes, params: ApproximateQuantilesParams) -> tuple[Problem, ...]:
        layout = prepared.layout
        return too_wide(layout.places, layout.years, Decimal(params.epsilon * params.counts))

    def claim(self, prepared: Outcomes | None, params: ApproximateQuantilesParams) -> Claim:
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
                f"ε = {show(epsilon)} for {for_each(prepared)}: {show(epsilon * params.counts)} for the counts of all "
                "years, the rest in equal parts for the percentiles of each year."
            ),
        )

    def release(
        self, prepared: Outcomes, params: ApproximateQuantilesParams, rng: ReleaseRandom, context: Context
    ) -> Release:
        return Release.of(_drawn(prepared, params, rng, context), self, rng)

    def study(
        self, prepared: Outcomes, params: ApproximateQuantilesParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: Outcomes, params: ApproximateQuantilesParams) -> None:
        """None: the error of a percentile depends on the pay of the cell."""

    def exact_loss(self, prepared: Outcomes, params: ApproximateQuantilesParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss of counts and of two steps a year")
        law = _count_law(prepared, params)
        spent = law.spent + 2 * prepared.layout.years * _step(prepared, params)
        return ExactLoss(
            epsilon=float(spent) * reports(prepared),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person with a row in every year, present or absent",
            data_free=True,
            bound=True,
        )

    def neighbours(
        self, prepared: Outcomes, params: ApproximateQuantilesParams, copies: int  # noqa: ARG002 - any ε will do
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        return one_history(prepared, copies)

    def calibrate(self, params: ApproximateQuantilesParams, case: HistoryCase) -> Calibration:
        law = BlockLaw(Fraction(params.epsilon) * Fraction(params.counts), case.years, case.sectors, 1)
        return Calibration(
            scale=law.count_sd(),
            expected_absolute_error=law.law.mean_absolute(),
            spent_epsilon=float(params.epsilon),
            notes=("The error is that of a count; that of a percentile is known by drawing only.",),
        )


def _count_law(prepared: Outcomes, params: ApproximateQuantilesParams) -> BlockLaw:
    return block_law(prepared, Fraction(params.epsilon) * Fraction(params.counts), each=1)


def _step(prepared: Outcomes, params: ApproximateQuantilesParams) -> Fraction:
    """ε of one of the two steps of a cell and year."""
    return Fraction(params.epsilon) * (1 - Fraction(params.counts)) / (2 * prepared.layout.years)


def quartiles(prepared: Outcomes, step: Fraction, rng: UniformWords, context: Context) -> Floats:
    """Rows × (p25, p50, p75)."""
    pay, end = prepared.pay.reveal(), prepared.ends.reveal()
    start = end - prepared.count.reveal()
    low, high = np.zeros(len(end), dtype=np.int64), np.full(len(end), prepared.cap, dtype=np.int64)
    context.step(0.0, "drawing medians")
    middle = exponential_median.draw(Lists(values=pay, start=start, end=end, low=low, high=high), step, rng)
    context.step(0.4, "drawing quartiles")
    split = start + _below(prepared, middle)
    lower = exponential_median.draw(Lists(values=pay, start=start, end=split, low=low, high=middle), step, rng)
    context.step(0.7, "drawing quartiles")
    upper = exponential_median.draw(Lists(values=pay, start=split, end=end, low=middle, high=high), step, rng)
    context.step(1.0, "quartiles drawn")
    return np.stack([lower, middle, upper], axis=1).astype(np.float64)


def _below(prepared: Outcomes, limit: np.ndarray) -> np.ndarray:
    """How many people of each cell earn less than its limit."""
    cell = prepared.cells_of_rows()
    less = prepared.pay.reveal() < limit[cell]
    return np.bincount(cell[less], minlength=prepared.rows)


def _drawn(prepared: Outcomes, params: ApproximateQuantilesParams, rng: UniformWords, context: Context) -> Columns:
    law = _count_law(prepared, params)
    noise = noise_for(prepared, law, rng, Part(context, 0.0, 0.4))
    count = (prepared.count.reveal() + noise[:, 0]).astype(np.float64)
    percentiles = quartiles(prepared, _step(prepared, params), rng, Part(context, 0.4, 1.0))
    spread = percentile_sd(percentiles, count, float(_step(prepared, params)), prepared.cap)
    return published(
        prepared,
        Estimates(count=count, percentiles=percentiles, count_sd=law.count_sd(), percentile_sd=spread),
    )


def percentile_sd(percentiles: Floats, count: Floats, step: float, cap: int) -> Floats:
    """From drawn values: a rank shifts by a two-sided exponential of scale 1/ε; half the people are between quartiles.

    Such a shift stays within ln 20/ε in 95 of 100, and the sd is that of a normal law of which the same is true.
    A quartile is the median of a half that the drawn median cuts off, so that half the median's shift is added to its
    own: √1.25 of it. Pay is thinner there, by a sixth where it is log-normal. Where a shift may leave the quartiles,
    the margin is as wide as the cap allows.
    """
    lower, middle, upper = np.maximum(percentiles, 1.0).T
    people = np.maximum(count, 1.0)
    rank = math.log(20.0) / (LEVEL * step)
    relative = rank * np.log(upper / lower) / (people / 2.0)
    sd = np.stack([lower, middle, upper], axis=1) * relative[:, None] * np.array([_QUARTILE, 1.0, _QUARTILE])
    widest = np.maximum(percentiles, cap - percentiles) / LEVEL
    inside = LEVEL * rank <= people / 4.0
    found: Floats = np.where(inside[:, None], np.minimum(sd, widest), widest)
    return found


SPEC = ApproximateQuantiles()

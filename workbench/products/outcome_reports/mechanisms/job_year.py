"""A contrast: protecting a single job-year instead of a whole history.

Formula: the sums of `history` with noise for one year at a time: discrete Laplace on U and V of each cell and year at
the full ε, P(z) ∝ e^(−ε·Σ|z|/L).
Guarantee: pure ε for one row that bounding keeps, and no more. A person has one such row in each of T years, at each of
the institutions that count them, and pays for all: the ledger has both, ε for a row and T·ε for a history. A row of the
file that changes which rows are kept counts as all the kept rows it changes. It is simpler, and it promises less.
Rounding: as `history`.
Source: Schmutte (2020): "simpler if we were just protecting single jobs".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from workbench.core.claims import Claim, ClaimPart, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon, counted, odds_factor, show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.epsilon_bounds import MOST_EPSILON
from workbench.products.outcome_reports.mechanisms import history
from workbench.products.outcome_reports.mechanisms.case import HistoryCase
from workbench.products.outcome_reports.mechanisms.claims import ENFORCED, UNIT, reports
from workbench.products.outcome_reports.mechanisms.history import HistoryParams
from workbench.products.outcome_reports.mechanisms.neighbours import one_row
from workbench.products.outcome_reports.outcomes import Outcomes

_KEPT = "A row that changes which rows of its person are kept counts as all the kept rows that it changes."


@dataclass(frozen=True, slots=True, kw_only=True)
class JobYearParams(HistoryParams):
    epsilon: Epsilon = param(
        Epsilon("4"),
        "Privacy loss ε",
        "What one row of one year may change, both statistics together. A history of ten years pays ten times as much.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )


@dataclass(frozen=True, slots=True)
class JobYear:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "job-year"
    version: int = 1
    title: str = "Noise for single job-years"
    summary: str = "A contrast with a weaker promise: one row of one year is protected, not a person's history."
    params: type[JobYearParams] = JobYearParams
    case: type[HistoryCase] = HistoryCase
    traits: Traits = Traits(no_closed_form=True)

    def problems(self, prepared: Outcomes, params: JobYearParams) -> tuple[Problem, ...]:
        return history.SPEC.problems(prepared, params)

    def claim(self, prepared: Outcomes | None, params: JobYearParams) -> Claim:
        epsilon = Decimal(params.epsilon)
        row = Claim(
            definition=Definition.CENTRAL,
            unit="one kept row of one person and year, added or removed",
            epsilon=epsilon,
            sentence=(
                "One kept row of one person and year changes the odds of anything published by a factor of at most "
                f"{odds_factor(epsilon)}. A whole history pays this ε for each of its rows."
            ),
            assumptions=(*ENFORCED, _KEPT),
        )
        if prepared is None:
            return row
        rows = prepared.layout.years * reports(prepared)
        history_of = f"a history of {counted(rows, 'row')}"
        return replace(
            row,
            sentence=f"{row.sentence} For {history_of} that is ε = {show(epsilon * rows)}.",
            group_size=rows,
            parts=(
                ClaimPart(name="a row", epsilon=epsilon),
                ClaimPart(name="a history", epsilon=epsilon * rows, definition=Definition.HISTORY, unit=UNIT),
            ),
            workings=f"ε = {show(epsilon)} for a row, {show(epsilon * rows)} for {history_of}.",
        )

    def release(self, prepared: Outcomes, params: JobYearParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(_drawn(prepared, params, rng, context), self, rng)

    def study(
        self, prepared: Outcomes, params: JobYearParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: Outcomes, params: JobYearParams) -> None:
        """None: as `history`."""

    def exact_loss(self, prepared: Outcomes, params: JobYearParams, context: Context) -> ExactLoss:
        context.step(0.0, "exact loss of one row")
        law = history.law_of(prepared, params, separate=True)
        return ExactLoss(
            epsilon=float(law.spent),
            delta=0.0,
            worst_cell=None,
            worst_pair="one row of one year, present or absent; every cell and pay is alike",
            data_free=True,
        )

    def neighbours(self, prepared: Outcomes, params: JobYearParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - any ε will do
        return one_row(prepared, copies)

    def calibrate(self, params: JobYearParams, case: HistoryCase) -> Calibration:
        one = history.SPEC.calibrate(params, replace(case, years=1))
        return replace(one, notes=("For one row of one year: a history pays for every year.",))


def _drawn(prepared: Outcomes, params: JobYearParams, rng: UniformWords, context: Context) -> Columns:
    return history.drawn(prepared, params, rng, context, separate=True)


SPEC = JobYear()

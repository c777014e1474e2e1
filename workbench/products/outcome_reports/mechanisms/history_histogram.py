"""Percentiles, mean and count of whole histories from one noisy histogram.

Formula: for every cell and year the people in K bins of pay, history noise on all bins, sectors and years of a block:
P(z) ∝ e^(−ε‖z‖). A person is in one bin of one sector in each year, so that a history moves the norm by one at most.
Published: count = the sum of noisy bins; percentiles from the bins projected onto the simplex of that sum,
interpolated linearly in the logarithm of pay; the mean from the same bins, each at the mean that the slope of the bins
around it shows. Its margin holds noise and where pay may lie within bins (`means_of_bins.py`).
K and the edges follow from public planning values: K = 2·(Nε/T)^0.38, between 5 and 64, at least 20 where ε/T ≥ 3.
Guarantee: pure ε for a person's whole history at an institution.
Rounding: bins and noise are integers; values are rounded to whole people and dollars.
Source: Foote, Machanavajjhala and McKinney (2019) for percentiles from noisy bins; Joseph and Yu (2023) for the norm;
the bin rule and the projection are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np

from workbench.core.arrays import Floats, Integers
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
from workbench.noise.declared.contract import Declared
from workbench.noise.declared.history import HistoryBlocks
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
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
from workbench.products.outcome_reports.mechanisms.histogram_estimates import Binned, estimates_of
from workbench.products.outcome_reports.mechanisms.history_sums import BlockLaw, noise_of_blocks
from workbench.products.outcome_reports.mechanisms.neighbours import one_history
from workbench.products.outcome_reports.mechanisms.noisy_parts import noisy_bins
from workbench.products.outcome_reports.mechanisms.too_wide import too_wide
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.percentiles import number_of_bins, planned_edges
from workbench.products.outcome_reports.published_outcomes import published


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryHistogramParams:
    epsilon: Epsilon = param(
        Epsilon("4"),
        "Privacy loss ε",
        "What a person's whole history at one institution may change, all years and statistics together.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )
    planned: int = param(
        100, "Planned people", "People in a usual cell and year, a public guess; a file of planning sizes goes first.",
        ge=1, unit="people", effect="invariant",
    )  # fmt: skip
    median: int = param(
        60_000, "Planned median", "A public guess at median pay; sets the edges of the bins.", ge=1, unit="dollars",
        effect="invariant",
    )  # fmt: skip
    spread: Decimal = param(
        Decimal("0.75"), "Planned spread", "Standard deviation of the logarithm of pay, a public guess.",
        gt=0, le=3, effect="invariant",
    )  # fmt: skip
    bins: int = param(0, "Bins", "How many; 0: by the rule.", ge=0, le=64, named={0: "by the rule"}, advanced=True)

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class HistoryHistogram:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "history-histogram"
    version: int = 2
    title: str = "Histogram of whole histories"
    summary: str = "Count, mean and percentiles of all years from one histogram with noise made for histories."
    params: type[HistoryHistogramParams] = HistoryHistogramParams
    case: type[HistoryCase] = HistoryCase
    traits: Traits = Traits(no_closed_form=True)

    def problems(self, prepared: Outcomes, params: HistoryHistogramParams) -> tuple[Problem, ...]:
        most = max(bins_of_blocks(prepared, params), default=1)
        return too_wide(prepared.layout.places * most, prepared.layout.years, params.epsilon)

    def claim(self, prepared: Outcomes | None, params: HistoryHistogramParams) -> Claim:
        epsilon = Decimal(params.epsilon)
        return Claim(
            definition=Definition.HISTORY,
            unit=UNIT,
            epsilon=epsilon * reports(prepared),
            sentence=said(prepared, epsilon),
            assumptions=ENFORCED,
            parts=by_institution(prepared, epsilon),
            coverage=witness(prepared),
            workings=f"ε = {show(epsilon)} for {for_each(prepared)}, all years and statistics from one histogram.",
        )

    def release(
        self, prepared: Outcomes, params: HistoryHistogramParams, rng: ReleaseRandom, context: Context
    ) -> Release:
        asked: list[Answer] = []
        return Release.of(_drawn(prepared, params, rng, context, asked), self, rng, tuple(asked))

    def laws(self, prepared: Outcomes, params: HistoryHistogramParams) -> Mapping[str, Declared]:
        """One for each number of bins, around the exact bins."""
        layout, found = prepared.layout, {}
        planned = np.array(bins_of_blocks(prepared, params))
        for wanted in np.unique(planned).tolist():
            edges = planned_edges(params.median, float(params.spread), wanted, prepared.cap)
            law = BlockLaw(Fraction(params.epsilon), layout.years, layout.places * (len(edges) - 1), 1)
            exact = prepared.histogram(edges)[_rows_of(prepared, np.flatnonzero(planned == wanted))]
            blocks = partial(_declared, law=law, places=layout.places)
            found[_named(wanted)] = Declared(exact=Confidential(exact.ravel()), law=blocks)
        return found

    def study(
        self, prepared: Outcomes, params: HistoryHistogramParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: Outcomes, params: HistoryHistogramParams) -> None:
        """None: the error of a percentile depends on the pay of the cell."""

    def exact_loss(self, prepared: Outcomes, params: HistoryHistogramParams, context: Context) -> ExactLoss:
        context.step(0.0, "exact loss of history noise")
        return ExactLoss(
            epsilon=float(params.epsilon) * reports(prepared),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person with a row in every year, present or absent; every cell and pay is alike",
            data_free=True,
        )

    def neighbours(self, prepared: Outcomes, params: HistoryHistogramParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - any ε will do
        return one_history(prepared, copies)

    def calibrate(self, params: HistoryHistogramParams, case: HistoryCase) -> Calibration:
        bins = params.bins or number_of_bins(case.count, float(params.epsilon) / case.years)
        law = BlockLaw(Fraction(params.epsilon), case.years, case.sectors * bins, 1)
        sd = law.sum_sd(bins)
        return Calibration(
            scale=sd,
            expected_absolute_error=float(np.sqrt(2.0 / np.pi)) * sd,
            spent_epsilon=float(law.spent),
            notes=(f"The count is a sum of {bins} noisy bins; its error is that of a normal law of this sd.",),
        )


def bins_of_blocks(prepared: Outcomes, params: HistoryHistogramParams) -> list[int]:
    """K of every block, from public planning sizes alone."""
    layout = prepared.layout
    each = float(params.epsilon) / layout.years
    sizes = [size or params.planned for size in prepared.planned or (None,) * layout.blocks]
    if params.bins:
        return [params.bins] * layout.blocks
    known = {size: number_of_bins(size, each) for size in set(sizes)}
    return [known[size] for size in sizes]


def _drawn(
    prepared: Outcomes,
    params: HistoryHistogramParams,
    rng: UniformWords,
    context: Context,
    asked: list[Answer] | None = None,
) -> Columns:
    layout = prepared.layout
    context.step(0.0, "counting people by bin")
    bins = np.array(bins_of_blocks(prepared, params))
    binned: list[Binned] = []
    kinds = np.unique(bins).tolist()
    for place, wanted in enumerate(kinds):
        edges = planned_edges(params.median, float(params.spread), wanted, prepared.cap)
        blocks = np.flatnonzero(bins == wanted)
        law = BlockLaw(Fraction(params.epsilon), layout.years, layout.places * (len(edges) - 1), 1)
        within = Part(context, 0.9 * place / len(kinds), 0.9 * (place + 1) / len(kinds))
        rows = _rows_of(prepared, blocks)
        noise = noise_of_blocks(law, len(blocks), layout.places, rng, within)
        exact = prepared.histogram(edges)[rows]
        counts = exact + noise.reshape(len(rows), len(edges) - 1)
        if asked is not None:
            asked.append(Answer(name=_named(wanted), exact=Confidential(exact.ravel()), drawn=counts.ravel()))
        binned.append(Binned(rows=rows, edges=edges, counts=counts, law=law))
    context.step(0.9, "percentiles from noisy bins")
    made = published(prepared, estimates_of(binned, layout.rows, prepared.cap))
    context.step(1.0, "percentiles drawn")
    return Columns(columns=made.columns, beside=_beside(binned))


def _named(bins: int) -> str:
    return f"blocks planned with {bins} bins"


def _declared(exact: Integers, law: BlockLaw, places: int) -> HistoryBlocks:
    return HistoryBlocks(exact, float(law.epsilon), law.years, places, law.coordinates // places)


def _rows_of(prepared: Outcomes, blocks: Integers) -> Integers:
    """The rows of these blocks, in their order."""
    each = prepared.layout.places * prepared.layout.years
    rows: Integers = (blocks[:, None] * each + np.arange(each)[None, :]).reshape(-1)
    return rows


def _beside(binned: list[Binned]) -> Columns:
    cells, edges, counts = [], [], []
    for part in binned:
        cells.append(part.rows)
        edges += [part.edges] * len(part.rows)
        counts += list(part.counts)
    order = np.argsort(np.concatenate(cells), kind="stable")
    arranged: list[Floats] = [edges[place] for place in order.tolist()]
    return noisy_bins(np.concatenate(cells)[order], arranged, [counts[place] for place in order.tolist()])


SPEC = HistoryHistogram()

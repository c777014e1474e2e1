"""Noisy flows: exact discrete Laplace counts on two public partitions, posterior means, balanced rounding.

Formula: noisy sizes (unit "job"); noisy counts of home points by work tract over its larger populations; noisy counts
of distance × direction by population, alone where it is small. Posterior means under a public prior (`fit`), rounded
without drawing (`rounding`). Small is decided by the noisy size, or by the public one.
Guarantee: pure ε for one job there or not (unit "job"), 2(ε − ε_S) for its home, 2ε for its workplace, characteristic
or whole record; pure ε for one home, sizes being public (unit "home"). J jobs: J times. Nobody is left out.
Rounding: scales are rounded up to the next float (`budget`), noise is exact integers; what follows is post-processing.
Source: own derivation; Ghosh, Roughgarden and Sundararajan (2009) for the noise, Warner (1965) for reports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.progress import QUIET, Context, Part
from workbench.core.published import Columns
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release, one_value
from workbench.mechanisms.traits import Traits
from workbench.noise import discrete_laplace, randomised_response
from workbench.noise.declared.contract import Declared
from workbench.noise.declared.discrete import DiscreteLaplace, Response
from workbench.products.commuting_flows.flows.replicates import together
from workbench.products.commuting_flows.flows.structures import SIZES, Populations
from workbench.products.commuting_flows.noisy_flows.budget import budget_of
from workbench.products.commuting_flows.noisy_flows.claim import claim_of
from workbench.products.commuting_flows.noisy_flows.counts import shape_of, true_counts
from workbench.products.commuting_flows.noisy_flows.fit import Fitted, fit
from workbench.products.commuting_flows.noisy_flows.layout import Layout, layout_of
from workbench.products.commuting_flows.noisy_flows.measure import (
    CELLS_OF_LARGER,
    CELLS_OF_SMALL,
    REPORTS,
    TRACT_FLOWS,
    Measured,
    Question,
    measure,
    reporting,
)
from workbench.products.commuting_flows.noisy_flows.neighbours import WatchedFlows, answers_by_copy, pairs_of
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams, Unit
from workbench.products.commuting_flows.noisy_flows.problems import problems_of
from workbench.products.commuting_flows.noisy_flows.rounding import block_rows
from workbench.products.commuting_flows.synthetic_residences.params import PopulationCase


@dataclass(frozen=True, slots=True)
class NoisyFlows:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "noisy-flows"
    version: int = 2
    title: str = "Noisy flows"
    summary: str = "Integer noise on counts by tract and by distance; flows are estimated from them and rounded."
    params: type[NoisyFlowsParams] = NoisyFlowsParams
    case: type[PopulationCase] = PopulationCase
    traits: Traits = Traits(own_rows=True, no_closed_form=True)

    def problems(self, prepared: Populations, params: NoisyFlowsParams) -> tuple[Problem, ...]:
        return problems_of(prepared, params)

    def claim(self, prepared: Populations | None, params: NoisyFlowsParams) -> Claim:
        return claim_of(prepared, params)

    def release(self, prepared: Populations, params: NoisyFlowsParams, rng: ReleaseRandom, context: Context) -> Release:
        columns, answers = drawn(prepared, params, rng, context)
        return Release.of(columns, self, rng, answers)

    def study(
        self, prepared: Populations, params: NoisyFlowsParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(drawn(prepared, params, rng, context)[0])

    def laws(self, prepared: Populations, params: NoisyFlowsParams) -> Mapping[str, Declared]:
        """Which numbers an answer holds follows from the drawn sizes: the transcript alone has the exact ones."""
        budget = budget_of(params)
        scales = {
            SIZES: budget.sizes,
            TRACT_FLOWS: budget.tract_flows,
            CELLS_OF_SMALL: budget.cells_of_small,
            CELLS_OF_LARGER: budget.cells_of_larger,
        }
        found = {
            name: Declared(law=partial(_laplace, scale=scale)) for name, scale in scales.items() if scale is not None
        }
        if params.reports:
            cells = _cells_of_reports(prepared, params)
            found[REPORTS] = Declared(law=lambda exact: _response(exact, cells, params), by_words=False)
        return found

    def expected_error(self, prepared: Populations, params: NoisyFlowsParams) -> None:
        """None: which rows there are follows from the draw, so that there is no cell whose error could be stated."""

    def exact_loss(self, prepared: Populations, params: NoisyFlowsParams, context: Context) -> ExactLoss:
        """From the scales as they are placed, at the dearer of small and larger populations."""
        context.step(0.0, "exact loss of discrete Laplace noise")
        budget, job = budget_of(params), params.unit is Unit.JOB
        costs = [budget.presence(small=small) if job else budget.moved_home(small=small) for small in (False, True)]
        loss = float(max(costs))
        if params.reports:
            several = np.unique(_cells_of_reports(prepared, params))
            told = (randomised_response.threshold(Fraction(params.epsilon), many) for many in several.tolist())
            kept = zip(told, several.tolist(), strict=True)
            loss = max([loss, *(randomised_response.exact_loss(each, many) for each, many in kept)])
        return ExactLoss(
            epsilon=prepared.most_populations_of_a_worker * loss,
            delta=0.0,
            worst_cell=None,
            worst_pair="one job, present or absent" if job else "one worker's home, at one of two places",
            data_free=not params.reports,
        )

    def neighbours(self, prepared: Populations, params: NoisyFlowsParams, copies: int) -> tuple[NeighbourPair, ...]:
        return pairs_of(prepared, params, copies)

    def calibrate(self, params: NoisyFlowsParams, case: PopulationCase) -> Calibration:
        """A population of `count` workers: the noise of one of its cells of distance and direction."""
        budget, job = budget_of(params), params.unit is Unit.JOB
        small = case.count <= budget.small_limit
        scale = budget.cells_of_small if small else budget.cells_of_larger
        costs = [budget.presence(small=each) if job else budget.moved_home(small=each) for each in (False, True)]
        sizes = (
            f" Its size is off by {discrete_laplace.mean_absolute(budget.sizes):.2g} workers on average."
            if budget.sizes is not None
            else ""
        )
        return Calibration(
            scale=scale,
            expected_absolute_error=discrete_laplace.mean_absolute(scale),
            spent_epsilon=float(max(costs)),
            notes=(f"The error is that of one noisy cell, before the public prior steadies it.{sizes}",),
        )


def drawn(
    prepared: Populations, params: NoisyFlowsParams, rng: UniformWords, context: Context
) -> tuple[Columns, tuple[Answer, ...]]:
    """One row per population and block with a worker; for `WatchedFlows` the noisy answers themselves."""
    if isinstance(prepared, WatchedFlows):
        measured, answers = measure(prepared.asked_of, prepared.counts.reveal(), question(params), rng, context)
        return one_value(answers_by_copy(prepared, measured)), answers
    layout = layout_of(prepared, Part(context, 0.0, 0.3))
    truth = true_counts(prepared, layout)
    measured, answers = measure(shape_of(layout), truth, question(params), rng, Part(context, 0.3, 0.6))
    return finished(layout, measured, rng, Part(context, 0.6, 1.0)), answers


def finished(layout: Layout, measured: Measured, rng: UniformWords, context: Context) -> Columns:
    """The file from the noisy answers: no data object is at hand here."""
    fitted = fit(layout, measured, Part(context, 0.0, 0.5))
    return rows_of(layout, fitted, rng, Part(context, 0.5, 1.0), measured.replicates)


def rows_of(layout: Layout, fitted: Fitted, rng: UniformWords, context: Context, replicates: int = 1) -> Columns:
    """The same estimates, rounded once for each replicate."""
    parts = (Part(context, number / replicates, (number + 1) / replicates) for number in range(replicates))
    return together([block_rows(layout, fitted, rng, part) for part in parts], len(layout.geography.blocks))


def question(params: NoisyFlowsParams) -> Question:
    return Question(
        budget=budget_of(params),
        reports=params.reports,
        epsilon=Fraction(params.epsilon),
        replicates=params.replicates,
    )


def _laplace(exact: Integers, scale: float) -> DiscreteLaplace:
    return DiscreteLaplace(exact, np.full(len(exact), scale))


def _cells_of_reports(prepared: Populations, params: NoisyFlowsParams) -> Integers:
    """Listed cells of each worker who reports, in the order of the reports; public, as sizes are."""
    shape = prepared.asked_of if isinstance(prepared, WatchedFlows) else shape_of(layout_of(prepared, QUIET))
    told = np.flatnonzero(reporting(shape, prepared.size, question(params)))
    return np.sort(np.repeat(shape.listed[told], prepared.size[told]))


def _response(exact: Integers, cells: Integers, params: NoisyFlowsParams) -> Response:
    several, place = np.unique(cells, return_inverse=True)
    kept = [_kept(Fraction(params.epsilon), many) for many in several.tolist()]
    return Response(exact, cells, np.array(kept, dtype=np.float64)[place])


def _kept(epsilon: Fraction, cells: int) -> float:
    return randomised_response.chances(randomised_response.threshold(epsilon, cells), cells)[0]


SPEC = NoisyFlows()

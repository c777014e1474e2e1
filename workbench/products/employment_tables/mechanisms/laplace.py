"""Laplace noise on every count: protects single workers, and says plainly that it does not protect employers.

Formula: published = true count + X, X discrete Laplace with scale jobs_per_worker/ε, one independent draw per cell,
empty cells included.
Guarantee: pure ε edge differential privacy. Neighbouring data sets differ by one person, with all of that person's
jobs (at most jobs_per_worker), so the table moves by at most jobs_per_worker in L1.
Rounding: none. Noise and counts are integers; the sampler is exact (`noise/geometric`) and the scale is rounded upward.
Negative values are kept: setting them to zero would make small cells too large on average. `clip_at_zero` does it all
the same as post-processing, which costs no privacy.
Source: Haney et al. (2017), section 6, "edge differential privacy"; Dwork et al. (2006); Ghosh et al. (2009).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Epsilon, odds_factor
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair
from workbench.mechanisms.traits import PLAIN, Traits
from workbench.noise import discrete_laplace
from workbench.noise.declared.contract import DRAWN, PUBLISHED, Declared
from workbench.noise.declared.discrete import DiscreteLaplace
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.geometric import add_laplace
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.drawn import MarginOfError
from workbench.products.employment_tables.mechanisms.error_law import discrete_half_width, width_note
from workbench.products.employment_tables.mechanisms.large_establishments import (
    LargeEstablishmentsParams,
    large_establishments_group,
)
from workbench.products.employment_tables.mechanisms.listed_cells import (
    assumption,
    condition,
    proved,
    provided,
    proviso,
    remedy,
)
from workbench.products.employment_tables.mechanisms.margins_of_error import laplace_note, sum_half_widths
from workbench.products.employment_tables.mechanisms.neighbour_cells import OneCell, cell_at, repeated, telling_cells
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState, added_up
from workbench.products.employment_tables.mechanisms.table_mechanism import DrawnTable, TableMechanism
from workbench.products.employment_tables.tabulation.cells import Cells

_CURVE_REACH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceParams:
    epsilon: Epsilon = param(
        Epsilon("1"),
        "Privacy loss ε",
        "What one person's presence may change about the odds of any published table: at most e^ε times. Smaller "
        "protects more and adds more noise.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )
    jobs_per_worker: int = param(
        1,
        "Maximum jobs per worker",
        "The most jobs one person may hold in these data. Noise grows in proportion; data that break the bound are "
        "refused.",
        ge=1,
        le=1000,
        unit="jobs",
    )
    clip_at_zero: bool = param(
        False,
        "Set negative values to zero",
        "Post-processing: costs no privacy, but makes small cells too large on average.",
        effect="post-processing",
        advanced=True,
    )
    large_establishments: LargeEstablishmentsParams = large_establishments_group()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class Laplace(TableMechanism[LaplaceParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "laplace"
    also_named: tuple[str, ...] = ("edge-laplace",)  # the source's word; plans and projects hold the id
    version: int = 1
    title: str = "Laplace, worker level"
    summary: str = "Integer Laplace noise on every count. Protects single workers, not the sizes of employers."
    params: type[LaplaceParams] = LaplaceParams
    case: type[CellCase] = CellCase
    traits: Traits = PLAIN

    def table_problems(self, prepared: Cells, params: LaplaceParams) -> tuple[Problem, ...]:
        most = prepared.most_jobs_of_a_worker
        if most is None or most <= params.jobs_per_worker:
            return ()
        return (
            Problem(
                f"At least one worker holds more jobs than the bound of {params.jobs_per_worker}, so the noise would "
                "not cover that worker",
                "jobs_per_worker",
                "Raise the most jobs of one worker, or keep only so many jobs of each worker in the data",
            ),
        )

    def jobs(self, params: LaplaceParams) -> int:
        return params.jobs_per_worker

    def table_claim(self, prepared: Cells | None, params: LaplaceParams) -> Claim:
        jobs = params.jobs_per_worker
        held = "one job" if jobs == 1 else f"up to {jobs} jobs"
        return Claim(
            formal=proved(prepared),
            condition=condition(prepared),
            provided=provided(prepared),
            remedy=remedy(prepared),
            definition=Definition.EDGE,
            unit=f"one worker, counted in {held}",
            epsilon=Decimal(params.epsilon),
            sentence=(
                f"Whatever is published, the odds that a given person is in the data, with {held}, change by a factor "
                f"of at most {odds_factor(params.epsilon)}. The sizes of employers are not "
                "protected: an establishment that is alone in its cell can be recovered almost exactly."
                f"{proviso(prepared)}"
            ),
            assumptions=_assumptions(prepared, jobs),
            group_size=jobs,
        )

    def draw(self, prepared: Cells, params: LaplaceParams, rng: ReleaseRandom, context: Context) -> DrawnTable:
        noisy = add_laplace(
            prepared.count.reveal(),
            sensitivity=params.jobs_per_worker,
            epsilon=Fraction(params.epsilon),
            rng=rng,
            context=context,
        )
        asked = (Answer(name=DRAWN, exact=prepared.count, drawn=noisy),) if params.clip_at_zero else ()
        return DrawnTable(values=_finished(noisy, params), exact=prepared.count, noisy=noisy, answers=asked)

    def draw_for_study(self, prepared: Cells, params: LaplaceParams, rng: StudyRandom, context: Context) -> DrawnTable:
        noisy = discrete_laplace.added_for_study(prepared.count.reveal(), scale_of(params), rng, context)
        return DrawnTable(values=_finished(noisy, params), exact=prepared.count, noisy=noisy)

    def table_laws(self, prepared: Cells, params: LaplaceParams) -> Mapping[str, Declared]:
        scale = scale_of(params)
        counts = Declared(exact=prepared.count, law=lambda exact: DiscreteLaplace(exact, np.full(len(exact), scale)))
        return {DRAWN if params.clip_at_zero else PUBLISHED: counts}

    def margin(self, params: LaplaceParams, cells: int) -> MarginOfError:  # noqa: ARG002 - the same over any cells
        """The scale follows from the plan. Setting negative values to zero brings none farther from a true count."""
        return MarginOfError(
            note=laplace_note("the true count"), within=lambda _, cells: sum_half_widths(scale_of(params), cells)
        )

    def expected_error(self, prepared: Cells, params: LaplaceParams) -> Confidential[NDArray[np.float64]]:
        """E|published − true| = 2q/(1 − q²), q = e^(−1/scale), the same in every cell unless clipped at zero."""
        counts = prepared.count.reveal()
        if params.clip_at_zero:
            return Confidential(discrete_laplace.mean_absolute_clipped(counts, scale_of(params)))
        return Confidential(np.full(len(counts), discrete_laplace.mean_absolute(scale_of(params))))

    def error_is_public(self, params: LaplaceParams) -> bool:
        """The noise is the same whatever the counts; clipping makes the error depend on how many are small."""
        return not params.clip_at_zero

    def exact_loss(self, prepared: Cells, params: LaplaceParams, context: Context) -> ExactLoss:  # noqa: ARG002 - the same on all data
        """jobs_per_worker/scale, reached by every output beyond both neighbours' counts; clipping keeps those."""
        context.step(0.0, "exact loss of discrete Laplace noise")
        jobs = params.jobs_per_worker
        return ExactLoss(
            epsilon=float(discrete_laplace.spent(jobs, scale_of(params))),
            delta=0.0,
            worst_cell=None,
            worst_pair=f"one worker with {_jobs(jobs)} in one cell, present or absent; every cell is alike",
            curve=_loss_curve(params),
            data_free=True,
        )

    def neighbours(self, prepared: Cells, params: LaplaceParams, copies: int) -> tuple[NeighbourPair, ...]:
        """One worker, all of whose jobs are in one cell, taken out of it; put into it where it holds too few."""
        return tuple(
            _pair(words, cell_at(prepared, position), params.jobs_per_worker, copies)
            for words, position in telling_cells(prepared)
        )

    def loss_between(self, params: LaplaceParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """Σ|n − n'|/scale, reached by outputs beyond both counts; the largest establishment plays no part."""
        scale = scale_of(params)
        return added_up(lambda count, _, moved, __: abs(moved - count) / scale, before, after)

    def calibrate(self, params: LaplaceParams, case: CellCase) -> Calibration:
        scale = scale_of(params)
        error = discrete_laplace.mean_absolute(scale)
        notes = ["The noise is the same in every cell, whatever its size."]
        if params.clip_at_zero and case.count is not None:
            error = float(discrete_laplace.mean_absolute_clipped(np.array([round(case.count)]), scale)[0])
            notes = ["Clipping at zero makes the error smaller in small cells, and biased."]
        return Calibration(
            scale=scale,
            expected_absolute_error=error,
            spent_epsilon=float(discrete_laplace.spent(params.jobs_per_worker, scale)),
            notes=(*notes, width_note(discrete_half_width(scale)), "Employers' sizes are not protected."),
        )


def scale_of(params: LaplaceParams) -> float:
    return discrete_laplace.scale_for(params.jobs_per_worker, Fraction(params.epsilon))


def _finished(noisy: NDArray[np.int64], params: LaplaceParams) -> NDArray[np.int64]:
    return np.maximum(noisy, 0) if params.clip_at_zero else noisy


def _jobs(jobs: int) -> str:
    return "one job" if jobs == 1 else f"{jobs} jobs"


def _assumptions(prepared: Cells | None, jobs: int) -> tuple[str, ...]:
    fixed = (
        "Which establishments exist, and their workplace attributes, are public.",
        assumption(prepared),
        f"Each worker is counted in at most {_jobs(jobs)}.",
        "The values of every attribute (the domain of the table) are public, not taken from the data.",
        "Neighbouring data sets differ by one worker, present or absent; changing a worker's workplace or attributes "
        "is two such steps and may change the odds twice as much (2ε).",
    )
    if prepared is not None and prepared.most_jobs_of_a_worker is None:
        return (*fixed, "No column identifies workers, so the bound on jobs per worker is assumed, not checked.")
    return (
        *fixed,
        "Each value of the worker's column is one person: where it identifies jobs, a person with several is covered "
        "for one of them only.",
    )


def _pair(words: str, cell: OneCell, jobs: int, copies: int) -> NeighbourPair:
    if cell.count >= jobs:
        fewer, more, verb = replace(cell, count=cell.count - jobs), cell, f"taken out of {words}"
    else:
        fewer, more, verb = cell, replace(cell, count=cell.count + jobs), f"put into {words}"
    return NeighbourPair(
        description=f"one worker with {_jobs(jobs)}, {verb}",
        first=repeated(more, copies),
        second=repeated(fewer, copies),
        copies=copies,
    )


def _loss_curve(params: LaplaceParams) -> Figure:
    """ln P(o|n)/P(o|n − jobs) against o − n: a step up from −ε to +ε."""
    jobs, scale = params.jobs_per_worker, scale_of(params)
    reach = max(_CURVE_REACH, 2 * jobs)
    outputs = range(-reach, reach + 1)
    loss = tuple((abs(output + jobs) - abs(output)) / scale for output in outputs)
    claimed = float(params.epsilon)
    return Figure(
        kind=Kind.LINES,
        title="What each published value tells about one worker",
        subtitle="Log of the odds: the worker present against the worker absent",
        x=Axis(label="Published value minus true count", unit="jobs"),
        y=Axis(label="Privacy loss", unit="log odds"),
        series=(Series(name="loss", x=tuple(float(output) for output in outputs), y=loss),),
        marks=(Mark(name="claimed ε", value=claimed), Mark(name="−ε", value=-claimed)),
    )


SPEC = Laplace()

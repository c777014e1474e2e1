"""Truncation: leave out large establishments, add noise for the largest that remains. Shown because it fails.

Formula: every establishment with more than θ jobs is left out; published = what remains + X, X discrete Laplace with
scale θ/ε, one independent draw per cell, empty cells included.
Guarantee: pure ε node differential privacy. Neighbouring data sets differ by one establishment with all its workers;
what is left of it has at most θ jobs, so the table moves by at most θ in L1, worker attributes included.
Rounding: none. Noise and counts are integers; the sampler is exact (`noise/geometric`) and the scale is rounded upward.
Expected error: with m jobs left out of a cell and q = e^(−ε/θ), E|X − m| = m + 2·q^(m+1)/(1 − q²); the bias is −m.
Why the source rejects it: θ = 1000 leaves out the largest several hundred employers, whose counts matter most, and the
noise of about θ/ε is larger than nine tenths of the cells. Worker-level Laplace noise (`laplace`) is the other extreme:
small noise, and employers' sizes in the open.
Source: Haney et al. (2017), section 6; Kasiviswanathan et al. (2013).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import Epsilon, counted, odds_factor
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair
from workbench.mechanisms.traits import PLAIN, Traits
from workbench.noise import discrete_laplace
from workbench.noise.declared.contract import PUBLISHED, Declared
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
from workbench.products.employment_tables.mechanisms.listed_cells import CONDITION
from workbench.products.employment_tables.mechanisms.margins_of_error import laplace_note, sum_half_widths
from workbench.products.employment_tables.mechanisms.neighbour_cells import OneCell, repeated, telling_cells
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState
from workbench.products.employment_tables.mechanisms.table_mechanism import DrawnTable, TableMechanism
from workbench.products.employment_tables.mechanisms.witness import witness
from workbench.products.employment_tables.tabulation.cells import Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTruncationParams:
    epsilon: Epsilon = param(
        Epsilon("2"),
        "Privacy loss ε",
        "What one establishment's presence, with all its workers, may change about the odds: at most e^ε times.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )
    theta: int = param(
        1000,
        "Largest size kept θ",
        "Establishments with more jobs are left out of every count. Noise grows in proportion to θ.",
        ge=1,
        le=1_000_000,
        unit="jobs",
    )
    large_establishments: LargeEstablishmentsParams = large_establishments_group()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class NodeTruncation(TableMechanism[NodeTruncationParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "node-truncation"
    version: int = 1
    title: str = "Truncation, establishment level"
    summary: str = (
        "Leaves out establishments above θ jobs and adds Laplace noise of scale θ/ε. Hides whole establishments, at "
        "the price of useless counts; here for comparison."
    )
    params: type[NodeTruncationParams] = NodeTruncationParams
    case: type[CellCase] = CellCase
    traits: Traits = PLAIN

    def table_problems(self, prepared: Cells, params: NodeTruncationParams) -> tuple[Problem, ...]:
        known = prepared.contributions is not None or not _any_above(prepared, params.theta)
        return () if known else (_UNKNOWN,)

    def table_claim(self, prepared: Cells | None, params: NodeTruncationParams) -> Claim:
        """Formal only where every combination of values is listed, by rule: a list of the cells that hold an
        establishment shows a lone one without any noise, and that it is public would deny what is claimed."""
        everything = prepared is None or prepared.domain.lists_everything
        return Claim(
            formal=everything,
            condition="" if everything else CONDITION,
            remedy="" if everything else "Publish all combinations of values that a data dictionary of its own lists.",
            definition=Definition.NODE,
            unit="one establishment with all its workers",
            epsilon=Decimal(params.epsilon),
            sentence=(
                "Whatever is published, the odds that a given establishment is in the data at all change by a factor "
                f"of at most {odds_factor(params.epsilon)}. Every establishment with more than "
                f"{counted(params.theta, 'job')} is left out of every count."
            ),
            assumptions=(
                "The list of cells and the values of every attribute are public, not taken from the data.",
                "θ was not chosen by looking at the data.",
                "Each job belongs to one establishment.",
            ),
            coverage=witness(prepared),
        )

    def draw(self, prepared: Cells, params: NodeTruncationParams, rng: ReleaseRandom, context: Context) -> DrawnTable:
        context.step(0.0, "leaving out large establishments")
        kept = prepared.count.reveal() - left_out(prepared, params.theta)
        noisy = add_laplace(
            kept,
            sensitivity=params.theta,
            epsilon=Fraction(params.epsilon),
            rng=rng,
            context=Part(context, 0.0, 1.0),
        )
        return DrawnTable(values=noisy, exact=Confidential(kept))

    def draw_for_study(
        self, prepared: Cells, params: NodeTruncationParams, rng: StudyRandom, context: Context
    ) -> DrawnTable:
        context.step(0.0, "leaving out large establishments")
        kept = prepared.count.reveal() - left_out(prepared, params.theta)
        noisy = discrete_laplace.added_for_study(kept, _scale(params), rng, context)
        return DrawnTable(values=noisy, exact=Confidential(kept))

    def table_laws(self, prepared: Cells, params: NodeTruncationParams) -> Mapping[str, Declared]:
        kept, scale = prepared.count.reveal() - left_out(prepared, params.theta), _scale(params)
        law = Declared(exact=Confidential(kept), law=lambda exact: DiscreteLaplace(exact, np.full(len(exact), scale)))
        return {PUBLISHED: law}

    def margin(self, params: NodeTruncationParams, cells: int) -> MarginOfError:  # noqa: ARG002 - the same over any cells
        kept = f"the jobs at establishments of up to {counted(params.theta, 'job')} (larger ones are left out)"
        return MarginOfError(note=laplace_note(kept), within=lambda _, cells: sum_half_widths(_scale(params), cells))

    def expected_error(self, prepared: Cells, params: NodeTruncationParams) -> Confidential[NDArray[np.float64]]:
        """E|published − true|, noise and the jobs left out together."""
        return Confidential(_error(left_out(prepared, params.theta).astype(np.float64), _scale(params)))

    def exact_loss(self, prepared: Cells, params: NodeTruncationParams, context: Context) -> ExactLoss:  # noqa: ARG002 - the same on all data
        """θ/scale, reached by an establishment of θ jobs in one cell and every output beyond both counts."""
        context.step(0.0, "exact loss of discrete Laplace noise")
        return ExactLoss(
            epsilon=float(discrete_laplace.spent(params.theta, _scale(params))),
            delta=0.0,
            worst_cell=None,
            worst_pair="an establishment of the largest size kept, all in one cell, present or absent; all cells alike",
            data_free=True,
        )

    def neighbours(self, prepared: Cells, params: NodeTruncationParams, copies: int) -> tuple[NeighbourPair, ...]:
        """A new establishment of θ jobs opens in a cell, after the large ones were left out."""
        kept = prepared.count.reveal() - left_out(prepared, params.theta)
        return tuple(
            _pair(words, int(kept[position]), params.theta, copies) for words, position in telling_cells(prepared)
        )

    def loss_between(self, params: NodeTruncationParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """Σ|k − k′|/scale, k the counts without establishments above θ: one that passes θ takes all its jobs along."""
        kept = zip(_kept(before, params.theta), _kept(after, params.theta), strict=True)
        return sum(abs(moved - count) for count, moved in kept) / _scale(params)

    def turning_sizes(self, params: NodeTruncationParams) -> tuple[int, ...]:
        """θ: one job more, and the establishment is left out."""
        return (params.theta,)

    def calibrate(self, params: NodeTruncationParams, case: CellCase) -> Calibration:
        lost = float(case.largest) if case.largest is not None and case.largest > params.theta else 0.0
        scale = _scale(params)
        notes: tuple[str, ...] = (
            "Only establishments up to θ jobs are counted.",
            width_note(discrete_half_width(scale)),
        )
        if lost:
            notes = ("The largest establishment is left out, so the count is too small by all its jobs.",)
        return Calibration(
            scale=scale,
            expected_absolute_error=float(_error(np.array([lost]), scale)[0]),
            spent_epsilon=float(discrete_laplace.spent(params.theta, scale)),
            notes=notes,
        )


_UNKNOWN = Problem(
    "The table does not say which establishment is in which cell, so large ones cannot be left out",
    "theta",
    "Use the engine memory, or a θ above the largest establishment",
)


def left_out(prepared: Cells, theta: int) -> Integers:
    """Jobs of establishments above θ, per cell."""
    nothing = np.zeros(prepared.domain.cells, dtype=np.int64)
    if not _any_above(prepared, theta):
        return nothing
    if prepared.contributions is None:
        raise UserProblem.of((_UNKNOWN,))
    known = prepared.contributions.reveal()
    total = np.zeros(len(known.identifiers), dtype=np.int64)
    np.add.at(total, known.establishment, known.jobs)
    large = total[known.establishment] > theta
    np.add.at(nothing, known.cell[large], known.jobs[large])
    return nothing


def _kept(state: WorkplaceState, theta: int) -> tuple[int, ...]:
    """The counts of a made-up workplace cell without its establishments above θ."""
    kept = [establishment for establishment in state.establishments if sum(establishment) <= theta]
    return tuple(sum(column) for column in zip(*kept, strict=True)) if kept else (0,) * len(state.counts)


def _any_above(prepared: Cells, theta: int) -> bool:
    return bool(np.any(prepared.workplace_largest.reveal() > theta))


def _scale(params: NodeTruncationParams) -> float:
    return discrete_laplace.scale_for(params.theta, Fraction(params.epsilon))


def _error(lost: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    beyond = 2.0 * np.exp(-(lost + 1.0) / scale) / -math.expm1(-2.0 / scale)
    found: NDArray[np.float64] = lost + beyond
    return found


def _pair(words: str, kept: int, theta: int, copies: int) -> NeighbourPair:
    without = OneCell(count=kept, establishments=1, largest=min(kept, theta), largest_total=min(kept, theta))
    with_it = OneCell(count=kept + theta, establishments=2, largest=theta, largest_total=theta)
    return NeighbourPair(
        description=f"an establishment of the largest size kept, present or absent in {words}",
        first=repeated(with_it, copies),
        second=repeated(without, copies),
        copies=copies,
    )


SPEC = NodeTruncation()

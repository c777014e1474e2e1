"""Log-staircase noise: the smallest expected error for one count per workplace cell at pure ε, at a price for workers.

Formula: published = n + S·Z rounded to the nearest integer, S = max(α·x_v, 1), x_v the jobs of the cell's largest
establishment, Z on the log-staircase (`staircase_law`: density, proof, moments).
Guarantee: strong (α, ε) employer-employee privacy without worker attributes. With d worker cells per workplace cell
each gets ε/d, and the table is weakly private at ε in all, as for every noise that is drawn cell by cell.
Price: a step that moves the count at all, however small, costs up to ε − ln(1+α). One worker more at an establishment
of 1000 costs up to 1.90 at ε = 2, α = 0.1, where block noise costs about 0.02. ε is kept; the gentle loss for single
workers is not.
Feasible iff ε > 3·ln(1+α) (per worker cell); below it the expected error would be infinite.
Rounding: to the nearest integer, post-processing; drawn exactly (`exact_cdf`), with S as the fraction it is.
Expected error: S·E|Z| before rounding, 0.484·S at ε = 2, α = 0.1 (block noise: 0.520·S).
Source: own construction from Geng and Viswanath (2014) and Haney et al. (2017), section 8.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem
from workbench.core.figures import Figure
from workbench.core.progress import Context
from workbench.core.quantities import Alpha, Epsilon, show
from workbench.mechanisms.contract import Calibration, ExactLoss
from workbench.mechanisms.traits import PLAIN, Traits
from workbench.noise.epsilon_bounds import too_small
from workbench.noise.placements import Placement
from workbench.products.employment_tables.mechanisms import error_law
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.cell import audit as employer_audit
from workbench.products.employment_tables.mechanisms.cell import claims as employer_claims
from workbench.products.employment_tables.mechanisms.cell.mechanism import CellMechanism
from workbench.products.employment_tables.mechanisms.cell.staircase_law import (
    Staircase,
    best_staircase,
    least_epsilon,
    pair_loss,
)
from workbench.products.employment_tables.mechanisms.cell.staircase_placement import StaircasePlacement
from workbench.products.employment_tables.mechanisms.cell.staircase_shape import RoundedStaircase, StaircaseShape
from workbench.products.employment_tables.mechanisms.cell.steps import (
    CellLosses,
    Sizes,
    Window,
    cell_losses,
    moved_cells,
    steps_of,
    too_fine,
)
from workbench.products.employment_tables.mechanisms.large_establishments import (
    LargeEstablishmentsParams,
    large_establishments_group,
)
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState
from workbench.products.employment_tables.tabulation.cells import Cells

_CURVE = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStaircaseParams:
    epsilon: Epsilon = employer_claims.epsilon_param()
    alpha: Alpha = employer_claims.alpha_param()
    worker_cells: int = employer_claims.worker_cells_param()
    large_establishments: LargeEstablishmentsParams = large_establishments_group()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon) or (*too_fine(self.alpha), *infeasible(self, max(self.worker_cells, 1)))

    @property
    def window(self) -> Window:
        return Window(alpha=self.alpha)


def infeasible(params: LogStaircaseParams, cells: int) -> tuple[Problem, ...]:
    """Why no staircase reaches ε with a finite error, with the nearest values that can be reached."""
    if best_staircase(_share(params, cells), Fraction(params.alpha)) is not None:
        return ()
    least = cells * least_epsilon(float(params.alpha))
    narrow = float(np.expm1(float(params.epsilon) / (3.0 * cells)))
    rule = f"{employer_claims.times(cells)}3·ln(1+α) = {least:.3g}"
    others = "" if cells == 1 else ", or block noise, which does not divide ε"
    return (
        Problem(
            f"ε must exceed {rule} for log-staircase noise{employer_claims.over(cells)}",
            "epsilon",
            f"Use ε above {least:.3g} or α below {narrow:.3g}{others}",
        ),
    )


@dataclass(frozen=True, slots=True)
class LogStaircase(CellMechanism[LogStaircaseParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "log-staircase"
    version: int = 1
    title: str = "Log-staircase, smallest error"
    summary: str = (
        "Noise that falls by steps: the smallest error for tables without worker attributes at pure ε. Hides "
        "employers' sizes; a single worker can cost almost all of ε."
    )
    params: type[LogStaircaseParams] = LogStaircaseParams
    case: type[CellCase] = CellCase
    traits: Traits = PLAIN

    def obstacles(self, params: LogStaircaseParams, cells: int) -> tuple[Problem, ...]:
        return infeasible(params, cells)

    def placed(self, prepared: Cells, params: LogStaircaseParams) -> Placement:
        law = law_of(params, prepared.domain.worker_combinations)
        return StaircasePlacement(prepared.count.reveal(), prepared.largest.reveal(), law)

    def law(self, exact: Integers, prepared: Cells, params: LogStaircaseParams) -> RoundedStaircase:
        law = law_of(params, prepared.domain.worker_combinations)
        shape = StaircaseShape(float(law.epsilon), float(params.alpha), float(law.core))
        return RoundedStaircase(exact, params.window.scale(prepared.largest.reveal()), shape)

    def error_law(self, params: LogStaircaseParams, worker_cells: int) -> error_law.Noise:
        law = law_of(params, worker_cells)
        return error_law.Scaled(
            driver=error_law.Driver.LARGEST,
            shape=str(params.window),
            kappa=1.0,
            base=params.window.scale,
            standard=law,
            rounded=law.rounded_mean,
        )

    def losses(self, prepared: Cells, params: LogStaircaseParams) -> CellLosses:
        law, largest = law_of(params, prepared.domain.worker_combinations), prepared.largest.reveal()
        return cell_losses(
            prepared.count.reveal(), largest, window=params.window, loss=lambda s, r: _step_loss(law, s, r)
        )

    def table_claim(self, prepared: Cells | None, params: LogStaircaseParams) -> Claim:
        made = employer_claims.claim_of(prepared, params, moves=employer_claims.TWO_STEPS)
        return dataclasses.replace(made, sentence=f"{made.sentence} {_price(params)}")

    def expected_error(self, prepared: Cells, params: LogStaircaseParams) -> Confidential[Floats]:
        """E|published − true|, rounding included; not a number where ε is infeasible."""
        cells = prepared.domain.worker_combinations
        if infeasible(params, cells):
            return Confidential(np.full(prepared.domain.cells, np.nan))
        sizes = Sizes.of(prepared.largest.reveal())
        return Confidential(law_of(params, cells).rounded_mean(params.window.scale(sizes.values))[sizes.where])

    def exact_loss(self, prepared: Cells, params: LogStaircaseParams, context: Context) -> ExactLoss:
        """The largest log ratio over all outputs and neighbours of each cell as it is, before rounding."""
        context.step(0.0, "exact loss of log-staircase noise")
        losses = self.losses(prepared, params)
        context.step(0.9, "loss known for every cell")
        return employer_audit.table_loss(
            prepared,
            losses,
            window=params.window,
            smallest_noise=1.0,
            curve=_curve(prepared, params, losses),
        )

    def loss_between(self, params: LogStaircaseParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """Σ over the worker cells of what the rings between the two states cost, each with its own change of scale."""
        law, moved = law_of(params, len(before.counts)), moved_cells(before, after, params.window)
        return sum(pair_loss(law, float(s), float(r)) for s, r in zip(moved.shift, moved.ratio, strict=True))

    def calibrate(self, params: LogStaircaseParams, case: CellCase) -> Calibration:
        cells = max(params.worker_cells, 1)
        law = law_of(params, cells)
        scale = params.window.scale(np.array([float(case.largest or 0)]))
        rounded = float(law.rounded_mean(scale)[0])
        return Calibration(
            scale=float(scale[0]),
            expected_absolute_error=float(scale[0]) * law.mean,
            spent_epsilon=round(cells * (law.jump + law.stretch), 12),
            rounded_absolute_error=rounded,
            notes=(
                f"γ = {show(float(law.core))}; rounded to whole numbers the expected error is {show(rounded)}.",
                error_law.half_width_note(float(scale[0]), law),
                _price(params),
            ),
        )


def _price(params: LogStaircaseParams) -> str:
    jump = float(params.epsilon) - float(np.log1p(float(params.alpha)))
    return f"One worker more or less can already cost {show(max(jump, 0.0))} of it."


def _share(params: LogStaircaseParams, cells: int) -> Fraction:
    return Fraction(Decimal(params.epsilon)) / cells


def law_of(params: LogStaircaseParams, cells: int) -> Staircase:
    """The staircase for one of `cells` worker cells."""
    law = best_staircase(_share(params, cells), Fraction(params.alpha))
    if law is None:
        raise UserProblem.of(infeasible(params, cells))
    return law


def _step_loss(law: Staircase, shift: Floats, ratio: Floats) -> Floats:
    """J + ln r for every step of the definition that moves the count: at most one ring is crossed."""
    found: Floats = np.where(shift > 0.0, law.jump, 0.0) + np.log(ratio)
    return found


def _curve(prepared: Cells, params: LogStaircaseParams, losses: CellLosses) -> Figure | None:
    """ln q/p for q the larger data set's law, outputs in units of the smaller S."""
    if not len(losses.loss):
        return None
    cells = prepared.domain.worker_combinations
    law = law_of(params, cells)
    worst = employer_audit.worst_cell(prepared, losses.loss, params.window)
    step = steps_of(prepared.largest.reveal()[worst : worst + 1], params.window)[int(losses.step[worst])]
    shift, ratio = float(step.shift[0]), float(step.ratio[0])
    z = np.linspace(-_CURVE, _CURVE + shift, 481)
    loss = law.jump * (law.ring(np.abs(z)) - law.ring(np.abs(z - shift) / ratio)) - np.log(ratio)
    claimed = employer_claims.share(params.epsilon, cells)
    return employer_audit.loss_curve(z, loss, claimed=claimed, unit="noise scales")


SPEC = LogStaircase()

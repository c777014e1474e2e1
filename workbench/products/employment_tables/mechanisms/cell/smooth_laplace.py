"""Smooth Laplace: Laplace noise scaled by each cell's largest establishment, at (ε, δ).

Formula: published = n + κ·S·L rounded to the nearest integer, L standard Laplace, S = max(α·x_v, 1), x_v the jobs of
the cell's largest establishment.
Calibrations: `paper` κ = 2/ε, needs 1+α ≤ e^{ε/(2·ln(1/δ))}; `tight` the smallest κ whose exact δ
(`smooth_laplace_delta`) is at most δ over all neighbours.
Guarantee: strong (α, ε) employer-employee privacy, except with probability δ, without worker attributes. With d worker
cells per workplace cell each gets ε/d and δ/d, and the table is weakly private at (ε, δ) in all; Theorem 7.5 of the
source is false and never used (100 workers of whom 10 are men, α = 0.1: ten more men are one strong step, but move the
men's count by 4.25 ε).
Rounding: to the nearest integer, post-processing; drawn exactly (`exact_cdf`). Negative values are kept.
Expected error: κ·S before rounding, 1/(2·sinh(1/(2κS))) for the published integers.
Source: Haney et al. (2017), Algorithm 3 and section 8.3; the exact δ is an own derivation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem
from workbench.core.figures import Figure
from workbench.core.findings import Table
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Alpha, Delta, Epsilon, show
from workbench.mechanisms.contract import Calibration, ExactLoss
from workbench.mechanisms.traits import Traits
from workbench.noise.declared.scalar import Rounded
from workbench.noise.declared.shapes import LaplaceShape
from workbench.noise.epsilon_bounds import too_small
from workbench.noise.placements import Linear, Placement
from workbench.noise.rounded_error import rounded_laplace
from workbench.noise.tail_laws import LaplaceTail
from workbench.products.employment_tables.mechanisms import error_law
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.cell import audit as employer_audit
from workbench.products.employment_tables.mechanisms.cell import claims as employer_claims
from workbench.products.employment_tables.mechanisms.cell import smooth_laplace_delta
from workbench.products.employment_tables.mechanisms.cell.mechanism import CellMechanism
from workbench.products.employment_tables.mechanisms.cell.smooth_gamma import SmoothCalibration
from workbench.products.employment_tables.mechanisms.cell.smooth_gamma_loss import UP_ROUND
from workbench.products.employment_tables.mechanisms.cell.smooth_laplace_table import least_epsilons
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
_LAW = LaplaceTail()


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothLaplaceParams:
    epsilon: Epsilon = employer_claims.epsilon_param()
    alpha: Alpha = employer_claims.alpha_param()
    delta: Delta = employer_claims.delta_param()
    calibration: SmoothCalibration = param(
        SmoothCalibration.TIGHT,
        "Calibration",
        "Tight spends exactly δ at ε; as published its true δ is 11 to 513 times smaller than claimed.",
        labels={"paper": "As published", "tight": "Tight"},
        source="Haney et al. (2017), Algorithm 3",
    )
    worker_cells: int = employer_claims.worker_cells_param()
    large_establishments: LargeEstablishmentsParams = large_establishments_group()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon) or (*too_fine(self.alpha), *infeasible(self, max(self.worker_cells, 1)))

    @property
    def window(self) -> Window:
        return Window(alpha=self.alpha)


def infeasible(params: SmoothLaplaceParams, cells: int) -> tuple[Problem, ...]:
    """Why this calibration cannot reach (ε, δ), with the nearest values that can be reached."""
    alpha, delta = float(params.alpha), employer_claims.share(params.delta, cells)
    epsilon = employer_claims.share(params.epsilon, cells)
    if params.calibration is SmoothCalibration.PAPER:
        least = 2.0 * math.log(1.0 / delta) * math.log1p(alpha)
        rule, kept = "2·ln(1/δ)·ln(1+α)", epsilon >= least
        enough = math.exp(-epsilon / (2.0 * math.log1p(alpha)))
    else:
        least = smooth_laplace_delta.least_epsilon(alpha, delta)
        rule, kept = "α·ln(α/δ) − (1+α)·ln(1+α)", epsilon > least
        enough = smooth_laplace_delta.least_delta(alpha, epsilon)
    if kept:
        return ()
    divided = "" if cells == 1 else f" (each gets ε/{cells} and δ/{cells})"
    word = "be at least" if params.calibration is SmoothCalibration.PAPER else "exceed"
    return (
        Problem(
            f"ε must {word} {employer_claims.times(cells)}{rule} = {cells * least:.3g} for Smooth Laplace "
            f"({params.calibration}){employer_claims.over(cells)}{divided}",
            "epsilon",
            f"Use ε above {cells * least:.3g}, δ above {cells * enough:.2g}, or a smaller α",
        ),
    )


@dataclass(frozen=True, slots=True)
class SmoothLaplace(CellMechanism[SmoothLaplaceParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "smooth-laplace"
    version: int = 1
    title: str = "Smooth Laplace"
    summary: str = "Laplace noise scaled by each cell's largest establishment: protects employers' sizes at (ε, δ)."
    params: type[SmoothLaplaceParams] = SmoothLaplaceParams
    case: type[CellCase] = CellCase
    traits: Traits = Traits(of_the_source=True)

    def obstacles(self, params: SmoothLaplaceParams, cells: int) -> tuple[Problem, ...]:
        return infeasible(params, cells)

    def settings_table(self) -> Table:
        return least_epsilons()

    def placed(self, prepared: Cells, params: SmoothLaplaceParams) -> Placement:
        return _placed(prepared, params)

    def law(self, exact: Integers, prepared: Cells, params: SmoothLaplaceParams) -> Rounded:
        scale = kappa_of(params, prepared.domain.worker_combinations) * params.window.scale(prepared.largest.reveal())
        return Rounded(exact, scale, LaplaceShape())

    def error_law(self, params: SmoothLaplaceParams, worker_cells: int) -> error_law.Noise:
        return error_law.Scaled(
            driver=error_law.Driver.LARGEST,
            shape=str(params.window),
            kappa=kappa_of(params, worker_cells),
            base=params.window.scale,
            standard=error_law.LAPLACE,
            rounded=rounded_laplace,
        )

    def losses(self, prepared: Cells, params: SmoothLaplaceParams) -> CellLosses:
        return _losses(prepared, params)

    def table_claim(self, prepared: Cells | None, params: SmoothLaplaceParams) -> Claim:
        return employer_claims.claim_of(prepared, params, delta=params.delta, moves=employer_claims.TWO_STEPS)

    def expected_error(self, prepared: Cells, params: SmoothLaplaceParams) -> Confidential[Floats]:
        """E|published − true|, rounding included; not a number where (ε, δ) is infeasible."""
        cells = prepared.domain.worker_combinations
        if infeasible(params, cells):
            return Confidential(np.full(prepared.domain.cells, np.nan))
        sizes = Sizes.of(prepared.largest.reveal())
        error = rounded_laplace(kappa_of(params, cells) * params.window.scale(sizes.values))
        return Confidential(error[sizes.where])

    def exact_loss(self, prepared: Cells, params: SmoothLaplaceParams, context: Context) -> ExactLoss:
        """`delta` is the exact δ at the claimed ε, `epsilon` the smallest ε at which the exact δ is the claimed one."""
        context.step(0.0, "exact δ of Smooth Laplace noise")
        cells = prepared.domain.worker_combinations
        kappa, delta = kappa_of(params, cells), employer_claims.share(params.delta, cells)
        epsilon = employer_claims.share(params.epsilon, cells)
        sizes = Sizes.of(prepared.largest.reveal())
        losses = _losses(prepared, params, sizes)
        context.step(0.5, "smallest ε known for every cell")
        failing = cell_losses(
            prepared.count.reveal(),
            prepared.largest.reveal(),
            window=params.window,
            loss=lambda shift, ratio: smooth_laplace_delta.pair_delta(shift / kappa, ratio, epsilon),
            sizes=sizes,
        )
        context.step(0.9, "exact δ known for every cell")
        least = smooth_laplace_delta.tight_kappa(epsilon, float(params.alpha), delta)
        return employer_audit.table_loss(
            prepared, losses, window=params.window, delta=failing.loss, smallest_noise=min(1.0, least / kappa),
            curve=_curve(prepared, params, losses),
        )  # fmt: skip

    def loss_between(self, params: SmoothLaplaceParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """The smallest ε that keeps the pair within δ, summed over the worker cells that move; those share δ evenly.

        Exact where one cell moves. Where several do it is a bound, as ε and δ add up no worse than that.
        """
        kappa, moved = kappa_of(params, len(before.counts)), moved_cells(before, after, params.window)
        if not len(moved.shift):
            return 0.0
        delta = employer_claims.share(params.delta, len(moved.shift))
        cells = zip(moved.shift / kappa, moved.ratio, strict=True)
        return sum(_cell_epsilon(float(shift), float(ratio), delta) for shift, ratio in cells)

    def calibrate(self, params: SmoothLaplaceParams, case: CellCase) -> Calibration:
        cells = max(params.worker_cells, 1)
        kappa, alpha = kappa_of(params, cells), float(params.alpha)
        epsilon, delta = (employer_claims.share(total, cells) for total in (params.epsilon, params.delta))
        scale = kappa * params.window.scale(np.array([float(case.largest or 0)]))
        rounded = float(rounded_laplace(scale)[0])
        spent = smooth_laplace_delta.worst_epsilon(kappa, alpha, delta, epsilon)
        return Calibration(
            scale=float(scale[0]),
            expected_absolute_error=float(scale[0]),
            spent_epsilon=round(cells * spent, 10),
            spent_delta=cells * smooth_laplace_delta.worst_delta(kappa, alpha, epsilon),
            rounded_absolute_error=rounded,
            notes=(
                f"κ = {show(kappa)}; rounded to whole numbers the expected error is {show(rounded)}.",
                "ε spent is the smallest at which the exact δ is the one claimed; δ spent is exact at the ε claimed.",
                error_law.half_width_note(float(scale[0]), error_law.LAPLACE),
            ),
        )


@lru_cache(maxsize=16_384)
def _cell_epsilon(shift: float, ratio: float, delta: float) -> float:
    """Made-up states share most of their cells, and each takes a search."""
    return float(smooth_laplace_delta.pair_epsilon(np.array([shift]), np.array([ratio]), delta)[0])


def kappa_of(params: SmoothLaplaceParams, cells: int) -> float:
    """κ for one of `cells` worker cells, rounded upward."""
    problems = infeasible(params, cells)
    if problems:
        raise UserProblem.of(problems)
    epsilon, delta = (employer_claims.share(total, cells) for total in (params.epsilon, params.delta))
    if params.calibration is SmoothCalibration.PAPER:
        return 2.0 / epsilon * UP_ROUND
    return smooth_laplace_delta.tight_kappa(epsilon, float(params.alpha), delta) * UP_ROUND


def _placed(prepared: Cells, params: SmoothLaplaceParams) -> Linear:
    scale = kappa_of(params, prepared.domain.worker_combinations) * params.window.scale(prepared.largest.reveal())
    return Linear(prepared.count.reveal(), scale, _LAW)


def _losses(prepared: Cells, params: SmoothLaplaceParams, sizes: Sizes | None = None) -> CellLosses:
    """Per cell the smallest ε at which its exact δ is its share of the claimed one."""
    cells = prepared.domain.worker_combinations
    kappa, delta = kappa_of(params, cells), employer_claims.share(params.delta, cells)
    return cell_losses(
        prepared.count.reveal(),
        prepared.largest.reveal(),
        window=params.window,
        loss=lambda shift, ratio: smooth_laplace_delta.pair_epsilon(shift / kappa, ratio, delta),
        sizes=sizes,
    )


def _curve(prepared: Cells, params: SmoothLaplaceParams, losses: CellLosses) -> Figure | None:
    """ln q/p for q the larger data set's law, outputs in units of the smaller noise."""
    if not len(losses.loss):
        return None
    cells = prepared.domain.worker_combinations
    worst = employer_audit.worst_cell(prepared, losses.loss, params.window)
    step = steps_of(prepared.largest.reveal()[worst : worst + 1], params.window)[int(losses.step[worst])]
    shift, ratio = float(step.shift[0]) / kappa_of(params, cells), float(step.ratio[0])
    z = np.linspace(-_CURVE, _CURVE + shift, 241)
    loss = np.abs(z) - np.abs(z - shift) / ratio - np.log(ratio)
    claimed = employer_claims.share(Decimal(params.epsilon), cells)
    return employer_audit.loss_curve(z, loss, claimed=claimed, unit="noise scales")


SPEC = SmoothLaplace()

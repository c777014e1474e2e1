"""Smooth Gamma: heavy-tailed noise scaled by each cell's largest establishment, at pure ε.

Formula: published = n + κ·S·Z rounded to the nearest integer, Z with density ∝ 1/(1 + |z|^g) (g = 4 in the source),
S = max(α·x_v, 1), x_v the jobs of the cell's largest establishment. `size_ceiling` takes S = α·x_v + 1 instead, which
also covers growth to ⌈(1+α)x⌉ (Definition 4.2); `worker_floor` c takes max(α·x_v, c), which with c from
`worker_move_floor` keeps a worker's move between two establishments within ε (Definition 4.1).
Calibrations: `paper` κ = 16/ε, needs 1+α ≤ e^{ε/4}, g = 4 (spends far less than ε); `tight` the smallest κ whose loss
is exactly ε (`smooth_gamma_loss`), feasible iff ε > (g−1)·ln(1+α).
Guarantee: strong (α, ε) employer-employee privacy without worker attributes. With d worker cells per workplace cell
each gets ε/d, and the table is weakly private at ε in all; Theorem 7.5 of the source is false and never used (100
workers of whom 10 are men, α = 0.1: ten more men are one strong step, but move the men's count by 4.25 ε).
Rounding: to the nearest integer, post-processing; drawn exactly (`exact_cdf`). Negative values are kept.
Expected error: κ·S/(2·cos(π/g)) before rounding, κ·S/√2 for g = 4.
Source: Haney et al. (2017), Algorithm 2 and section 8.2; the tight constant is an own derivation.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, UserProblem
from workbench.core.figures import Figure
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Alpha, Epsilon, show
from workbench.mechanisms.contract import Calibration, ExactLoss
from workbench.mechanisms.traits import Traits
from workbench.noise.declared.scalar import Rounded
from workbench.noise.declared.shapes import PowerShape
from workbench.noise.epsilon_bounds import too_small
from workbench.noise.placements import Linear, Placement
from workbench.noise.rounded_error import mean_of_power, rounded_power
from workbench.noise.tail_laws import PowerTail
from workbench.products.employment_tables.mechanisms import error_law
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.cell import audit as employer_audit
from workbench.products.employment_tables.mechanisms.cell import claims as employer_claims
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma_loss
from workbench.products.employment_tables.mechanisms.cell.mechanism import CellMechanism
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
from workbench.products.employment_tables.mechanisms.rounded_means import power_mean
from workbench.products.employment_tables.tabulation.cells import Cells

_CURVE = 6.0


class SmoothCalibration(StrEnum):
    PAPER = "paper"
    TIGHT = "tight"


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothGammaParams:
    epsilon: Epsilon = employer_claims.epsilon_param()
    alpha: Alpha = employer_claims.alpha_param()
    calibration: SmoothCalibration = param(
        SmoothCalibration.TIGHT,
        "Calibration",
        "Tight spends exactly ε; as published it spends far less and adds several times the noise.",
        labels={"paper": "As published", "tight": "Tight"},
        source="Haney et al. (2017), Algorithm 2",
    )
    tail_exponent: Decimal = param(
        Decimal(4),
        "Tail exponent g",
        "The noise has density ∝ 1/(1 + |z|^g). Smaller exponents allow smaller ε; larger ones have thinner tails.",
        gt="2.01",
        le=40,
        advanced=True,
    )
    size_ceiling: bool = param(
        False,
        "Cover sizes rounded up",
        "Scale by α·x + 1, so that growth to (1+α)x rounded up (15 → 17 at α = 0.1) is covered too.",
        source="Haney et al. (2017), Definition 4.2",
        advanced=True,
    )
    worker_floor: Decimal = param(
        Decimal(1),
        "Minimum scale for workers' moves",
        "Scale by at least this many workers. About 2.1 keeps a worker's move between two establishments within ε "
        "instead of 2ε; calibrating shows the exact value.",
        ge=1,
        le=1000,
        unit="workers",
        source="Haney et al. (2017), Definition 4.1",
        advanced=True,
    )
    worker_cells: int = employer_claims.worker_cells_param()
    large_establishments: LargeEstablishmentsParams = large_establishments_group()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon) or (*too_fine(self.alpha), *infeasible(self, max(self.worker_cells, 1)))

    @property
    def window(self) -> Window:
        return Window(alpha=self.alpha, floor=self.worker_floor, ceiling=self.size_ceiling)


def infeasible(params: SmoothGammaParams, cells: int) -> tuple[Problem, ...]:
    """Why this calibration cannot reach ε, with the nearest values that can be reached."""
    alpha, epsilon, g = float(params.alpha), float(params.epsilon), params.tail_exponent
    paper = params.calibration is SmoothCalibration.PAPER
    found: list[Problem] = []
    if paper and g != 4:
        do = "Use exponent 4, or the tight calibration"
        found.append(Problem("As published, Smooth Gamma has the tail exponent 4 only", "tail_exponent", do))
    factor = Decimal(4) if paper else g - 1
    least = cells * float(factor) * float(np.log1p(alpha))
    if epsilon > least or (paper and epsilon == least):
        return tuple(found)
    narrow = float(np.expm1(epsilon / (cells * float(factor))))
    rule = f"{employer_claims.times(cells)}{show(factor)}·ln(1+α) = {least:.3g}"
    others = " or a smaller tail exponent" if not paper else " or the tight calibration"
    found.append(
        Problem(
            f"ε must {'be at least' if paper else 'exceed'} {rule} for Smooth Gamma ({params.calibration})"
            f"{employer_claims.over(cells)}",
            "epsilon",
            f"Use ε above {least:.3g}, α below {narrow:.3g},{others}",
        )
    )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class SmoothGamma(CellMechanism[SmoothGammaParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "smooth-gamma"
    version: int = 1
    title: str = "Smooth Gamma"
    summary: str = "Heavy-tailed noise scaled by each cell's largest establishment: hides employers' sizes at pure ε."
    params: type[SmoothGammaParams] = SmoothGammaParams
    case: type[CellCase] = CellCase
    traits: Traits = Traits(of_the_source=True)

    def obstacles(self, params: SmoothGammaParams, cells: int) -> tuple[Problem, ...]:
        return infeasible(params, cells)

    def placed(self, prepared: Cells, params: SmoothGammaParams) -> Placement:
        return _placed(prepared, params)

    def law(self, exact: Integers, prepared: Cells, params: SmoothGammaParams) -> Rounded:
        scale = kappa_of(params, prepared.domain.worker_combinations) * params.window.scale(prepared.largest.reveal())
        return Rounded(exact, scale, PowerShape(float(params.tail_exponent)))

    def error_law(self, params: SmoothGammaParams, worker_cells: int) -> error_law.Noise:
        law = law_of(params)
        return error_law.Scaled(
            driver=error_law.Driver.LARGEST,
            shape=str(params.window),
            kappa=kappa_of(params, worker_cells),
            base=params.window.scale,
            standard=law,
            rounded=lambda scale: power_mean(scale, law),
        )

    def losses(self, prepared: Cells, params: SmoothGammaParams) -> CellLosses:
        return _losses(prepared, params)

    def table_claim(self, prepared: Cells | None, params: SmoothGammaParams) -> Claim:
        cells = employer_claims.cells_of(prepared, params.worker_cells)
        return employer_claims.claim_of(
            prepared,
            params,
            moves=employer_claims.ONE_STEP if _covers_moves(params, cells) else employer_claims.TWO_STEPS,
        )

    def expected_error(self, prepared: Cells, params: SmoothGammaParams) -> Confidential[Floats]:
        """E|published − true|, rounding included; not a number where ε is infeasible."""
        cells = prepared.domain.worker_combinations
        if infeasible(params, cells):
            return Confidential(np.full(prepared.domain.cells, np.nan))
        sizes = Sizes.of(prepared.largest.reveal())
        error = rounded_power(kappa_of(params, cells) * params.window.scale(sizes.values), law_of(params))
        return Confidential(error[sizes.where])

    def exact_loss(self, prepared: Cells, params: SmoothGammaParams, context: Context) -> ExactLoss:
        """The largest log ratio over all outputs and neighbours of each cell as it is."""
        context.step(0.0, "exact loss of Smooth Gamma noise")
        cells = prepared.domain.worker_combinations
        losses = _losses(prepared, params)
        context.step(0.9, "loss known for every cell")
        budget = employer_claims.share(params.epsilon, cells)
        least = smooth_gamma_loss.tight_kappa(budget, float(params.alpha), float(params.tail_exponent))
        return employer_audit.table_loss(
            prepared, losses, window=params.window, smallest_noise=min(1.0, least / kappa_of(params, cells)),
            curve=_curve(prepared, params, losses),
        )  # fmt: skip

    def loss_between(self, params: SmoothGammaParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """Σ of the closed form over the worker cells, each with its own shift and its own change of scale."""
        kappa, moved = kappa_of(params, len(before.counts)), moved_cells(before, after, params.window)
        losses = smooth_gamma_loss.pair_loss(moved.shift / kappa, moved.ratio, float(params.tail_exponent))
        return float(losses.sum())

    def calibrate(self, params: SmoothGammaParams, case: CellCase) -> Calibration:
        cells = max(params.worker_cells, 1)
        kappa, alpha, g = kappa_of(params, cells), float(params.alpha), float(params.tail_exponent)
        scale = kappa * params.window.scale(np.array([float(case.largest or 0)]))
        rounded = float(rounded_power(scale, law_of(params))[0])
        floor = smooth_gamma_loss.worker_move_floor(employer_claims.share(params.epsilon, cells), alpha, g)
        return Calibration(
            scale=float(scale[0]),
            expected_absolute_error=float(scale[0]) * mean_of_power(g),
            spent_epsilon=round(cells * smooth_gamma_loss.spent(kappa, alpha, g), 12),
            rounded_absolute_error=rounded,
            notes=(
                f"κ = {show(kappa)}; rounded to whole numbers the expected error is {show(rounded)}.",
                f"A worker's move between two establishments stays within ε from a least scale of {floor:.4g} workers.",
                error_law.half_width_note(float(scale[0]), law_of(params)),
                *_width_note(cells),
            ),
        )


def _width_note(cells: int) -> tuple[str, ...]:
    return () if cells == 1 else (f"ε is shared equally by the {cells} worker cells (ε/{cells} each).",)


@cache
def _law(exponent: Decimal) -> PowerTail:
    return PowerTail(exponent)


def law_of(params: SmoothGammaParams) -> PowerTail:
    return _law(params.tail_exponent)


def kappa_of(params: SmoothGammaParams, cells: int) -> float:
    """κ for one of `cells` worker cells, rounded upward."""
    problems = infeasible(params, cells)
    if problems:
        raise UserProblem.of(problems)
    epsilon = employer_claims.share(params.epsilon, cells)
    if params.calibration is SmoothCalibration.PAPER:
        return 16.0 / epsilon * smooth_gamma_loss.UP_ROUND
    exact = smooth_gamma_loss.tight_kappa(epsilon, float(params.alpha), float(params.tail_exponent))
    return exact * smooth_gamma_loss.UP_ROUND


def _covers_moves(params: SmoothGammaParams, cells: int) -> bool:
    if params.worker_floor == 1 or infeasible(params, cells):
        return False
    epsilon = employer_claims.share(params.epsilon, cells)
    floor = smooth_gamma_loss.worker_move_floor(epsilon, float(params.alpha), float(params.tail_exponent))
    return float(params.worker_floor) >= floor


def _placed(prepared: Cells, params: SmoothGammaParams) -> Linear:
    scale = kappa_of(params, prepared.domain.worker_combinations) * params.window.scale(prepared.largest.reveal())
    return Linear(prepared.count.reveal(), scale, law_of(params))


def _losses(prepared: Cells, params: SmoothGammaParams) -> CellLosses:
    kappa, g = kappa_of(params, prepared.domain.worker_combinations), float(params.tail_exponent)
    return cell_losses(
        prepared.count.reveal(),
        prepared.largest.reveal(),
        window=params.window,
        loss=lambda shift, ratio: smooth_gamma_loss.pair_loss(shift / kappa, ratio, g),
    )


def _curve(prepared: Cells, params: SmoothGammaParams, losses: CellLosses) -> Figure | None:
    """ln q/p for q the larger data set's law, outputs in units of the smaller noise."""
    if not len(losses.loss):
        return None
    cells, g = prepared.domain.worker_combinations, float(params.tail_exponent)
    worst = employer_audit.worst_cell(prepared, losses.loss, params.window)
    step = steps_of(prepared.largest.reveal()[worst : worst + 1], params.window)[int(losses.step[worst])]
    shift, ratio = float(step.shift[0]) / kappa_of(params, cells), float(step.ratio[0])
    z = np.linspace(-_CURVE, _CURVE + shift, 241)
    loss = np.log1p(np.abs(z) ** g) - np.log1p(np.abs((z - shift) / ratio) ** g) - np.log(ratio)
    claimed = employer_claims.share(params.epsilon, cells)
    return employer_audit.loss_curve(z, loss, claimed=claimed, unit="noise scales")


SPEC = SmoothGamma()

"""Log-Laplace: every count multiplied by random noise, so that relative changes of a size stay hidden, at pure ε.

Formula: published = (n + g)·e^η − g rounded to the nearest integer, η Laplace with scale l, g = 1/α.
Calibrations: `paper` l = 2·ln(1+α)/ε (spends ε/2 on one establishment's step, ε on a worker's move between two);
`tight` l = ln(1+α)/ε, since the logarithm of n + 1/α moves by at most ln(1+α); `tight-both` the same l with
g = 1/(√(1+α) − 1), which keeps a worker's move between two establishments (Definition 4.1) within ε too.
Guarantee: strong (α, ε) employer-employee privacy without worker attributes. With d worker cells per workplace cell
each gets ε/d, and the table is weakly private at ε in all; Theorem 7.5 of the source is false and never used (100
workers of whom 10 are men, α = 0.1: ten more men are one strong step, but move the men's count by 4.25 ε).
Rounding: to the nearest integer, post-processing; drawn exactly (`exact_cdf`). No value lies below −g.
Bias (n+g)·l²/(1−l²) for l < 1; `unbiased` publishes (1−l²)·(out+g) − g instead, which has none. Expected error
(n+g)·l/(1−l²) before rounding, infinite from l = 1 on.
Source: Haney et al. (2017), Algorithm 1 and section 8.1; the tight calibrations are own derivations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.figures import Figure
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import Alpha, Epsilon, show
from workbench.mechanisms.contract import Calibration, ExactLoss
from workbench.mechanisms.traits import Traits
from workbench.noise.declared.scalar import RoundedLog
from workbench.noise.epsilon_bounds import too_small
from workbench.noise.placements import Logarithmic, Placement
from workbench.noise.rounded_error import log_laplace_error, rounded_log_laplace
from workbench.products.employment_tables.mechanisms import error_law
from workbench.products.employment_tables.mechanisms.case import CellCase
from workbench.products.employment_tables.mechanisms.cell import audit as employer_audit
from workbench.products.employment_tables.mechanisms.cell import claims as employer_claims
from workbench.products.employment_tables.mechanisms.cell.mechanism import CellMechanism
from workbench.products.employment_tables.mechanisms.cell.smooth_gamma_loss import UP_ROUND
from workbench.products.employment_tables.mechanisms.cell.steps import DOWN, UP, CellLosses, Sizes, Window, too_fine
from workbench.products.employment_tables.mechanisms.drawn import MarginOfError
from workbench.products.employment_tables.mechanisms.large_establishments import (
    LargeEstablishmentsParams,
    large_establishments_group,
)
from workbench.products.employment_tables.mechanisms.margins_of_error import RELATIVE, relative_half_widths
from workbench.products.employment_tables.mechanisms.pair_loss import WorkplaceState, added_up
from workbench.products.employment_tables.tabulation.cells import Cells

_CURVE = 6.0


class LogCalibration(StrEnum):
    PAPER = "paper"
    TIGHT = "tight"
    TIGHT_BOTH = "tight-both"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLaplaceParams:
    epsilon: Epsilon = employer_claims.epsilon_param()
    alpha: Alpha = employer_claims.alpha_param()
    calibration: LogCalibration = param(
        LogCalibration.TIGHT,
        "Calibration",
        "Tight spends exactly ε on one establishment's step; as published it spends half. Tight for both keeps a "
        "worker's move between two establishments within ε as well, with a little more noise in small cells.",
        labels={"paper": "As published", "tight": "Tight", "tight-both": "Tight for sizes and moves"},
        source="Haney et al. (2017), Algorithm 1",
    )
    unbiased: bool = param(
        False,
        "Remove the bias",
        "Multiplicative noise makes counts too large on average; this corrects it, as post-processing.",
        effect="post-processing",
        advanced=True,
    )
    worker_cells: int = employer_claims.worker_cells_param()
    large_establishments: LargeEstablishmentsParams = large_establishments_group()

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon) or (*too_fine(self.alpha), *unbounded(self, max(self.worker_cells, 1)))

    @property
    def window(self) -> Window:
        return Window(alpha=self.alpha)

    @property
    def offset(self) -> float:
        """g."""
        if self.calibration is LogCalibration.TIGHT_BOTH:
            return 1.0 / math.expm1(math.log1p(float(self.alpha)) / 2.0)
        return 1.0 / float(self.alpha)


def unbounded(params: LogLaplaceParams, cells: int) -> tuple[Problem, ...]:
    """Where the mean is infinite there is no bias to remove."""
    if not params.unbiased or spread_of(params, cells) < 1.0:
        return ()
    twice = 2 if params.calibration is LogCalibration.PAPER else 1
    least = cells * twice * math.log1p(float(params.alpha))
    rule = f"{employer_claims.times(cells)}{'2·' if twice == 2 else ''}ln(1+α) = {least:.3g}"
    return (
        Problem(
            f"ε must exceed {rule} for Log-Laplace ({params.calibration}) without bias{employer_claims.over(cells)}",
            "epsilon",
            f"Use ε above {least:.3g}, a smaller α, or keep the bias",
        ),
    )


@dataclass(frozen=True, slots=True)
class LogLaplace(CellMechanism[LogLaplaceParams]):
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "log-laplace"
    version: int = 1
    title: str = "Log-Laplace"
    summary: str = "Multiplies counts by Laplace noise on the log scale: protects employers' sizes at pure ε."
    params: type[LogLaplaceParams] = LogLaplaceParams
    case: type[CellCase] = CellCase
    traits: Traits = Traits(of_the_source=True)

    def obstacles(self, params: LogLaplaceParams, cells: int) -> tuple[Problem, ...]:
        return unbounded(params, cells)

    def placed(self, prepared: Cells, params: LogLaplaceParams) -> Placement:
        return _placed(prepared, params)

    def law(self, exact: Integers, prepared: Cells, params: LogLaplaceParams) -> RoundedLog:
        spread = spread_of(params, prepared.domain.worker_combinations)
        return RoundedLog(exact, params.offset, spread, 1.0 - spread**2 if params.unbiased else 1.0)

    def margin(self, params: LogLaplaceParams, cells: int) -> MarginOfError:
        """The noise follows the count alone, so that the published value tells how far the true one may lie."""
        spread = spread_of(params, cells)

        def within(values: Integers, summed: Integers) -> Integers | None:
            if np.any(summed != 1):
                return None
            factor = 1.0 - spread**2 if params.unbiased else 1.0
            return relative_half_widths(values, offset=params.offset, spread=spread, factor=factor)

        return MarginOfError(note=RELATIVE, within=within)

    def error_law(self, params: LogLaplaceParams, worker_cells: int) -> error_law.Noise:
        spread = spread_of(params, worker_cells)
        return error_law.Logarithmic(offset=params.offset, spread=spread, unbiased=params.unbiased)

    def losses(self, prepared: Cells, params: LogLaplaceParams) -> CellLosses:
        return _losses(prepared, params)

    def table_claim(self, prepared: Cells | None, params: LogLaplaceParams) -> Claim:
        tight = params.calibration is LogCalibration.TIGHT
        return employer_claims.claim_of(
            prepared, params, moves=employer_claims.TWO_STEPS if tight else employer_claims.ONE_STEP
        )

    def expected_error(self, prepared: Cells, params: LogLaplaceParams) -> Confidential[Floats]:
        """E|published − true|, rounding included."""
        sizes = Sizes.of(prepared.count.reveal())
        error = _error(sizes.values.astype(np.float64), params, prepared.domain.worker_combinations, rounded=True)
        return Confidential(error[sizes.where])

    def exact_loss(self, prepared: Cells, params: LogLaplaceParams, context: Context) -> ExactLoss:
        """|ln((n′+g)/(n+g))|/l for the step that moves the count most; every output beyond both counts reaches it."""
        context.step(0.0, "exact loss of Log-Laplace noise")
        cells = prepared.domain.worker_combinations
        losses = _losses(prepared, params)
        context.step(0.9, "loss known for every cell")
        least = _log_step(params) / (employer_claims.share(params.epsilon, cells) * spread_of(params, cells))
        return employer_audit.table_loss(
            prepared,
            losses,
            window=params.window,
            smallest_noise=min(1.0, least),
            curve=_curve(prepared, params, losses),
        )

    def loss_between(self, params: LogLaplaceParams, before: WorkplaceState, after: WorkplaceState) -> float:
        """Σ|ln((n′+g)/(n+g))|/l over the worker cells; the largest establishment plays no part."""
        offset, spread = params.offset, spread_of(params, len(before.counts))
        return added_up(
            lambda count, _, moved, __: abs(math.log((moved + offset) / (count + offset))) / spread, before, after
        )

    def calibrate(self, params: LogLaplaceParams, case: CellCase) -> Calibration:
        cells = max(params.worker_cells, 1)
        spread = spread_of(params, cells)
        counts = np.array([float(case.count or 0)])
        rounded = float(_error(counts, params, cells, rounded=True)[0])
        return Calibration(
            scale=float(counts[0] + params.offset) * spread,
            expected_absolute_error=float(_error(counts, params, cells, rounded=False)[0]),
            spent_epsilon=round(cells * _log_step(params) / spread, 12),
            rounded_absolute_error=rounded,
            notes=(
                f"Spread of the logarithm l = {show(spread)}; the scale is (n + g)·l with g = {show(params.offset)}.",
                f"Rounded to whole numbers the expected error is {show(rounded)}.",
                *(("The expected error is infinite: ε is too small for this α.",) * (spread >= 1.0)),
                error_law.width_note(
                    error_law.half_width_by(self.error_law(params, cells), np.array([round(counts[0])]))
                ),
            ),
        )


def spread_of(params: LogLaplaceParams, cells: int) -> float:
    """l for one of `cells` worker cells, rounded upward."""
    twice = 2.0 if params.calibration is LogCalibration.PAPER else 1.0
    step = math.log1p(float(params.alpha))
    return twice * step / employer_claims.share(params.epsilon, cells) * UP_ROUND


def _log_step(params: LogLaplaceParams) -> float:
    """How far one step moves ln(n + g) at most: ln(1+α) far out, ln(1 + 1/g) from 0 to 1."""
    return max(math.log1p(float(params.alpha)), math.log1p(1.0 / params.offset))


def _placed(prepared: Cells, params: LogLaplaceParams) -> Logarithmic:
    spread = spread_of(params, prepared.domain.worker_combinations)
    factor = 1.0 - spread**2 if params.unbiased else 1.0
    return Logarithmic(prepared.count.reveal(), params.offset, spread, factor)


def _error(counts: Floats, params: LogLaplaceParams, cells: int, *, rounded: bool) -> Floats:
    formula = rounded_log_laplace if rounded else log_laplace_error
    unbiased = params.unbiased and spread_of(params, cells) < 1.0
    return formula(counts, offset=params.offset, spread=spread_of(params, cells), unbiased=unbiased)


def _losses(prepared: Cells, params: LogLaplaceParams) -> CellLosses:
    """Only how far the count moves matters, and no establishment moves it further than the largest."""
    count, largest, window = prepared.count.reveal(), prepared.largest.reveal(), params.window
    here = count + params.offset
    up = np.log1p(window.growth(largest) / here)
    down = -np.log1p(-window.shrinkage(largest) / here)
    loss = np.maximum(up, down) / spread_of(params, prepared.domain.worker_combinations)
    return CellLosses(loss=loss, step=np.where(down > up, DOWN, UP))


def _curve(prepared: Cells, params: LogLaplaceParams, losses: CellLosses) -> Figure | None:
    """(|y| − |y − s|)/l against y = ln((out + g)/(n + g)), s the step of the logarithm; in units of l."""
    if not len(losses.loss):
        return None
    cells = prepared.domain.worker_combinations
    step = float(losses.loss[employer_audit.worst_cell(prepared, losses.loss, params.window)])
    y = np.linspace(-_CURVE, _CURVE + step, 241)
    claimed = employer_claims.share(params.epsilon, cells)
    return employer_audit.loss_curve(y, np.abs(y) - np.abs(y - step), claimed=claimed, unit="spreads of the logarithm")


SPEC = LogLaplace()

"""NoisyStats: noise on the two sums of a line and then on its intercept; a fully private rival.

Formula, for a cell of n people: slope = (S_xy + L₁)/(S_xx + L₂), L₁ and L₂ of scale 3(1 − 1/n)/ε; intercept
ȳ − slope·x̄ + L₃, L₃ of scale 3(1 + |slope|)/(εn). Where S_xx + L₂ is not positive nothing is published.
Guarantee: pure ε for one person's values replaced; n of every cell is public. With K outcomes each has ε/K.
Rounding: sums on a grid of millionths; a step of rounding is added to each sensitivity; noise is discrete Laplace.
Source: Alabi, McMillan, Sarathy, Smith and Vadhan (2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.geometric import discrete_laplace
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import Estimates, published
from workbench.products.area_estimates.effects import lines_only
from workbench.products.area_estimates.line import Lines
from workbench.products.area_estimates.mechanisms.case import AreaCase
from workbench.products.area_estimates.mechanisms.replaced_claim import replaced_claim, replaced_copies, weight_problems

_GRID = 1_000_000
_PARTS = 3.0
_STEEPEST = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyStatsParams:
    epsilon: Epsilon = param(
        Epsilon("2"), "Privacy loss ε", "What other values of one person may change about the odds.", gt=0,
        le=MOST_EPSILON, effect="dial",
    )  # fmt: skip

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class NoisyStats:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "noisy-stats"
    version: int = 1
    title: str = "NoisyStats"
    summary: str = "Laplace noise on the sums of every cell's own line; counts are public."
    params: type[NoisyStatsParams] = NoisyStatsParams
    case: type[AreaCase] = AreaCase
    traits: Traits = Traits(no_closed_form=True, bound=True)

    def problems(self, prepared: AreaData, params: NoisyStatsParams) -> tuple[Problem, ...]:  # noqa: ARG002 - any ε will do
        return (*weight_problems(prepared), *lines_only(prepared))

    def claim(self, prepared: AreaData | None, params: NoisyStatsParams) -> Claim:
        return replaced_claim(prepared, Decimal(params.epsilon))

    def release(self, prepared: AreaData, params: NoisyStatsParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(_drawn(prepared, params, rng, context), self, rng)

    def study(
        self, prepared: AreaData, params: NoisyStatsParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: AreaData, params: NoisyStatsParams) -> None:
        """None: a ratio of noisy sums has no expected error."""

    def exact_loss(self, prepared: AreaData, params: NoisyStatsParams, context: Context) -> ExactLoss:  # noqa: ARG002 - the same for any data
        context.step(0.0, "loss of three noisy sums")
        return ExactLoss(
            epsilon=float(params.epsilon),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person with other values in a large cell",
            data_free=True,
            bound=True,
        )

    def neighbours(self, prepared: AreaData, params: NoisyStatsParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - the same for any ε
        return replaced_copies(prepared, copies)

    def calibrate(self, params: NoisyStatsParams, case: AreaCase) -> Calibration:
        scale = _PARTS * (1.0 - 1.0 / case.people) / float(params.epsilon)
        return Calibration(
            scale=scale,
            expected_absolute_error=_PARTS / (float(params.epsilon) * case.people),
            spent_epsilon=float(params.epsilon),
            notes=("The error is that of the intercept of a level line; noise of the slope comes on top.",),
        )


def slope_scale(size: Integers, epsilon: float) -> Floats:
    """3(1 − 1/n)/ε, of S_xy and S_xx alike."""
    scale: Floats = _PARTS * (1.0 - 1.0 / size) / epsilon
    return scale


def intercept_scale(slope: Floats, size: Integers, epsilon: float) -> Floats:
    """3(1 + |slope|)/(εn)."""
    scale: Floats = _PARTS * (1.0 + np.abs(slope)) / (epsilon * size)
    return scale


def noisy_line(product: Floats, spread: Floats, means: tuple[Floats, Floats], added: Floats) -> tuple[Floats, Floats]:
    """Slope and intercept from sums that have their noise already; not-a-number where the spread is not positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(spread > 0.0, product / spread, np.nan)
    x, y = means
    return slope, y - slope * x + added


def _drawn(prepared: AreaData, params: NoisyStatsParams, rng: UniformWords, context: Context) -> Columns:
    context.step(0.0, "adding noise to the sums of every cell")
    many, found = len(prepared.outcomes), []
    for place, lines in enumerate(prepared.lines.reveal()):
        within = Part(context, place / many, (place + 1) / many)
        found.append(_estimates(prepared, lines, float(params.epsilon) / many, rng, within))
    return published(prepared, tuple(found))


def _estimates(prepared: AreaData, lines: Lines, epsilon: float, rng: UniformWords, context: Context) -> Estimates:
    shown = lines.size >= 2  # counts are public here
    cut = lines.chosen(shown)
    step = 1.0 / _GRID  # what rounding onto the grid can add to a move
    scale = (slope_scale(cut.size, epsilon) + _PARTS * step / epsilon) * _GRID
    product = _noisy(cut.product, scale, rng, Part(context, 0.0, 0.4))
    spread = _noisy(cut.x_spread, scale, rng, Part(context, 0.4, 0.8))
    slope, _ = noisy_line(product, spread, (cut.x_mean, cut.y_mean), np.zeros(len(product)))
    steady = np.clip(np.nan_to_num(slope), -_STEEPEST, _STEEPEST)
    last = (intercept_scale(steady, cut.size, epsilon) + _PARTS * step / epsilon) * _GRID
    intercept = _noisy(cut.y_mean - steady * cut.x_mean, last, rng, Part(context, 0.8, 1.0))
    at = np.full((len(lines.size), len(prepared.ranks)), np.nan)
    at[shown] = np.stack([intercept + steady * rank for rank in prepared.inner_ranks], axis=1)
    at[np.flatnonzero(shown)[np.isnan(slope)]] = np.nan
    whole = np.full(len(lines.size), np.nan)
    whole[shown] = slope
    return Estimates(at=at, count=lines.size.astype(np.float64), slope=whole)


def _noisy(values: Floats, scale: Floats, rng: UniformWords, context: Context) -> Floats:
    """Values on the grid with integer noise; the scale is widened by more than floats lose."""
    units = np.rint(values * _GRID).astype(np.int64)
    noisy: Floats = (units + discrete_laplace(scale * (1.0 + 2.0**-40), rng, context)) / _GRID
    return noisy


SPEC = NoisyStats()

"""Laplace noise by global or by local sensitivity, for contrast: one is useless, the other unsafe.

Formula: an estimate clipped to its bounds + Laplace noise of scale 1/ε (global: one person can move it over the whole
range), or + Laplace noise of scale LS/ε (local: LS is what one added person does in this very cell); counts + integer
Laplace noise of scale 1/ε.
Guarantee: global is pure ε for each statistic, added up. Local is none: LS is a statistic of the data, and neighbours
can have any other; a cell whose people share one predictor shows nearly everything.
Rounding: after the noise, to the last decimal. A cell without a line counts as ½ of the range under `global-laplace`
and is left out under `local-laplace`, which tells that it has none.
Source: Dwork et al. (2006); Nissim, Raskhodnikova and Smith (2007) for why local sensitivity is not enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon, odds_factor
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.rounded_error import rounded_laplace
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.cell_noise import count_scales, expected_errors, with_noise
from workbench.products.area_estimates.cell_statistics import Statistic, Wanted, statistics_of
from workbench.products.area_estimates.claims import UNIT, area_claim, remedy_of, row_rule
from workbench.products.area_estimates.columns import DECIMALS
from workbench.products.area_estimates.effects import estimated_cells, lines_only
from workbench.products.area_estimates.held_neighbours import held_pair
from workbench.products.area_estimates.mechanisms.case import AreaCase

HELD = "the local sensitivity of every cell and which cells have a line"
_UNIT = 10.0**DECIMALS


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainLaplaceParams:
    epsilon: Epsilon = param(
        Epsilon("1"), "ε of each statistic", "Every rank and the count spends this.", gt=0, le=MOST_EPSILON,
        effect="dial",
    )  # fmt: skip

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


def statistics_number(prepared: AreaData | None) -> int:
    """Estimates and the count; one outcome at two ranks where nothing is known yet."""
    return 3 if prepared is None else len(prepared.outcomes) * len(prepared.rank_names()) + 1


def _problems(prepared: AreaData) -> tuple[Problem, ...]:
    if prepared.most_weight == 1:
        return ()
    return (Problem("This method takes no weights", "weight", "Choose the fractional table"),)


def _pair(prepared: AreaData, copies: int) -> tuple[NeighbourPair, ...]:
    """A cell with and without the person who moves it most; its local sensitivity held as it is."""
    usable = np.flatnonzero(estimated_cells(prepared, 0))
    if not len(usable):
        return ()
    cell = int(usable[0])
    local = [np.full(prepared.places.pools, statistic.local[cell]) for statistic in statistics_of(prepared, Wanted())]
    return (held_pair(prepared, cell, tuple(local), copies),)


@dataclass(frozen=True, slots=True)
class GlobalLaplace:
    """See the module's docstring."""

    id: str = "global-laplace"
    version: int = 1
    title: str = "Laplace noise by global sensitivity"
    summary: str = "Noise as wide as the range of the outcome: private, and useless in small areas."
    params: type[PlainLaplaceParams] = PlainLaplaceParams
    case: type[AreaCase] = AreaCase
    traits: Traits = Traits(bound=True, no_closed_form=True)

    def problems(self, prepared: AreaData, params: PlainLaplaceParams) -> tuple[Problem, ...]:  # noqa: ARG002 - any ε will do
        return (*_problems(prepared), *lines_only(prepared))

    def claim(self, prepared: AreaData | None, params: PlainLaplaceParams) -> Claim:
        return area_claim(
            prepared,
            epsilon=Decimal(params.epsilon) * statistics_number(prepared),
            more=("One person can move an estimate over its whole range: the global sensitivity is 1 of it.",),
        )

    def release(self, prepared: AreaData, params: PlainLaplaceParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(self._drawn(prepared, params, rng, context), self, rng)

    def study(
        self, prepared: AreaData, params: PlainLaplaceParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(self._drawn(prepared, params, rng, context))

    def _drawn(self, prepared: AreaData, params: PlainLaplaceParams, rng: UniformWords, context: Context) -> Columns:
        context.step(0.0, "estimating every cell")
        bounded = [
            replace(each, value=np.clip(np.where(np.isnan(each.value), 0.5, each.value), 0.0, 1.0))
            for each in statistics_of(prepared, Wanted())
        ]
        scales = [np.full(len(each.value), global_scale(params, each)) for each in bounded]
        return with_noise(prepared, bounded, scales, _counts(prepared, params), rng, context)

    def expected_error(self, prepared: AreaData, params: PlainLaplaceParams) -> None:
        """None: an estimate is clipped before its noise."""

    def exact_loss(self, prepared: AreaData, params: PlainLaplaceParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss of Laplace noise over the whole range")
        return ExactLoss(
            epsilon=float(params.epsilon) * statistics_number(prepared),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person who moves every estimate of a cell over its whole range",
            data_free=True,
            bound=True,
        )

    def neighbours(self, prepared: AreaData, params: PlainLaplaceParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - the same for any ε
        return _pair(prepared, copies)

    def calibrate(self, params: PlainLaplaceParams, case: AreaCase) -> Calibration:  # noqa: ARG002 - the same for any area
        return _calibration(1.0 / float(params.epsilon), params)


@dataclass(frozen=True, slots=True)
class LocalLaplace:
    """See the module's docstring."""

    id: str = "local-laplace"
    version: int = 1
    title: str = "Laplace noise by local sensitivity"
    summary: str = "Noise as wide as one added person moves this cell: accurate, and unsafe."
    params: type[PlainLaplaceParams] = PlainLaplaceParams
    case: type[AreaCase] = AreaCase
    traits: Traits = Traits(bound=True)

    def problems(self, prepared: AreaData, params: PlainLaplaceParams) -> tuple[Problem, ...]:  # noqa: ARG002 - any ε will do
        return _problems(prepared)

    def claim(self, prepared: AreaData | None, params: PlainLaplaceParams) -> Claim:
        epsilon = Decimal(params.epsilon) * statistics_number(prepared)
        return Claim(
            definition=Definition.CONDITIONAL,
            unit=UNIT,
            epsilon=epsilon,
            formal=False,
            condition=HELD,
            sentence=(
                f"Not differentially private: the width of the noise is read from the cell itself. While it stays as "
                f"it is, one person changes the odds by a factor of at most {odds_factor(epsilon)}."
            ),
            remedy=remedy_of(prepared),
            assumptions=(
                row_rule(prepared is not None and prepared.bounded),
                "How wide the noise is tells how the cell's people lie; that is not counted.",
                "A cell without a line is left out, which reveals that it has none.",
            ),
        )

    def release(self, prepared: AreaData, params: PlainLaplaceParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(self._drawn(prepared, params, rng, context), self, rng)

    def study(
        self, prepared: AreaData, params: PlainLaplaceParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(self._drawn(prepared, params, rng, context))

    def _drawn(self, prepared: AreaData, params: PlainLaplaceParams, rng: UniformWords, context: Context) -> Columns:
        context.step(0.0, "searching the local sensitivity of every cell")
        statistics, scales = _local_scales(prepared, params)
        return with_noise(prepared, statistics, scales, _counts(prepared, params), rng, context)

    def expected_error(self, prepared: AreaData, params: PlainLaplaceParams) -> Confidential[Floats]:
        statistics, scales = _local_scales(prepared, params)
        return Confidential(expected_errors(prepared, statistics, scales, _counts(prepared, params)))

    def exact_loss(self, prepared: AreaData, params: PlainLaplaceParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss with the local sensitivity held fixed")
        return ExactLoss(
            epsilon=float(params.epsilon) * statistics_number(prepared),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person joins a cell and moves every estimate by its local sensitivity",
            condition=HELD,
            bound=True,
        )

    def neighbours(self, prepared: AreaData, params: PlainLaplaceParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - the same for any ε
        return _pair(prepared, copies)

    def calibrate(self, params: PlainLaplaceParams, case: AreaCase) -> Calibration:
        return _calibration(float(case.chi) / case.people / float(params.epsilon), params)


def global_scale(params: PlainLaplaceParams, statistic: Statistic) -> float:
    """1/ε of the range, widened by more than floats lose before the draw, also where bounds lie far from 0."""
    lost = 2.0**-40 + 2.0**-48 * abs(statistic.shift) / statistic.scale
    return (1.0 + lost) / float(params.epsilon)


def _local_scales(prepared: AreaData, params: PlainLaplaceParams) -> tuple[tuple[Statistic, ...], tuple[Floats, ...]]:
    statistics = statistics_of(prepared, Wanted())
    if prepared.held is not None:
        local = tuple(held[prepared.places.pool] for held in prepared.held.reveal())
    else:
        local = tuple(statistic.local for statistic in statistics)
    return statistics, tuple(each / float(params.epsilon) for each in local)


def _counts(prepared: AreaData, params: PlainLaplaceParams) -> Floats:
    return count_scales(prepared, (params.epsilon,) * prepared.places.pools)


def _calibration(scale: float, params: PlainLaplaceParams) -> Calibration:
    return Calibration(
        scale=scale,
        expected_absolute_error=scale,
        rounded_absolute_error=float(rounded_laplace(np.array([scale * _UNIT]))[0]) / _UNIT,
        spent_epsilon=float(params.epsilon) * statistics_number(None),
    )


GLOBAL, LOCAL = GlobalLaplace(), LocalLaplace()

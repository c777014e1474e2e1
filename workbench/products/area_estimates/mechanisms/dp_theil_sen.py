"""DP Theil-Sen: the private median of what pairs of people predict; a fully private rival.

Formula: k random matchings of the people of a cell; every pair predicts the outcome at the rank; the exponential
mechanism chooses a value on a grid near the median of the predictions (see `theil_sen`).
Guarantee: pure ε for one person's values replaced; n of every cell is public. A person is in at most k pairs, so that
the score moves by at most k. Ranks and outcomes share ε equally.
Rounding: the value is chosen on the grid of the last decimal, exactly.
Source: Alabi, McMillan, Sarathy, Smith and Vadhan (2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.exponential_choice import choose
from workbench.noise.uniform_integers import orders
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import Estimates, published
from workbench.products.area_estimates.effects import lines_only
from workbench.products.area_estimates.mechanisms.case import AreaCase
from workbench.products.area_estimates.mechanisms.replaced_claim import replaced_claim, replaced_pair, weight_problems
from workbench.products.area_estimates.people import FINE
from workbench.products.area_estimates.theil_sen import GRID, HIGH, LOW, levels, matchings, predictions


@dataclass(frozen=True, slots=True, kw_only=True)
class TheilSenParams:
    epsilon: Epsilon = param(
        Epsilon("2"), "Privacy loss ε", "What other values of one person may change about the odds.", gt=0,
        le=MOST_EPSILON, effect="dial",
    )  # fmt: skip
    matchings: int = param(10, "Matchings", "Pairs in which every person is.", ge=1, le=100, advanced=True)

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class TheilSen:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "dp-theil-sen"
    version: int = 1
    title: str = "Private Theil-Sen"
    summary: str = "The private median of what pairs of people predict in every cell; counts are public."
    params: type[TheilSenParams] = TheilSenParams
    case: type[AreaCase] = AreaCase
    traits: Traits = Traits(whole=True, no_closed_form=True, bound=True)

    def problems(self, prepared: AreaData, params: TheilSenParams) -> tuple[Problem, ...]:  # noqa: ARG002 - any ε will do
        return (*weight_problems(prepared), *lines_only(prepared))

    def claim(self, prepared: AreaData | None, params: TheilSenParams) -> Claim:
        return replaced_claim(prepared, Decimal(params.epsilon))

    def release(self, prepared: AreaData, params: TheilSenParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(_drawn(prepared, params, rng, context), self, rng)

    def study(
        self, prepared: AreaData, params: TheilSenParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: AreaData, params: TheilSenParams) -> None:
        """None: the error depends on how the predictions of a cell lie."""

    def exact_loss(self, prepared: AreaData, params: TheilSenParams, context: Context) -> ExactLoss:  # noqa: ARG002 - the same for any data
        context.step(0.0, "loss of the exponential mechanism")
        return ExactLoss(
            epsilon=float(params.epsilon),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person whose values move every prediction across the median",
            data_free=True,
            bound=True,
        )

    def neighbours(self, prepared: AreaData, params: TheilSenParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - one copy
        return replaced_pair(prepared)

    def calibrate(self, params: TheilSenParams, case: AreaCase) -> Calibration:
        scale = 2.0 * params.matchings / float(params.epsilon)  # of the rank among the predictions
        pairs = params.matchings * (case.people // 2)
        return Calibration(
            scale=scale,
            expected_absolute_error=min(1.0, scale / max(pairs, 1)),
            spent_epsilon=float(params.epsilon),
            notes=("The error is a share of the predictions that the private median is off by.",),
        )


def rate_of(params: TheilSenParams, outcomes: int, ranks: int) -> Fraction:
    """What a level costs: ε′/4, as levels count twice the distance from the median and the mechanism halves ε′."""
    return Fraction(params.epsilon) / (outcomes * ranks) / params.matchings / 4


def _drawn(prepared: AreaData, params: TheilSenParams, rng: UniformWords, context: Context) -> Columns:
    context.step(0.0, "pairing the people of every cell")
    people = prepared.people.reveal()
    order = np.argsort(people.cell, kind="stable")
    size = prepared.lines.reveal()[0].size
    starts = np.concatenate([[0], np.cumsum(size)])
    rate = rate_of(params, len(prepared.outcomes), len(prepared.ranks))
    at = [np.full((len(size), len(prepared.ranks)), np.nan) for _ in prepared.outcomes]
    for cell in np.flatnonzero(size >= 2).tolist():
        context.step(cell / len(size), "choosing a private median in every cell")
        rows = order[starts[cell] : starts[cell + 1]]
        first, second = matchings(len(rows), orders(params.matchings, len(rows), rng))
        x = people.x[rows] / FINE
        for place, outcome in enumerate(people.y):
            at[place][cell] = _medians(x, outcome[rows] / FINE, (first, second), prepared.inner_ranks, rate, rng)
    context.step(1.0, "medians chosen")
    counts = size.astype(np.float64)
    return published(prepared, tuple(Estimates(at=values, count=counts) for values in at))


def _medians(
    x: Floats,
    y: Floats,
    pairs: tuple[Integers, Integers],
    ranks: tuple[float, ...],
    rate: Fraction,
    rng: UniformWords,
) -> list[float]:
    return [LOW + (HIGH - LOW) * choose(levels(predictions(x, y, *pairs, rank)), rate, rng) / GRID for rank in ranks]


SPEC = TheilSen()

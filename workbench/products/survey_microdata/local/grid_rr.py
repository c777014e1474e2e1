"""The best that protects each answer by itself: randomised response on categories, and on a grid for numbers.

Formula: categories as in `krr-laplace`. A number is rounded at random to one of its two neighbouring levels, without
bias, and goes through k-ary randomised response on the L levels. Numbers stay inside their range, can be tabulated, and
have a tenth of the variance of Laplace noise at ε = 7.
Guarantee: ε for each variable, their sum for the values of a record (local differential privacy). Presence is public.
Rounding: exact; chances of rounding are whole shares of the range, the keep-threshold is rounded down with certainty.
Source: Kairouz, Oh and Viswanath (2016) for optimality among local methods; the number of levels is our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum
from fractions import Fraction

import numpy as np

from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import Rows, param, rows
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.microdata.roles import Role
from workbench.noise.declared.contract import Declared
from workbench.products.survey_microdata.local import mechanism as local
from workbench.products.survey_microdata.local.allocation import best_split
from workbench.products.survey_microdata.local.claims import local_claim
from workbench.products.survey_microdata.local.design import LocalDesign, grid, response
from workbench.products.survey_microdata.local.grid_levels import best_levels
from workbench.products.survey_microdata.survey_data import SurveyData, Variable

_SPLIT_DIGITS = Decimal("0.0001")


class Split(StrEnum):
    """How the total of a record is divided."""

    AS_SET = "as set"
    BEST = "best"


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRrParams:
    epsilon: Epsilon = param(
        Epsilon("7"), "ε per variable", "Spent on each variable without a row below. A record spends the sum.",
        gt=0, le=100, effect="dial",
    )  # fmt: skip
    variables: Rows[local.BudgetParams] = rows(
        local.BudgetParams, "ε by variable", "Variables that spend another ε.", by="column", roles=(Role.ANSWER,)
    )
    split: Split = param(
        Split.AS_SET,
        "Split of the total",
        "As set above, or the same total divided so that the noise of all shares together is smallest.",
        labels={"as set": "As set", "best": "Smallest noise"},
    )
    levels: int = param(
        0, "Levels of a number", "Of the grid; 0: as many as give the smallest variance at its ε.", ge=0, le=1001,
        named={0: "as many as give the smallest variance"},
    )  # fmt: skip

    def check(self) -> tuple[Problem, ...]:
        if self.levels == 1:
            return (Problem("A grid of one level says nothing", "levels", "Use at least 2 levels, or 0"),)
        return ()


@dataclass(frozen=True, slots=True)
class GridRr:
    """See the module's docstring."""

    id: str = "grid-rr"
    version: int = 1
    title: str = "Randomised response on a grid"
    summary: str = "The best local method: every answer protected by itself, numbers on a grid of levels."
    params: type[GridRrParams] = GridRrParams
    case: type[local.LocalCase] = local.LocalCase
    traits: Traits = Traits(records=True, no_closed_form=True)

    def problems(self, prepared: SurveyData, params: GridRrParams) -> tuple[Problem, ...]:
        return local.budget_problems(prepared, params.variables)

    def claim(self, prepared: SurveyData | None, params: GridRrParams) -> Claim:
        parts = budgets(prepared, params)
        return local_claim(prepared, epsilon=local.whole(parts), parts=parts)

    def release(self, prepared: SurveyData, params: GridRrParams, rng: ReleaseRandom, context: Context) -> Release:
        asked: list[Answer] = []
        drawn = local.drawn(prepared, designs(prepared, params), rng, context, asked)
        return Release.of(drawn, self, rng, tuple(asked))

    def laws(self, prepared: SurveyData, params: GridRrParams) -> Mapping[str, Declared]:
        return local.laws(prepared, designs(prepared, params))

    def study(
        self, prepared: SurveyData, params: GridRrParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(local.drawn(prepared, designs(prepared, params), rng, context))

    def expected_error(self, prepared: SurveyData, params: GridRrParams) -> None:
        """None: a category has no error."""

    def exact_loss(self, prepared: SurveyData, params: GridRrParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss of every variable")
        return local.exact(designs(prepared, params))

    def designs(self, prepared: SurveyData, params: GridRrParams) -> tuple[LocalDesign, ...]:
        """What protects each variable: an audit and a code book read it."""
        return designs(prepared, params)

    def neighbours(
        self, prepared: SurveyData, params: GridRrParams, copies: int  # noqa: ARG002 - any ε
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        return local.apart(prepared, copies)

    def calibrate(self, params: GridRrParams, case: local.LocalCase) -> Calibration:
        return local.response_calibration(params.epsilon, case)


def budgets(prepared: SurveyData | None, params: GridRrParams) -> dict[str, Decimal]:
    """ε of every variable: as set, or the same total at its best split, rounded down."""
    parts = local.budgets(prepared, params.epsilon, params.variables)
    if params.split is Split.AS_SET or prepared is None:
        return parts
    answers = np.array([_answers(variable, params, float(params.epsilon)) for variable in prepared.variables])
    split = best_split(answers.astype(np.int64), float(local.whole(parts)), np.ones(len(answers)))
    rounded = [max(_SPLIT_DIGITS, Decimal(each).quantize(_SPLIT_DIGITS, rounding=ROUND_FLOOR)) for each in split]
    return dict(zip(parts, rounded, strict=True))


def _answers(variable: Variable, params: GridRrParams, epsilon: float) -> int:
    if not variable.number:
        return variable.domain
    levels = params.levels or best_levels(epsilon, variable.lower, variable.upper)
    return min(levels, variable.domain)


def designs(prepared: SurveyData, params: GridRrParams) -> tuple[LocalDesign, ...]:
    """One for each variable, from the plan alone."""
    made = []
    for variable, (_, each) in zip(prepared.variables, budgets(prepared, params).items(), strict=True):
        epsilon = Fraction(each)
        levels = _answers(variable, params, float(each))
        made.append(grid(variable, epsilon, levels) if variable.number else response(variable, epsilon))
    return tuple(made)


SPEC = GridRr()

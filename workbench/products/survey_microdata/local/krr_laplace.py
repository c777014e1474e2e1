"""The source's method: k-ary randomised response for categories, Laplace noise for numbers, ε = 7 for each variable.

Formula: a category is kept with probability e^ε/(e^ε + k − 1), otherwise one of the others is published; a number x
becomes x plus a discrete Laplace integer of scale (hi − lo)/ε, published also where it lies beyond the range.
Guarantee: ε for each variable, their sum for the values of a record (local differential privacy). Presence is public.
Rounding: exact samplers; the keep-threshold is rounded down with certainty, the scale up, so no variable spends more.
The coin example: two coins keep an answer with probability 3/4 in all. Where 10 % would truly say yes, 30 % do; then
(.30 − .25)/(.75 − .25) = 10 % comes back, and ε = ln(.75/.25) = ln 3.
Source: the public-use file of the 2020 Census Barriers, Attitudes and Motivators Survey; Warner (1965).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

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
from workbench.products.survey_microdata.local.claims import local_claim
from workbench.products.survey_microdata.local.design import LocalDesign, laplace, response
from workbench.products.survey_microdata.survey_data import SurveyData


@dataclass(frozen=True, slots=True, kw_only=True)
class KrrLaplaceParams:
    epsilon: Epsilon = param(
        Epsilon("7"),
        "ε per variable",
        "Spent on each variable without a row below. A record spends the sum over all variables.",
        gt=0,
        le=100,
        effect="dial",
        source="Census Barriers, Attitudes and Motivators Survey, public-use file",
    )
    variables: Rows[local.BudgetParams] = rows(
        local.BudgetParams, "ε by variable", "Variables that spend another ε.", by="column", roles=(Role.ANSWER,)
    )


@dataclass(frozen=True, slots=True)
class KrrLaplace:
    """See the module's docstring."""

    id: str = "krr-laplace"
    version: int = 1
    title: str = "Randomised response and Laplace noise"
    summary: str = "The source's method: every answer protected by itself, at an ε for each variable."
    params: type[KrrLaplaceParams] = KrrLaplaceParams
    case: type[local.LocalCase] = local.LocalCase
    traits: Traits = Traits(records=True, no_closed_form=True, of_the_source=True)

    def problems(self, prepared: SurveyData, params: KrrLaplaceParams) -> tuple[Problem, ...]:
        return local.budget_problems(prepared, params.variables)

    def claim(self, prepared: SurveyData | None, params: KrrLaplaceParams) -> Claim:
        parts = local.budgets(prepared, params.epsilon, params.variables)
        return local_claim(prepared, epsilon=local.whole(parts), parts=parts)

    def release(
        self, prepared: SurveyData, params: KrrLaplaceParams, rng: ReleaseRandom, context: Context
    ) -> Release:  # fmt: skip
        asked: list[Answer] = []
        drawn = local.drawn(prepared, designs(prepared, params), rng, context, asked)
        return Release.of(drawn, self, rng, tuple(asked))

    def laws(self, prepared: SurveyData, params: KrrLaplaceParams) -> Mapping[str, Declared]:
        return local.laws(prepared, designs(prepared, params))

    def study(
        self, prepared: SurveyData, params: KrrLaplaceParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(local.drawn(prepared, designs(prepared, params), rng, context))

    def expected_error(self, prepared: SurveyData, params: KrrLaplaceParams) -> None:
        """None: a category has no error."""

    def exact_loss(self, prepared: SurveyData, params: KrrLaplaceParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss of every variable")
        return local.exact(designs(prepared, params))

    def designs(self, prepared: SurveyData, params: KrrLaplaceParams) -> tuple[LocalDesign, ...]:
        """What protects each variable: an audit and a code book read it."""
        return designs(prepared, params)

    def neighbours(
        self, prepared: SurveyData, params: KrrLaplaceParams, copies: int  # noqa: ARG002 - any ε
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        return local.apart(prepared, copies)

    def calibrate(self, params: KrrLaplaceParams, case: local.LocalCase) -> Calibration:
        return local.response_calibration(params.epsilon, case)


def designs(prepared: SurveyData, params: KrrLaplaceParams) -> tuple[LocalDesign, ...]:
    """One for each variable, from the plan alone."""
    epsilons = local.budgets(prepared, params.epsilon, params.variables)
    return tuple(
        (laplace if variable.number else response)(variable, Fraction(epsilons[variable.name]))
        for variable in prepared.variables
    )


SPEC = KrrLaplace()

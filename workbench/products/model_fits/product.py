"""Model fits: a logistic regression on confidential rows, published as coefficients with their margins of error.

Source: the course of Schmutte (2020) on private regression by stochastic gradient descent (Abadi et al. 2016); better
ways stand beside it, a noisy table where predictors are few and private Newton steps elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.audit import completeness, exact_loss
from workbench.audit.contract import AnyCheck
from workbench.audit.declared_law import check as declared_law
from workbench.audit.differencing.group_sizes import Contributors, nobody_knows
from workbench.baselines.alternatives import Rival
from workbench.baselines.columns import columns as beside
from workbench.baselines.contract import AnyBaseline
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem, raise_if
from workbench.core.findings import Finding, Status
from workbench.core.progress import Context, Part
from workbench.core.published import Columns, Published, Units, coded
from workbench.core.side_by_side import Compared, SideBySide
from workbench.core.words import Words
from workbench.explorations.contract import AnyExploration
from workbench.mechanisms.contract import AnyMechanism
from workbench.microdata import columns as column_choices
from workbench.microdata.checks import COMMON_CHECKS, DataCheck
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts, NameWord, Suggestion, by_names
from workbench.outputs.contract import OutputFile
from workbench.outputs.standard import standard_files
from workbench.products.contract import ExampleCell
from workbench.products.model_fits import coarse_fit
from workbench.products.model_fits.audit import delta_size, membership
from workbench.products.model_fits.card import CARD
from workbench.products.model_fits.coarse_fit import fitted_columns
from workbench.products.model_fits.conditions import conditions
from workbench.products.model_fits.explorations import (
    accounting_curve,
    error_by_epsilon,
    likelihood_surface,
    probability_curve,
)
from workbench.products.model_fits.fit_data import FitData
from workbench.products.model_fits.input import fit_data, outcome_problems
from workbench.products.model_fits.mechanisms import dp_newton, dp_sgd, objective_perturbation, table_logit
from workbench.products.model_fits.params import ModelFitsParams
from workbench.products.model_fits.usefulness import coefficient_error, fitted_probabilities, interval_coverage
from workbench.utility.contract import AnyMeasure

FAR = 2.0  # standard errors of the exact fit
_NAMES = (
    NameWord(Role.PERSON_KEY, ("person", "respondent", "identifier"), ("id", "pid"), "a person"),
    NameWord(Role.OUTCOME, ("outcome", "married", "employed"), ("y",), "the outcome"),
    NameWord(Role.PREDICTOR, ("education", "age", "income", "earnings"), ("x",), "a predictor"),
)


@dataclass(frozen=True, slots=True)
class ModelFits:
    """Binds rows of people to the mechanisms, the attack and the measures of model fits."""

    id: str = CARD.id
    version: int = CARD.version
    title: str = CARD.title
    summary: str = CARD.summary
    params: type[ModelFitsParams] = ModelFitsParams
    roles: tuple[Role, ...] = (Role.OUTCOME, Role.PREDICTOR, Role.PERSON_KEY)
    companions: tuple[Companion, ...] = ()
    data_checks: tuple[DataCheck, ...] = COMMON_CHECKS
    words: Words = Words(record=("person", "people"), row=("coefficient", "coefficients"), unit="log odds")
    mechanisms: tuple[AnyMechanism, ...] = (
        table_logit.SPEC,
        dp_newton.SPEC,
        dp_sgd.SPEC,
        objective_perturbation.SPEC,
    )
    baselines: tuple[AnyBaseline, ...] = (coarse_fit.SPEC,)
    checks: tuple[AnyCheck, ...] = (
        exact_loss.SPEC,
        declared_law.SPEC,
        completeness.SPEC,
        delta_size.SPEC,
        membership.SPEC,
    )
    measures: tuple[AnyMeasure, ...] = (coefficient_error.SPEC, fitted_probabilities.SPEC, interval_coverage.SPEC)
    explorations: tuple[AnyExploration, ...] = (
        probability_curve.SPEC,
        likelihood_surface.SPEC,
        error_by_epsilon.SPEC,
        accounting_curve.SPEC,
    )
    solver: None = None

    def problems(self, inputs: Inputs, params: ModelFitsParams) -> tuple[Problem, ...]:
        return column_choices.problems_of(inputs, params)

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        return by_names(facts, _NAMES)

    def size(self, inputs: Inputs, params: ModelFitsParams) -> int:  # noqa: ARG002 - the plan alone decides
        return len(params.predictors) + 1

    def prepare(self, inputs: Inputs, params: ModelFitsParams, context: Context) -> FitData:
        context.step(0.0, "reading the rows")
        raise_if(outcome_problems(inputs, params, Part(context, 0.0, 0.1)))
        return fit_data(inputs, params, Part(context, 0.1, 1.0))

    def describe(self, prepared: FitData) -> tuple[Finding, ...]:
        held = "One row of each person is used." if prepared.bounded else "Every row is taken for one person."
        return (
            Finding(
                id="fit.described",
                title="What is fitted",
                status=Status.INFO,
                sentence=f"{self.words.rows(prepared.rows).capitalize()} of a logistic regression are released. {held}",
            ),
            *conditions(prepared),
        )

    def example_cell(self) -> ExampleCell:
        return ExampleCell(words="one noisy measurement of a fit", case={})

    def groups_behind(self, prepared: FitData) -> Contributors:  # noqa: ARG002 - coefficients have no contributors
        return nobody_knows

    def public_table(self, prepared: FitData, drawn: Columns) -> Published:
        return Published(columns=(coded("coefficient", prepared.names), *drawn.columns))

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        return standard_files(published)

    def side_by_side(self, prepared: FitData, table: Published, rivals: tuple[Rival, ...]) -> tuple[SideBySide, ...]:
        exact = fitted_columns(prepared, prepared.design.reveal(), prepared.outcome.reveal())
        truth, error = exact[:, 0], exact[:, 1]
        private = table.units("estimate").numbers()
        compared = tuple(
            Compared(
                name=column.name,
                unit=column.unit,
                decimals=column.decimals,
                relative=False,
                columns=beside(np.round(exact[:, place], column.decimals), rivals, column.numbers(), place=place),
            )
            for place, column in enumerate(table.columns[1:])
            if isinstance(column, Units)
        )
        return (
            SideBySide(
                title="Coefficients",
                key_titles=("Coefficient",),
                keys=(prepared.names,),
                compared=compared,
                flagged=Confidential(np.abs(private - truth) > FAR * error),
                flag_rule="Flagged: more than 2 standard errors away from the exact fit.",
            ),
        )


SPEC = ModelFits()

"""Outcome reports: employment and earnings of people who left an institution, year by year, published with privacy.

Source: Schmutte (2020) on UMETRICS, PSEO and VEO; Foote, Machanavajjhala and McKinney (2019) for percentiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.audit import black_box, completeness, exact_loss
from workbench.audit.contract import AnyCheck
from workbench.audit.declared_law import check as declared_law
from workbench.audit.differencing.group_sizes import Contributors, nobody_knows
from workbench.baselines.alternatives import Rival
from workbench.baselines.columns import columns as beside
from workbench.baselines.contract import AnyBaseline
from workbench.baselines.suppression import baseline as cell_suppression
from workbench.core.errors import Problem
from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.core.published import Coded, Columns, Published, Units
from workbench.core.side_by_side import Compared, SideBySide, far_off, far_off_rule
from workbench.core.words import Words
from workbench.explorations.contract import AnyExploration
from workbench.mechanisms.contract import AnyMechanism
from workbench.microdata import columns as column_choices
from workbench.microdata.checks import DataCheck, common_checks
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts, NameWord, Suggestion, by_names
from workbench.outputs.contract import OutputFile
from workbench.outputs.standard import standard_files
from workbench.products.contract import ExampleCell
from workbench.products.outcome_reports import cell_threshold
from workbench.products.outcome_reports.audit import last_person
from workbench.products.outcome_reports.card import CARD
from workbench.products.outcome_reports.explorations import budget_by_year, noise_of_methods, paths
from workbench.products.outcome_reports.facts import described
from workbench.products.outcome_reports.files.offered import report_files
from workbench.products.outcome_reports.input import layout_of, list_problems, outcomes
from workbench.products.outcome_reports.mechanisms import (
    approximate_quantiles,
    discrete_gaussian,
    history,
    history_histogram,
    job_year,
    observed_mean,
)
from workbench.products.outcome_reports.mechanisms.noisy_parts import CELL, parts_note
from workbench.products.outcome_reports.model_based.note import MODEL_NOTE
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.params import OutcomeReportsParams
from workbench.products.outcome_reports.planning import COMPANION as PLANNING_SIZES
from workbench.products.outcome_reports.planning import planning_problems
from workbench.products.outcome_reports.usefulness import institution_pages, percentage_error, percentile_error
from workbench.products.outcome_reports.usefulness.budget_solver import SOLVER, ShareSolver
from workbench.utility.contract import AnyMeasure

_NAMES = (
    NameWord(Role.PERSON_KEY, ("person", "individual"), ("pik", "pid"), "a person"),
    NameWord(Role.INSTITUTION, ("institution", "university", "college", "school"), ("inst",), "an institution"),
    NameWord(Role.YEAR, ("year",), ("yr",), "a year"),
    NameWord(Role.TITLE, ("title", "degree", "cip", "cohort", "occupation", "paygrade"), (), "what a person left with"),
    NameWord(Role.SECTOR, ("sector", "industry"), ("naics",), "where a person works"),
    NameWord(Role.EARNINGS, ("earn", "wage", "pay"), (), "earnings"),
)


@dataclass(frozen=True, slots=True)
class OutcomeReports:
    """Binds histories of people to the mechanisms, checks and measures of outcome reports."""

    id: str = CARD.id
    version: int = CARD.version
    title: str = CARD.title
    summary: str = CARD.summary
    params: type[OutcomeReportsParams] = OutcomeReportsParams
    roles: tuple[Role, ...] = (
        Role.PERSON_KEY,
        Role.INSTITUTION,
        Role.YEAR,
        Role.TITLE,
        Role.SECTOR,
        Role.EARNINGS,
    )
    companions: tuple[Companion, ...] = (PLANNING_SIZES,)
    data_checks: tuple[DataCheck, ...] = common_checks(
        "Rows of an unlisted institution, title, sector or year are left out, as the plan has it."
    )
    words: Words = Words(record=("row", "rows"), row=("cell", "cells"), unit="people")
    mechanisms: tuple[AnyMechanism, ...] = (
        history.SPEC,
        history_histogram.SPEC,
        observed_mean.SPEC,
        approximate_quantiles.SPEC,
        discrete_gaussian.SPEC,
        job_year.SPEC,
    )
    baselines: tuple[AnyBaseline, ...] = (cell_threshold.SPEC, cell_suppression.SPEC)
    checks: tuple[AnyCheck, ...] = (
        exact_loss.SPEC,
        declared_law.SPEC,
        black_box.SPEC,
        completeness.SPEC,
        last_person.SPEC,
    )
    measures: tuple[AnyMeasure, ...] = (percentage_error.SPEC, percentile_error.SPEC, institution_pages.SPEC)
    explorations: tuple[AnyExploration, ...] = (noise_of_methods.SPEC, budget_by_year.SPEC, paths.SPEC)
    solver: ShareSolver = SOLVER

    def problems(self, inputs: Inputs, params: OutcomeReportsParams) -> tuple[Problem, ...]:
        found = column_choices.problems_of(inputs, params)
        fixed = tuple(name for name in (params.institution, *params.titles) if name)
        return found or (*list_problems(inputs, params), *planning_problems(inputs, fixed))

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        return by_names(facts, _NAMES)

    def size(self, inputs: Inputs, params: OutcomeReportsParams) -> int:
        return layout_of(inputs, params).rows

    def prepare(self, inputs: Inputs, params: OutcomeReportsParams, context: Context) -> Outcomes:
        return outcomes(inputs, params, context)

    def describe(self, prepared: Outcomes) -> tuple[Finding, ...]:
        return described(prepared)

    def example_cell(self) -> ExampleCell:
        return ExampleCell(
            words="a count of a block of 10 years and 3 sectors",
            case={"years": 10, "sectors": 3, "count": 100, "cap": 250_000},
        )

    def groups_behind(self, prepared: Outcomes) -> Contributors:  # noqa: ARG002 - years overlap in people
        return nobody_knows

    def public_table(self, prepared: Outcomes, drawn: Columns) -> Published:
        keys = tuple(prepared.layout.columns())
        notes = (MODEL_NOTE, *parts_note(drawn.beside))
        return Published(columns=(*keys, *drawn.columns), beside=_named(keys, drawn.beside), notes=notes)

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        return (*standard_files(published), *report_files(published))

    def side_by_side(self, prepared: Outcomes, table: Published, rivals: tuple[Rival, ...]) -> tuple[SideBySide, ...]:
        truth = prepared.truth.reveal().astype(np.float64)
        values = [column for column in table.value_columns if isinstance(column, Units)]
        compared = tuple(
            Compared(
                name=column.name,
                unit=column.unit,
                relative=place < 5,
                columns=beside(truth[:, place], rivals, column.numbers(), place=place),
            )
            for place, column in enumerate(values)
        )
        return (
            SideBySide(
                title="Cells",
                key_titles=tuple(key.title or key.name for key in prepared.layout.keys),
                keys=prepared.layout.names(),
                compared=compared,
                flagged=far_off(values[0].numbers(), truth[:, 0]),
                flag_rule=far_off_rule("count", "people"),
            ),
        )


def _named(keys: tuple[Coded, ...], drawn: Columns | None) -> Published | None:
    """What was drawn beside the report, with the names of its cells."""
    if drawn is None:
        return None
    cell = drawn.coded(CELL).codes
    named = tuple(replace(key, codes=key.codes[cell]) for key in keys)
    return Published(columns=(*named, *(column for column in drawn.columns if column.name != CELL)), records=True)


SPEC = OutcomeReports()

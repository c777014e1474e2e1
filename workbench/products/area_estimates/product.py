"""Area estimates: a regression of an outcome on parents' rank in every small area, published with privacy.

Source: Chetty and Friedman (2019) and the Opportunity Atlas, whose maximum observed sensitivity stands beside a noisy
table of fractional sums that is differentially private and more accurate.
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
from workbench.baselines.suppression import baseline as cell_suppression
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.findings import Finding
from workbench.core.progress import Context
from workbench.core.published import Coded, Columns, Published
from workbench.core.side_by_side import Compared, SideBySide
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
from workbench.products.area_estimates import count_threshold
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.audit import noise_law, observed_sensitivity, one_child, table_sampler
from workbench.products.area_estimates.card import CARD
from workbench.products.area_estimates.columns import MARGIN, notes_of, truth
from workbench.products.area_estimates.dollars import DOLLARS, dollar_problems
from workbench.products.area_estimates.explorations import (
    area_map,
    envelope,
    rank_rank,
    single_cell,
    tails_by_epsilon,
    two_areas,
)
from workbench.products.area_estimates.facts import facts_of
from workbench.products.area_estimates.input import area_data
from workbench.products.area_estimates.mechanisms import (
    adassp,
    dp_theil_sen,
    fractional_gaussian,
    fractional_table,
    mos,
    noisy_stats,
    plain_laplace,
)
from workbench.products.area_estimates.params import COMPARISON, AreaEstimatesParams
from workbench.products.area_estimates.places import AREAS, Places, list_problems, places_of
from workbench.products.area_estimates.usefulness import cell_error, coverage, decomposition, tails
from workbench.products.area_estimates.usefulness.budget_solver import SOLVER
from workbench.products.contract import ExampleCell
from workbench.products.solver import AnySolver
from workbench.utility.contract import AnyMeasure

COMPANIONS = (
    Companion(
        name=AREAS,
        title="Areas",
        help="Every area that is published, one row each, with its larger area and, if known, coordinates; public.",
        required=False,
    ),
    Companion(
        name=DOLLARS,
        title="Dollars by rank",
        help="What each rank of the outcome earns: two columns, rank and dollars; public. Estimates are converted.",
        required=False,
    ),
)
_NAMES = (
    NameWord(Role.PERSON_KEY, ("person", "child", "identifier"), ("id", "pid"), "a person"),
    NameWord(Role.CELL, ("tract", "area", "cell"), (), "a small area"),
    NameWord(Role.PREDICTOR, ("parent", "rank"), ("x",), "the predictor"),
    NameWord(Role.OUTCOME, ("outcome", "kid", "birth", "income"), ("y",), "an outcome"),
    NameWord(Role.GROUP, ("race", "sex", "gender"), (), "a group"),
    NameWord(Role.WEIGHT, ("weight",), ("wt",), "a weight"),
    NameWord(COMPARISON, ("treated", "after"), (), "what is compared"),
)


@dataclass(frozen=True, slots=True)
class AreaEstimates:
    """Binds people in areas to the mechanisms, the audit and the measures of area estimates."""

    id: str = CARD.id
    version: int = CARD.version
    title: str = CARD.title
    summary: str = CARD.summary
    params: type[AreaEstimatesParams] = AreaEstimatesParams
    roles: tuple[Role, ...] = (
        Role.CELL,
        Role.GROUP,
        Role.PREDICTOR,
        Role.OUTCOME,
        Role.PERSON_KEY,
        Role.WEIGHT,
        COMPARISON,
    )
    companions: tuple[Companion, ...] = COMPANIONS
    data_checks: tuple[DataCheck, ...] = common_checks(
        "Rows outside the listed areas and groups are left out, as the plan has it."
    )
    words: Words = Words(record=("person", "people"), row=("cell", "cells"), unit="outcome")
    mechanisms: tuple[AnyMechanism, ...] = (
        fractional_table.SPEC,
        mos.SPEC,
        fractional_gaussian.SPEC,
        noisy_stats.SPEC,
        dp_theil_sen.SPEC,
        adassp.SPEC,
        plain_laplace.GLOBAL,
        plain_laplace.LOCAL,
    )
    baselines: tuple[AnyBaseline, ...] = (count_threshold.SPEC, cell_suppression.SPEC)
    checks: tuple[AnyCheck, ...] = (
        exact_loss.SPEC,
        declared_law.SPEC,
        table_sampler.SPEC,
        noise_law.SPEC,
        observed_sensitivity.SPEC,
        one_child.SPEC,
        completeness.SPEC,
    )
    measures: tuple[AnyMeasure, ...] = (cell_error.SPEC, tails.SPEC, decomposition.SPEC, coverage.SPEC)
    explorations: tuple[AnyExploration, ...] = (
        single_cell.SPEC,
        envelope.SPEC,
        tails_by_epsilon.SPEC,
        rank_rank.SPEC,
        area_map.SPEC,
        two_areas.SPEC,
    )
    solver: AnySolver = SOLVER

    def problems(self, inputs: Inputs, params: AreaEstimatesParams) -> tuple[Problem, ...]:
        wrong = column_choices.problems_of(inputs, params)
        return wrong or (*list_problems(inputs, params), *dollar_problems(inputs, params))

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        return by_names(facts, _NAMES)

    def size(self, inputs: Inputs, params: AreaEstimatesParams) -> int:
        return places_of(inputs, params).cells * len(params.outcomes)

    def prepare(self, inputs: Inputs, params: AreaEstimatesParams, context: Context) -> AreaData:
        return area_data(inputs, params, context)

    def describe(self, prepared: AreaData) -> tuple[Finding, ...]:
        return facts_of(prepared)

    def example_cell(self) -> ExampleCell:
        return ExampleCell(words="the estimate at the first rank of an area of 100 people", case={"people": 100})

    def groups_behind(self, prepared: AreaData) -> Contributors:  # noqa: ARG002 - estimates do not add up
        return nobody_knows

    def public_table(self, prepared: AreaData, drawn: Columns) -> Published:
        return Published(columns=(*_keys(prepared), *drawn.columns), notes=notes_of(drawn))

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        return standard_files(published)

    def side_by_side(self, prepared: AreaData, table: Published, rivals: tuple[Rival, ...]) -> tuple[SideBySide, ...]:
        exact = truth(prepared)
        compared, names = [], exact.names
        for place, name in enumerate(names):
            declared = table.units(name)
            columns = beside(exact.units(name).numbers(), rivals, declared.numbers(), place)
            compared.append(
                Compared(
                    name=name, unit=declared.unit, decimals=declared.decimals, relative=name == "count",
                    columns=columns,
                )
            )  # fmt: skip
        first = prepared.rank_names()[0]
        margin = exact.units(f"{first}_{MARGIN}").numbers()
        off = np.abs(table.units(first).numbers() - exact.units(first).numbers())
        return (
            SideBySide(
                title="Cells",
                key_titles=tuple(key.name for key in _keys(prepared)),
                keys=tuple(tuple(key.texts()) for key in _keys(prepared)),
                compared=tuple(compared),
                flagged=Confidential(off > margin),
                flag_rule=f"Flagged: {first} is off by more than the sampling margin.",
            ),
        )


def _keys(prepared: AreaData) -> tuple[Coded, ...]:
    """The outcome where there are several, the groups, the area."""
    places, outcomes = prepared.places, prepared.outcomes
    cells = _cell_keys(places, len(outcomes))
    if len(outcomes) == 1:
        return cells
    codes = np.repeat(np.arange(len(outcomes), dtype=np.int32), places.cells)
    return (Coded(name="outcome", codes=codes, values=tuple(each.name for each in outcomes)), *cells)


def _cell_keys(places: Places, times: int) -> tuple[Coded, ...]:
    groups, areas = len(places.groups), len(places.areas)
    made = []
    for place, name in enumerate(places.group_columns):
        values = tuple(dict.fromkeys(group[place] for group in places.groups))
        of_group = np.array([values.index(group[place]) for group in places.groups], np.int32)
        made.append(Coded(name=name, codes=np.tile(np.repeat(of_group, areas), times), values=values))
    area = np.tile(np.arange(areas, dtype=np.int32), groups * times)
    return (*made, Coded(name=places.area_column, codes=area, values=places.areas))


SPEC = AreaEstimates()

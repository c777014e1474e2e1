"""Employment tables: jobs counted by workplace and worker attributes, every cell of the public domain included.

The employer-employee tables of Haney et al. (2017): place × sector × ownership, with or without worker attributes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.audit import black_box, completeness, exact_loss
from workbench.audit.contract import AnyCheck
from workbench.audit.declared_law import check as declared_law
from workbench.audit.differencing.group_sizes import Contributors
from workbench.baselines.alternatives import Rival
from workbench.baselines.columns import columns
from workbench.baselines.contract import AnyBaseline
from workbench.baselines.suppression import baseline as cell_suppression
from workbench.core.errors import Problem, raise_if
from workbench.core.findings import Finding
from workbench.core.nearest import did_you_mean
from workbench.core.params import to_plain
from workbench.core.progress import Context, Part
from workbench.core.published import Columns, Published
from workbench.core.same_table import table_digest
from workbench.core.side_by_side import Compared, SideBySide, far_off, far_off_rule
from workbench.core.words import Words
from workbench.explorations.contract import AnyExploration
from workbench.mechanisms.contract import AnyMechanism
from workbench.microdata import columns as column_choices
from workbench.microdata.checks import DataCheck
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.job_checks import JOB_CHECKS
from workbench.microdata.job_suggestions import suggest_job_roles
from workbench.microdata.roles import Role, Roles, columns_with
from workbench.microdata.suggest import Facts, Suggestion, only_offered
from workbench.microdata.table import CodedColumn, Microdata
from workbench.outputs.contract import OutputFile
from workbench.outputs.standard import standard_files
from workbench.products.contract import ExampleCell
from workbench.products.employment_tables import noise_infusion
from workbench.products.employment_tables.audit import requirements
from workbench.products.employment_tables.audit.attacks import check as attacks
from workbench.products.employment_tables.audit.differencing_truth import establishments_in
from workbench.products.employment_tables.card import CARD
from workbench.products.employment_tables.explorations import least_epsilon, paper_grid, prior_to_posterior
from workbench.products.employment_tables.facts import facts, weights_ignored
from workbench.products.employment_tables.files import files_beside
from workbench.products.employment_tables.job_index import index_of
from workbench.products.employment_tables.keys import key_columns, key_titles
from workbench.products.employment_tables.mechanisms import laplace, node_down_sensitivity, node_truncation
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block import laplace as block_laplace
from workbench.products.employment_tables.mechanisms.cell import (
    log_laplace,
    log_staircase,
    smooth_gamma,
    smooth_laplace,
)
from workbench.products.employment_tables.params import DomainKind, EmploymentTablesParams
from workbench.products.employment_tables.published import jobs_of, public_table
from workbench.products.employment_tables.size_codes import size_code_problems
from workbench.products.employment_tables.tabulation.attributes import attribute_of
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.tabulation.engine import count_cells, tabulate
from workbench.products.employment_tables.tabulation.margin_names import margins_of
from workbench.products.employment_tables.tabulation.register import register_problems
from workbench.products.employment_tables.usefulness import (
    bias,
    contest,
    l1_error,
    margin_error,
    ranking,
    relative_error,
)
from workbench.products.employment_tables.usefulness.budget_solver import SOLVER
from workbench.products.employment_tables.words import JOBS
from workbench.products.solver import AnySolver
from workbench.utility.contract import AnyMeasure


@dataclass(frozen=True, slots=True, kw_only=True)
class EmploymentCells(Cells):
    """Cells that know what their count is called when it is published, and which weights they leave out of account."""

    value_name: str = "jobs"
    weights: tuple[str, ...] = ()


REGISTER = "register"
COMPANIONS = (
    Companion(
        name=REGISTER,
        title="Public register",
        help="Every workplace cell to list, in the table's own columns, for example from the business register.",
        required=False,
    ),
)
_SAME_CELLS = ("workplace", "worker", "value_name", "domain", "marginals")


@dataclass(frozen=True, slots=True)
class EmploymentTables:
    """Binds data roles to the mechanisms, baselines, checks and measures that fit counts of jobs."""

    id: str = CARD.id
    version: int = CARD.version
    title: str = CARD.title
    summary: str = CARD.summary
    params: type[EmploymentTablesParams] = EmploymentTablesParams
    roles: tuple[Role, ...] = (
        Role.ESTABLISHMENT,
        Role.WORKER,
        Role.WORKPLACE,
        Role.PERSON,
        Role.GEOGRAPHY,
        Role.WEIGHT,
    )
    mechanisms: tuple[AnyMechanism, ...] = (
        block_gamma.SPEC,  # what a new plan begins with: it protects employers and workers
        log_staircase.SPEC,
        block_laplace.SPEC,
        smooth_gamma.SPEC,
        log_laplace.SPEC,
        smooth_laplace.SPEC,
        laplace.SPEC,
        node_truncation.SPEC,
        node_down_sensitivity.SPEC,
    )
    baselines: tuple[AnyBaseline, ...] = (noise_infusion.SPEC, cell_suppression.SPEC)
    checks: tuple[AnyCheck, ...] = (
        exact_loss.SPEC,
        black_box.SPEC,
        declared_law.SPEC,
        completeness.SPEC,
        requirements.SPEC,
        attacks.SPEC,
    )
    measures: tuple[AnyMeasure, ...] = (
        l1_error.SPEC,
        ranking.SPEC,
        relative_error.SPEC,
        contest.SPEC,
        margin_error.SPEC,
        bias.SPEC,
    )
    data_checks: tuple[DataCheck, ...] = JOB_CHECKS
    words: Words = JOBS
    companions: tuple[Companion, ...] = COMPANIONS
    explorations: tuple[AnyExploration, ...] = (least_epsilon.SPEC, prior_to_posterior.SPEC, paper_grid.SPEC)
    solver: AnySolver = SOLVER

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        return only_offered(suggest_job_roles(facts), self.roles)

    def problems(self, inputs: Inputs, params: EmploymentTablesParams) -> tuple[Problem, ...]:
        microdata, roles = inputs.microdata, inputs.roles
        register = _register(inputs, params)
        return (
            *_role_problems(microdata, roles),
            *params.check(),
            *column_choices.problems_of(inputs, params),
            *(register_problems(register, _workplaces(inputs, params)) if register is not None else ()),
            *_selection_problems(inputs, params),
        )

    def same_table(self, params: EmploymentTablesParams) -> str:
        """A title and a longer list of empty cells make no other table, nor does an attribute that changes sides."""
        left = {name: value for name, value in to_plain(params).items() if name not in _SAME_CELLS}
        return table_digest(self.id, columns=(*params.workplace, *params.worker), settings=left)

    def size(self, inputs: Inputs, params: EmploymentTablesParams) -> int:
        return count_cells(
            index_of(inputs.microdata, inputs.roles),
            workplace=params.workplace,
            worker=params.worker,
            domain=params.domain,
            register=_register(inputs, params),
            select=params.chosen,
        )

    def prepare(self, inputs: Inputs, params: EmploymentTablesParams, context: Context) -> Cells:
        """Refuses attributes that tell employers' sizes: that is only to be seen once jobs are counted."""
        index = index_of(inputs.microdata, inputs.roles, Part(context, 0.0, 0.5))
        raise_if(index.problems_with((*params.workplace, *params.worker, *params.chosen)))
        workplace, worker = (
            (*shown, *(name for name in params.chosen if name in known and name not in shown))
            for shown, known in ((params.workplace, index.workplace), (params.worker, index.worker))
        )
        raise_if(size_code_problems(index, workplace=workplace, worker=worker, context=Part(context, 0.5, 0.55)))
        cells = tabulate(
            index,
            workplace=params.workplace,
            worker=params.worker,
            domain=params.domain,
            contributions=True,
            register=_register(inputs, params),
            select=params.chosen,
            context=Part(context, 0.55, 1.0),
        )
        margins = margins_of(params.marginals, (*params.workplace, *params.worker))
        known = {field.name: getattr(cells, field.name) for field in dataclasses.fields(Cells)} | {"margins": margins}
        weights = tuple(name for name in columns_with(inputs.roles, Role.WEIGHT) if name in inputs.microdata.columns)
        return EmploymentCells(**known, value_name=params.value_name, weights=weights)

    def describe(self, prepared: Cells) -> tuple[Finding, ...]:
        weights = prepared.weights if isinstance(prepared, EmploymentCells) else ()
        return (*facts(prepared), *weights_ignored(weights))

    def example_cell(self) -> ExampleCell:
        return ExampleCell(words="a cell of 100 jobs, all of one establishment", case={"count": 100, "largest": 100})

    def groups_behind(self, prepared: Cells) -> Contributors:
        return establishments_in(prepared)

    def public_table(self, prepared: Cells, drawn: Columns) -> Published:
        name = prepared.value_name if isinstance(prepared, EmploymentCells) else "jobs"
        return public_table(prepared, drawn, name)

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        return (*standard_files(published), *files_beside(published))

    def side_by_side(self, prepared: Cells, table: Published, rivals: tuple[Rival, ...]) -> tuple[SideBySide, ...]:
        true = prepared.count.reveal().astype(np.float64)
        private = jobs_of(table).astype(np.float64)
        beside = SideBySide(
            key_titles=key_titles(prepared.domain),
            keys=key_columns(prepared.domain, labelled=True),
            compared=(Compared(name="jobs", unit="jobs", columns=columns(true, rivals, private)),),
            flagged=far_off(private, true),
            flag_rule=far_off_rule("private value", "jobs"),
        )
        return (beside,)


def _register(inputs: Inputs, params: EmploymentTablesParams) -> Microdata | None:
    """The public file that lists the cells, where the plan asks for its list."""
    return inputs.companions.get(REGISTER) if params.domain is DomainKind.REGISTERED else None


def _workplaces(inputs: Inputs, params: EmploymentTablesParams) -> tuple[str, ...]:
    """The workplace attributes that the table shows or that are selected."""
    here = columns_with(inputs.roles, Role.WORKPLACE, Role.GEOGRAPHY)
    return (*params.workplace, *(name for name in params.chosen if name in here and name not in params.workplace))


def _selection_problems(inputs: Inputs, params: EmploymentTablesParams) -> tuple[Problem, ...]:
    """Values that no dictionary lists. Values that only the data show are not named."""
    found = []
    for name, values in params.chosen.items():
        column = inputs.microdata.columns.get(name)
        if not isinstance(column, CodedColumn):
            continue
        known = attribute_of(column).values
        for value in dict.fromkeys(value for value in values if value not in known):
            near = did_you_mean(value, known) if column.labels else ""
            do = near or "Use a code of the data dictionary"
            found.append(Problem(f"“{value}” is not a value of “{name}”", f"select.{name}.values", do))
    return tuple(found)


def _role_problems(microdata: Microdata, roles: Roles) -> tuple[Problem, ...]:
    found: list[Problem] = []
    establishments = columns_with(roles, Role.ESTABLISHMENT)
    if len(establishments) != 1:
        what = (
            "No column identifies the establishment"
            if not establishments
            else (f"{len(establishments)} columns are said to identify the establishment: {', '.join(establishments)}")
        )
        found.append(Problem(what, microdata.name, "Give the role establishment to exactly one column"))
    if not columns_with(roles, Role.WORKPLACE, Role.GEOGRAPHY):
        found.append(
            Problem(
                "No column describes workplaces",
                microdata.name,
                "Give the role workplace attribute or geography to at least one column",
            )
        )
    return tuple(found)


SPEC = EmploymentTables()

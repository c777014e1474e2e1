"""Commuting flows: where the workers of each workplace live, as synthetic residences drawn block by block.

OnTheMap's public-use flows: a population is the workers of a workplace area × characteristic, its residences are drawn
from the posterior predictive distribution of true residences and a public prior. Input is one row a job, or counts in
the LODES origin-destination layout; the geography and the prior are public files beside it.
Source: “Formal Privacy Guarantees and Analytical Validity of OnTheMap Public-Use Data” (2008).
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
from workbench.baselines.contract import AnyBaseline
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.findings import Finding
from workbench.core.params import to_plain
from workbench.core.progress import Context, Part
from workbench.core.published import Columns, Published
from workbench.core.same_table import table_digest
from workbench.core.side_by_side import SideBySide
from workbench.core.words import Words
from workbench.explorations.contract import AnyExploration
from workbench.mechanisms.contract import AnyMechanism
from workbench.microdata.checks import DataCheck
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.job_checks import JOB_CHECKS
from workbench.microdata.job_suggestions import suggest_job_roles
from workbench.microdata.roles import Role, columns_with
from workbench.microdata.suggest import Facts, Suggestion, only_offered
from workbench.microdata.table import CodedColumn, Microdata
from workbench.outputs.contract import OutputFile
from workbench.products.commuting_flows import flow_suppression, noisy_flows, synthetic_residences
from workbench.products.commuting_flows.audit import flow_budget, posterior_ratio
from workbench.products.commuting_flows.card import CARD
from workbench.products.commuting_flows.conditions import APPROVED
from workbench.products.commuting_flows.explorations import area_page, residence_map, trade_off, transition_heat_map
from workbench.products.commuting_flows.facts import facts
from workbench.products.commuting_flows.files import output_files
from workbench.products.commuting_flows.flows.geography import read_geography
from workbench.products.commuting_flows.flows.populations import FlowFacts, People, PreparedFlows, populate
from workbench.products.commuting_flows.flows.prior import read_prior
from workbench.products.commuting_flows.flows.structures import NO_PRIOR
from workbench.products.commuting_flows.input import GEOGRAPHY, PRIOR, input_problems, read_jobs
from workbench.products.commuting_flows.job_counts import NOTE
from workbench.products.commuting_flows.listing import REGISTER
from workbench.products.commuting_flows.params import CommutingFlowsParams, Sizes
from workbench.products.commuting_flows.sizes import rules_that_leave_out, size_notes, size_problems, size_rule
from workbench.products.commuting_flows.tables import beside, published
from workbench.products.commuting_flows.usefulness import both, distance, divergence
from workbench.products.commuting_flows.usefulness import completeness as flow_completeness
from workbench.products.commuting_flows.usefulness import trade_off as measured_trade_off
from workbench.products.contract import ExampleCell
from workbench.utility.contract import AnyMeasure

COMPANIONS = (
    Companion(
        name=GEOGRAPHY,
        title="Geography",
        help="Blocks with tract, PUMA, Super-PUMA, coordinates and, if known, population: one row a block; public.",
    ),
    Companion(
        name=PRIOR,
        title="Public prior",
        help="Last year's published flows, or another public table of commuting by block or tract.",
        required=False,
    ),
    Companion(
        name=REGISTER,
        title="Register of workplaces",
        help="Every workplace area that populations are listed for, with or without jobs: one row each; public.",
        required=False,
    ),
)


FLOWS = Words(record=("job", "jobs"), row=("flow", "flows"), unit="jobs")


@dataclass(frozen=True, slots=True)
class CommutingFlows:
    """Binds jobs, a geography and a public prior to the synthesiser, its audit and its measures."""

    id: str = CARD.id
    version: int = CARD.version
    title: str = CARD.title
    summary: str = CARD.summary
    params: type[CommutingFlowsParams] = CommutingFlowsParams
    roles: tuple[Role, ...] = (
        Role.GEOGRAPHY,
        Role.PERSON,
        Role.WORKPLACE,
        Role.WORKER,
        Role.ESTABLISHMENT,
        Role.COUNT,
        Role.WEIGHT,
    )
    mechanisms: tuple[AnyMechanism, ...] = (noisy_flows.SPEC, synthetic_residences.SPEC)
    baselines: tuple[AnyBaseline, ...] = (flow_suppression.SPEC,)
    checks: tuple[AnyCheck, ...] = (
        flow_budget.SPEC,
        posterior_ratio.SPEC,
        exact_loss.SPEC,
        black_box.SPEC,
        declared_law.SPEC,
        completeness.SPEC,
    )
    measures: tuple[AnyMeasure, ...] = (
        both.SPEC,
        divergence.SPEC,
        distance.SPEC,
        flow_completeness.SPEC,
        measured_trade_off.SPEC,
    )
    data_checks: tuple[DataCheck, ...] = JOB_CHECKS
    words: Words = FLOWS
    companions: tuple[Companion, ...] = COMPANIONS
    explorations: tuple[AnyExploration, ...] = (
        transition_heat_map.SPEC,
        area_page.SPEC,
        residence_map.SPEC,
        trade_off.SPEC,
    )
    solver: None = None

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        found = only_offered(suggest_job_roles(facts), self.roles)
        # Flows have no establishments that an attribute could describe: what describes a job describes its worker.
        asked = ((name, each) for name, each in found.items() if each.role == Role.WORKPLACE)
        return {**found, **{name: replace(each, role=Role.PERSON) for name, each in asked}}

    def problems(self, inputs: Inputs, params: CommutingFlowsParams) -> tuple[Problem, ...]:
        return (*input_problems(inputs, params), *size_problems(params))

    def same_table(self, params: CommutingFlowsParams) -> str:
        """The title of the value makes no other table."""
        left = {name: value for name, value in to_plain(params).items() if name != "value_name"}
        return table_digest(self.id, settings=left)

    def size(self, inputs: Inputs, params: CommutingFlowsParams) -> None:
        """Only the draw decides which residence blocks appear."""
        del inputs, params

    def prepare(self, inputs: Inputs, params: CommutingFlowsParams, context: Context) -> PreparedFlows:
        context.step(0.0, "Reading the geography")
        geography, geography_facts = read_geography(inputs.companions[GEOGRAPHY], params.geography_columns)
        context.step(0.1, "Reading the public prior")
        beside_data = inputs.companions.get(PRIOR)
        prior = read_prior(beside_data, params.prior_columns, geography) if beside_data is not None else NO_PRIOR
        context.step(0.2, "Reading the jobs")
        read = read_jobs(inputs, params, geography)
        divided = ("segment",) if params.segments else params.characteristics
        labels = tuple(_in_words(inputs.microdata, params.characteristics, texts) for texts in read.keys)
        return populate(
            read.jobs,
            geography,
            characteristic=tuple(" × ".join(words) or "all" for words in labels),
            prior=prior,
            sizes=size_rule(params),
            facts=FlowFacts(
                geography=geography_facts,
                prior_unknown=prior.unknown,
                settings=params.support_settings,
                minimum_size=params.minimum_size,
                sizes_are_true=params.sizes is Sizes.TRUE,
                outside=Confidential(read.outside),
                unjudged=Confidential(read.unjudged),
                too_small=Confidential(np.empty(0, np.int64)),
                columns=(params.work, *divided, params.home),
                keys=read.keys,
                labels=labels,
                value_name=params.value_name,
                job_counts=params.job_counts,
                count_notes=(NOTE,) if params.job_counts else (),
                listed=read.listed,
                unknown_home=read.unknown_home,
                size_notes=size_notes(params, sets=read.sets),
                left_out=rules_that_leave_out(params),
            ),
            notes=_support_notes(params, prior.name),
            people=People(
                jobs=params.jobs_per_worker,
                sets=read.sets,
                one_home=bool(columns_with(inputs.roles, Role.WORKER)),
            ),
            context=Part(context, 0.3, 1.0),
        )

    def describe(self, prepared: PreparedFlows) -> tuple[Finding, ...]:
        return facts(prepared)

    def example_cell(self) -> ExampleCell:
        words = "a population of 100 workers over 100 support points without public prior"
        return ExampleCell(words=words, case={"count": 100, "largest": 100})

    def groups_behind(self, prepared: PreparedFlows) -> Contributors:
        """A residence row is synthetic: nothing can be derived from it by subtraction."""
        del prepared
        return nobody_knows

    def public_table(self, prepared: PreparedFlows, drawn: Columns) -> Published:
        return published(prepared, drawn)

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        return output_files(published)

    def side_by_side(
        self, prepared: PreparedFlows, table: Published, rivals: tuple[Rival, ...]
    ) -> tuple[SideBySide, ...]:
        return (beside(prepared, table, rivals),)


def _in_words(microdata: Microdata, columns: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """What the dictionary calls these values; what has no column, such as a class of jobs, is a word already."""
    found = list(texts)
    for place, name in enumerate(columns):
        column = microdata.columns[name]
        if isinstance(column, CodedColumn):
            found[place] = column.labels.get(texts[place], texts[place])
    return tuple(found)


def _support_notes(params: CommutingFlowsParams, prior: str) -> tuple[str, ...]:
    known = f"the public file {prior}" if prior else "public population figures, as no prior is loaded"
    known = f"{prior.removeprefix(APPROVED)}, approved in this project" if prior.startswith(APPROVED) else known
    return (
        f"Support points follow from the public geography, from {known} and from the public seed "
        f"{params.elimination_seed}, none of them made from the confidential data.",
    )


SPEC = CommutingFlows()

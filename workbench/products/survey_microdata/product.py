"""Survey microdata: respondents' answers as a public-use file, with what estimates from it need.

Source: the noise barrier of the 2020 Census Barriers, Attitudes and Motivators Survey (randomised response and Laplace
noise on every answer). Beside it stand a better local method, and tables with noise in the central model with a file
made from nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.audit import completeness, exact_loss
from workbench.audit.contract import AnyCheck
from workbench.audit.declared_law import check as declared_law
from workbench.audit.differencing.group_sizes import Contributors, nobody_knows
from workbench.baselines.alternatives import ProtectedFile, Rival
from workbench.baselines.columns import headed
from workbench.baselines.contract import AnyBaseline
from workbench.core.arrays import Bools, Floats
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, Problem
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context
from workbench.core.published import Columns, Published
from workbench.core.quantities import counted, show
from workbench.core.side_by_side import Beside, Compared, Marks, Side, SideBySide
from workbench.core.words import Words
from workbench.explorations.contract import AnyExploration
from workbench.mechanisms.contract import AnyMechanism
from workbench.microdata import columns as column_choices
from workbench.microdata.checks import DataCheck, common_checks
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts, NameWord, Suggestion, by_names
from workbench.outputs.contract import OutputFile
from workbench.products.contract import ExampleCell
from workbench.products.survey_microdata import layout, recodings, suppressed_tables
from workbench.products.survey_microdata.audit import linkage, noise_barrier, table_noise, table_sampler
from workbench.products.survey_microdata.card import CARD
from workbench.products.survey_microdata.central import pairs_file, pairs_gaussian
from workbench.products.survey_microdata.estimation.shares import (
    Estimates,
    answer_names,
    estimates,
    true_estimates,
)
from workbench.products.survey_microdata.explorations import (
    attack_curve,
    crosstab,
    design_matrix,
    record_budget,
    trade_off,
)
from workbench.products.survey_microdata.files import output_files
from workbench.products.survey_microdata.input import domain_problems, survey_data
from workbench.products.survey_microdata.local import grid_rr, joint_rr, krr_laplace
from workbench.products.survey_microdata.params import SurveyMicrodataParams
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.products.survey_microdata.usefulness import dimensions, estimate_error
from workbench.utility.contract import AnyMeasure

_NAMES = (
    NameWord(Role.RESPONDENT, ("respondent", "identifier", "person"), ("id", "pid", "case"), "a respondent"),
    NameWord(Role.WEIGHT, ("weight",), ("wt", "wgt"), "a weight"),
    NameWord(
        Role.ANSWER,
        ("q", "age", "sex", "race", "region", "education", "income", "percent", "item", "household"),
        ("pct", "language"),
        "an answer",
    ),
)
_FAR_POINTS = 2.0


@dataclass(frozen=True, slots=True)
class SurveyMicrodata:
    """Binds respondents' answers to the methods, the attacks and the measures of survey microdata."""

    id: str = CARD.id
    version: int = CARD.version
    title: str = CARD.title
    summary: str = CARD.summary
    params: type[SurveyMicrodataParams] = SurveyMicrodataParams
    roles: tuple[Role, ...] = (Role.ANSWER, Role.RESPONDENT, Role.WEIGHT)
    companions: tuple[Companion, ...] = ()
    data_checks: tuple[DataCheck, ...] = common_checks(
        "Answers outside a declared list count as missing, or as the plan says under “Missing counts as”."
    )
    words: Words = Words(record=("respondent", "respondents"), row=("record", "records"), unit="respondents")
    mechanisms: tuple[AnyMechanism, ...] = (
        pairs_file.SPEC,
        pairs_gaussian.SPEC,
        krr_laplace.SPEC,
        grid_rr.SPEC,
        joint_rr.SPEC,
    )
    baselines: tuple[AnyBaseline, ...] = (recodings.SPEC, suppressed_tables.SPEC)
    checks: tuple[AnyCheck, ...] = (
        exact_loss.SPEC,
        declared_law.SPEC,
        completeness.SPEC,
        noise_barrier.SPEC,
        table_noise.SPEC,
        table_sampler.SPEC,
        linkage.SPEC,
    )
    measures: tuple[AnyMeasure, ...] = (estimate_error.SPEC, dimensions.SPEC)
    explorations: tuple[AnyExploration, ...] = (
        record_budget.SPEC,
        trade_off.SPEC,
        design_matrix.SPEC,
        attack_curve.SPEC,
        crosstab.SPEC,
    )
    solver: None = None

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        return by_names(facts, _NAMES)

    def problems(self, inputs: Inputs, params: SurveyMicrodataParams) -> tuple[Problem, ...]:
        return (*column_choices.problems_of(inputs, params), *domain_problems(inputs, params))

    def size(self, inputs: Inputs, params: SurveyMicrodataParams) -> None:
        """None: a central file has as many records as its noisy total."""

    def prepare(self, inputs: Inputs, params: SurveyMicrodataParams, context: Context) -> SurveyData:
        return survey_data(inputs, params, context)

    def describe(self, prepared: SurveyData) -> tuple[Finding, ...]:
        cells = layout.cell_rows(prepared.categories, ())
        said = (
            f"A record has {len(prepared.variables)} variables with {int(prepared.categories.sum()):,} categories; all "
            f"pairs of them make {len(cells) - 1 - int(prepared.categories.sum()):,} two-way cells."
        )
        return (
            Finding(id="survey.described", title="What is released", status=Status.INFO, sentence=said),
            _settled(prepared),
            *_weighed(prepared),
        )

    def example_cell(self) -> ExampleCell:
        return ExampleCell(words="an answer of a survey of 40 variables", case={"variables": 40})

    def groups_behind(self, prepared: SurveyData) -> Contributors:  # noqa: ARG002 - records have no contributors
        return nobody_knows

    def public_table(self, prepared: SurveyData, drawn: Columns) -> Published:
        return layout.published(prepared.variables, drawn)

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        return output_files(published)

    def side_by_side(
        self, prepared: SurveyData, table: Published, rivals: tuple[Rival, ...]
    ) -> tuple[SideBySide, ...]:  # fmt: skip
        """Shares of answers and means, each with its interval: records of different methods are nobody's in common."""
        truth = true_estimates(prepared)
        others = [(rival, heading, _of(prepared, rival)) for rival, heading in headed(rivals)]
        ours = estimates(prepared.variables, table)
        tabled = [not variable.number for variable in prepared.variables for _ in range(variable.categories)]
        shares = np.array(tabled, dtype=np.bool_)  # of the rows of one-way tables, those that are laid side by side
        laid = []
        if len(truth.shares):
            laid.append(_laid("Shares of answers", "share", "%", answer_names(prepared.variables), "shares",
                              truth, others, ours, shares))  # fmt: skip
        if len(truth.means):
            names = tuple((variable.name, "mean") for variable in prepared.variables if variable.number)
            laid.append(_laid("Means", "mean", "", names, "means", truth, others, ours, shares))
        return tuple(laid)


def _of(prepared: SurveyData, rival: Rival) -> Estimates:
    if not isinstance(rival.gives, ProtectedFile):
        raise Defect("a rival of a record file gives no file")
    return estimates(prepared.variables, rival.gives.published.reveal())


def _laid(
    title: str, name: str, unit: str, keys: Sequence[tuple[str, str]], which: str, truth: Estimates,
    others: Sequence[tuple[Rival, str, Estimates]], ours: Estimates, shares: Bools,
) -> SideBySide:  # fmt: skip
    exact: Floats = getattr(truth, which)
    private: Floats = getattr(ours, which)
    columns = (
        Beside(side=Side.CONFIDENTIAL, values=Confidential(exact)),
        *(_other(rival, found, which, heading, shares) for rival, heading, found in others),
        _beside(Side.RELEASE, ours, which, "", ""),
    )
    return SideBySide(
        title=title,
        key_titles=("Question", "Answer"),
        keys=tuple(zip(*keys, strict=True)),
        compared=(Compared(name=name, unit=unit, decimals=2, columns=columns, relative=False),),
        flagged=Confidential(np.abs(private - exact) > _FAR_POINTS),
        flag_rule="Flagged: off by more than 2 points.",
    )


def _other(rival: Rival, found: Estimates, which: str, heading: str, shares: Bools) -> Beside:
    """A rival's estimates; where it withholds shares of answers, with why and between which bounds they lie."""
    column = _beside(rival.side, found, which, heading, rival.title)
    gone = rival.gives.withheld if isinstance(rival.gives, ProtectedFile) else None
    if gone is None or which != "shares":
        return column
    rows = 1 + np.flatnonzero(shares)  # the number of respondents comes first
    codes = gone.reason.reveal()[rows]
    low, high = (100.0 * each.reveal()[rows] / each.reveal()[0] for each in (gone.low, gone.high))
    return replace(
        column,
        about=f"{column.about}; bounds for an attacker who knows {gone.attacker}",
        low=Confidential(low),
        high=Confidential(high),
        marks=Marks(codes=Confidential(codes), words=gone.reasons),
    )


def _beside(side: Side, found: Estimates, which: str, heading: str, about: str) -> Beside:
    values: Floats = getattr(found, which)
    margins: Floats = getattr(found, f"{which[:-1]}_margins")
    return Beside(
        side=side,
        values=Confidential(values),
        title=heading,
        about=about,
        low=Confidential(values - margins),
        high=Confidential(values + margins),
    )


def _settled(prepared: SurveyData) -> Finding:
    """For the preparer, before any draw: how many values the plan's rule had to settle. Internal."""
    settled = prepared.settled.reveal() if prepared.settled is not None else np.zeros(len(prepared.variables), np.int64)
    rows = tuple(
        (name, count) for name, count in zip(prepared.names, settled.tolist(), strict=True) if count
    )  # fmt: skip
    if not rows:
        said = "Every answer is in its declared domain."
    else:
        said = "Some answers are missing or outside their declared domain; each counts as the plan's rule says."
    return Finding(
        id="survey.settled",
        title="Missing and undeclared answers",
        status=Status.INFO,
        sentence=said,
        tables=(Table(title="Answers settled by rule", columns=("variable", "records"), rows=rows),) if rows else (),
    )


def _weighed(prepared: SurveyData) -> tuple[Finding, ...]:
    """For the preparer, before any draw: what the declared largest weight does to the weights. Internal."""
    if prepared.weights is None:
        return ()
    if prepared.weighed is not None:
        held = prepared.weighed.reveal()
        at, without = held.at_most, held.without
    else:
        units = prepared.weights.reveal()
        at, without = int((units >= prepared.weighing.most).sum()), int((units == 0).sum())
    said = (
        f"{counted(at, 'respondent')} of {show(prepared.respondents.reveal())} reach the largest weight of "
        f"{show(prepared.weighing.largest)}, {show(without)} have none; the sample is worth "
        f"{show(prepared.worth, 3)} respondents of equal weight."
    )
    return (Finding(id="survey.weights", title="Weights", status=Status.INFO, sentence=said),)


SPEC = SurveyMicrodata()

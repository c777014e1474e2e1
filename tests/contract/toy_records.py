"""A whole product in one file, registered by tests only: a file of survey records that are categories alone.

It is everything that tables are not: a row for each respondent, alike or not; three columns of answers and no number; ε
for each of them in a table of settings; compared by estimates, with a file of swapped answers. Nothing outside this
file knows of it.

Formula: each answer, one of k, is kept with weight w = ⌊e^ε·2²⁰⌋ and replaced by each other one with weight 2²⁰.
Guarantee: ε-local differential privacy of each answer, since w/2²⁰ ≤ e^ε, and their sum for a respondent.
Rounding: none; the weights are integers, drawn exactly from uniform 64-bit words by rejection.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.contract.samples import Sample
from tests.contract.toy import Toy
from workbench.audit import black_box, exact_loss
from workbench.audit import completeness as integers
from workbench.audit.contract import AnyCheck
from workbench.audit.differencing.group_sizes import Contributors, nobody_knows
from workbench.baselines.alternatives import Alternative, ProtectedFile, Rival
from workbench.baselines.columns import headed
from workbench.baselines.contract import AnyBaseline
from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim, ClaimPart, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, Problem
from workbench.core.findings import Finding, Status
from workbench.core.params import Rows, param, rows
from workbench.core.progress import QUIET, Context
from workbench.core.published import Coded, ColumnRole, Columns, Published
from workbench.core.quantities import Epsilon, exact, show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.core.side_by_side import Beside, Compared, Side, SideBySide
from workbench.core.value_words import ValueName, declare
from workbench.core.words import Words
from workbench.explorations.contract import AnyExploration
from workbench.mechanisms.contract import AnyMechanism, Calibration, ExactLoss, NeighbourPair, NoCase, Release
from workbench.mechanisms.traits import Traits
from workbench.microdata import columns as column_choices
from workbench.microdata.checks import COMMON_CHECKS, DataCheck
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts, NameWord, Suggestion, by_names
from workbench.microdata.table import CodedColumn, Fingerprint, Microdata
from workbench.outputs.contract import OutputFile
from workbench.outputs.standard import standard_files
from workbench.products.contract import ExampleCell
from workbench.utility.contract import AnyMeasure, Comparison

declare({"distance": ValueName("Distance of the shares")})
ONE = 2**20
CHUNK = 4096
SECRET_NAME = "Zebulon"
ANSWERS = {"sex": ("f", "m"), "age": ("0-29", "30-59", "60+"), "health": ("bad", "fair", "good", "very good")}
EPSILONS = {"sex": "0.9", "age": "0.6", "health": "0.5"}
PAIR = "one respondent with one set of answers, or with another one in every column"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers of every respondent as codes into public lists, one column each."""

    lists: dict[str, tuple[str, ...]]
    codes: Confidential[NDArray[np.int8]]  # respondents × columns

    @property
    def rows(self) -> int:
        return len(self.codes.reveal())

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return ()

    def row_rule(self, release: Release) -> None:
        """None: there is a row for every respondent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableParams:
    epsilon: Epsilon = param(Epsilon("0.5"), "ε", "Spent on this answer.", gt=0, le=10, effect="dial")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseParams:
    variables: Rows[VariableParams] = rows(
        VariableParams, "Answers", "What each of them spends.", by="column", roles=(Role.ANSWER,),
        default={name: VariableParams(epsilon=Epsilon(each)) for name, each in EPSILONS.items()},
    )  # fmt: skip

    def weights(self) -> dict[str, int]:
        """The weight of the true answer, where each other one has 2²⁰."""
        return {name: math.floor(Decimal(each.epsilon).exp() * ONE) for name, each in self.variables.items()}

    def spent(self) -> float:
        return math.fsum(math.log(weight / ONE) for weight in self.weights().values())


@dataclass(frozen=True, slots=True)
class Response:
    id: str = "toy-response"
    version: int = 1
    title: str = "Randomised response"
    summary: str = "Every answer is kept or replaced by another one."
    params: type[ResponseParams] = ResponseParams
    case: type[NoCase] = NoCase
    traits: Traits = Traits(records=True, no_closed_form=True)

    def problems(self, prepared: Answers, params: ResponseParams) -> tuple[Problem, ...]:
        return tuple(
            Problem(f"“{name}” has no ε", "variables", f"Add a line for “{name}”")
            for name in prepared.lists
            if name not in params.variables
        )

    def claim(self, prepared: Answers | None, params: ResponseParams) -> Claim:
        each = {name: Decimal(row.epsilon) for name, row in params.variables.items()}
        whole = sum(each.values(), Decimal(0))
        return Claim(
            definition=Definition.LOCAL,
            unit="one respondent",
            epsilon=whole,
            sentence=f"The answers of one respondent change the odds by at most e^{exact(whole)} times.",
            assumptions=("Each respondent is one row.", "The lists of answers are public."),
            parts=tuple(ClaimPart(name=name, epsilon=epsilon) for name, epsilon in each.items()),
        )

    def release(self, prepared: Answers, params: ResponseParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(_drawn(prepared, params, rng, context), self, rng)

    def study(
        self, prepared: Answers, params: ResponseParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: Answers, params: ResponseParams) -> None:
        """None: a category has no error."""

    def exact_loss(self, prepared: Answers, params: ResponseParams, context: Context) -> ExactLoss:
        """Σ ln(w/2²⁰): reached by two sets of answers that differ in every column."""
        context.step(0.0, "loss of every answer")
        return ExactLoss(epsilon=params.spent(), delta=0.0, worst_cell=None, worst_pair=PAIR, data_free=True)

    def neighbours(self, prepared: Answers, params: ResponseParams, copies: int) -> tuple[NeighbourPair, ...]:
        first, second = (
            Answers(lists=prepared.lists, codes=Confidential(np.full((copies, len(prepared.lists)), code, np.int8)))
            for code in (0, 1)
        )
        return (
            NeighbourPair(
                description=PAIR, first=Confidential(first), second=Confidential(second), copies=copies,
                outputs=len(prepared.lists),
            ),
        )  # fmt: skip

    def calibrate(self, params: ResponseParams, case: NoCase) -> Calibration:
        changed = [ONE / (weight + ONE) for weight in params.weights().values()]  # of a yes or no
        return Calibration(scale=1.0, expected_absolute_error=max(changed), spent_epsilon=params.spent())


def _drawn(prepared: Answers, params: ResponseParams, rng: UniformWords, context: Context) -> Columns:
    weights, codes = params.weights(), prepared.codes.reveal()
    columns = []
    for place, (name, values) in enumerate(prepared.lists.items()):
        parts = []
        for start in range(0, max(len(codes), 1), CHUNK):
            share = (place + start / max(len(codes), 1)) / len(prepared.lists)
            context.step(share, f"drawing {name}")
            parts.append(_response(codes[start : start + CHUNK, place], weights[name], len(values), rng))
        columns.append(Coded(name=name, codes=np.concatenate(parts), role=ColumnRole.VALUE))
    context.step(1.0, "answers drawn")
    return Columns(columns=tuple(columns), records=True)


def _response(true: NDArray[np.int8], weight: int, many: int, rng: UniformWords) -> NDArray[np.int8]:
    """The first w of w + (k − 1)·2²⁰ equally likely numbers keep the answer, the others move it round the list."""
    drawn = _below(weight + (many - 1) * ONE, len(true), rng)
    away = np.where(drawn < weight, 0, 1 + (drawn - weight) // ONE)
    return ((true + away) % many).astype(np.int8)


def _below(bound: int, count: int, rng: UniformWords) -> Integers:
    """Uniform below the bound, exactly: words beyond its largest multiple are thrown away."""
    kept = np.zeros(0, np.uint64)
    while len(kept) < count:
        words = rng.words(count - len(kept) + 8)
        kept = np.concatenate([kept, words[words < np.uint64(2**64 // bound * bound)]])
    return (kept[:count] % np.uint64(bound)).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwappingParams:
    percent: int = param(10, "Swapped", "So many answers change places.", ge=0, le=100, unit="%")


@dataclass(frozen=True, slots=True)
class Swapping:
    id: str = "toy-swapping"
    version: int = 1
    title: str = "Swapped answers"
    summary: str = "Some answers of a column change places."
    params: type[SwappingParams] = SwappingParams

    def protect(self, prepared: Answers, params: SwappingParams, rng: StudyRandom, context: Context) -> Alternative:
        codes = prepared.codes.reveal().copy()
        for place, name in enumerate(prepared.lists):
            context.step(place / len(prepared.lists), f"swapping {name}")
            some = rng.generator.permutation(len(codes))[: len(codes) * params.percent // 100]
            codes[some, place] = codes[np.roll(some, 1), place]
        context.step(1.0, "answers swapped")
        return ProtectedFile(published=Confidential(_published(prepared.lists, codes)))


def _published(lists: dict[str, tuple[str, ...]], codes: NDArray[np.int8]) -> Published:
    columns = (
        Coded(name=name, codes=np.ascontiguousarray(codes[:, place]), values=values, role=ColumnRole.VALUE)
        for place, (name, values) in enumerate(lists.items())
    )
    return Published(columns=tuple(columns), records=True)


def shares(lists: dict[str, tuple[str, ...]], codes: NDArray[np.int8]) -> Floats:
    """The share of every answer, one column after the other."""
    counts = [np.bincount(codes[:, place], minlength=len(values)) for place, values in enumerate(lists.values())]
    return np.concatenate(counts) / max(len(codes), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareDistanceParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class ShareDistance:
    id: str = "toy-share-distance"
    version: int = 1
    title: str = "Distance of the shares"
    summary: str = "How far the shares of answers are from the true ones."
    params: type[ShareDistanceParams] = ShareDistanceParams

    def run(self, comparison: Comparison, params: ShareDistanceParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "counting answers")
        lists, true = comparison.prepared.lists, comparison.prepared.codes.reveal()
        off = float(np.abs(shares(lists, comparison.release.values) - shares(lists, true)).mean())
        context.step(1.0, "answers counted")
        said = f"The share of an answer is {show(off, 3)} off on average."
        return (Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said, values={"distance": off}),)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsParams:
    answers: tuple[str, ...] = param(tuple(ANSWERS), "Answers", "The columns to publish.", roles=(Role.ANSWER,))


@dataclass(frozen=True, slots=True)
class AnswerRecords:
    id: str = "toy_records"
    version: int = 1
    title: str = "Records of a survey"
    summary: str = "The answers of every respondent."
    params: type[RecordsParams] = RecordsParams
    roles: tuple[Role, ...] = (Role.ANSWER,)
    data_checks: tuple[DataCheck, ...] = COMMON_CHECKS
    words: Words = Words(record=("respondent", "respondents"), row=("record", "records"), unit="respondents")
    companions: tuple[Companion, ...] = ()
    mechanisms: tuple[AnyMechanism, ...] = (Response(),)
    baselines: tuple[AnyBaseline, ...] = (Swapping(),)
    checks: tuple[AnyCheck, ...] = (exact_loss.SPEC, black_box.SPEC, integers.SPEC)
    measures: tuple[AnyMeasure, ...] = (ShareDistance(),)
    explorations: tuple[AnyExploration, ...] = ()
    solver: None = None

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        return by_names(facts, (NameWord(Role.ANSWER, ("q",), tuple(ANSWERS), "a question"),))

    def problems(self, inputs: Inputs, params: RecordsParams) -> tuple[Problem, ...]:
        unlisted = (
            Problem(f"“{name}” has no list of answers", "answers", "Leave it out")
            for name in params.answers
            if name not in ANSWERS
        )
        return (*column_choices.problems_of(inputs, params), *unlisted)

    def size(self, inputs: Inputs, params: RecordsParams) -> int:
        return inputs.microdata.rows

    def prepare(self, inputs: Inputs, params: RecordsParams, context: Context) -> Answers:
        context.step(0.0, "reading the answers")
        lists = {name: ANSWERS[name] for name in params.answers}
        columns = [_listed(inputs.microdata.coded(name), values) for name, values in lists.items()]
        context.step(1.0, "answers read")
        return Answers(lists=lists, codes=Confidential(np.stack(columns, axis=1)))

    def describe(self, prepared: Answers) -> tuple[Finding, ...]:
        said = f"A record has {len(prepared.lists)} answers."
        return (Finding(id="records.answers", title="What is released", status=Status.INFO, sentence=said),)

    def example_cell(self) -> ExampleCell:
        return ExampleCell(words="the answer to a yes-or-no question", case={})

    def groups_behind(self, prepared: Answers) -> Contributors:
        return nobody_knows

    def public_table(self, prepared: Answers, drawn: Columns) -> Published:
        return _published(prepared.lists, drawn.values)

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        return standard_files(published)

    def side_by_side(self, prepared: Answers, table: Published, rivals: tuple[Rival, ...]) -> tuple[SideBySide, ...]:
        """Shares of answers: records of different methods have nothing to do with each other row by row."""
        lists = prepared.lists
        true, private = (shares(lists, codes) for codes in (prepared.codes.reveal(), table.values))
        columns = (
            Beside(side=Side.CONFIDENTIAL, values=Confidential(true)),
            *_others(lists, rivals),
            Beside(side=Side.RELEASE, values=Confidential(private)),
        )
        names = [(name, value) for name, values in lists.items() for value in values]
        made = SideBySide(
            key_titles=("Question", "Answer"), keys=tuple(zip(*names, strict=True)),
            compared=(Compared(name="share", unit="", decimals=3, columns=columns),),
            flagged=Confidential(np.abs(private - true) > 0.1), flag_rule="The share is off by more than 0.1.",
        )  # fmt: skip
        return (made,)


def _others(lists: dict[str, tuple[str, ...]], rivals: tuple[Rival, ...]) -> Iterator[Beside]:
    for rival, heading in headed(rivals):
        if not isinstance(rival.gives, ProtectedFile):
            raise Defect("a rival of a record file gives no file")
        found = Confidential(shares(lists, rival.gives.published.reveal().values))
        yield Beside(side=rival.side, values=found, title=heading, about=rival.title)


def _listed(column: CodedColumn, values: tuple[str, ...]) -> NDArray[np.int8]:
    """Codes into the public list, whatever order the data have; an empty cell is taken for the first answer."""
    place = np.array([*(values.index(str(value)) for value in column.values), 0], np.int8)
    return place[column.codes.reveal()]


SPEC = AnswerRecords()


def answers() -> NDArray[np.int8]:
    rng = np.random.Generator(np.random.PCG64(4))
    drawn = [rng.choice(len(values), 60, p=rng.dirichlet(np.full(len(values), 2.0))) for values in ANSWERS.values()]
    return np.stack(drawn, axis=1).astype(np.int8)


def names() -> list[str]:
    return [f"{SECRET_NAME} {number}" for number in range(len(answers()))]


def inputs() -> Inputs:
    codes = answers()
    columns: dict[str, Any] = {
        name: CodedColumn(name=name, codes=Confidential(np.ascontiguousarray(codes[:, place])), values=values)
        for place, (name, values) in enumerate(ANSWERS.items())
    }
    columns["name"] = CodedColumn(
        name="name", codes=Confidential(np.arange(len(codes), dtype=np.int8)), values=tuple(names())
    )
    microdata = Microdata(
        name="answers", rows=len(codes), columns=columns, fingerprint=Fingerprint(file="f", content="c")
    )  # fmt: skip
    return Inputs(microdata=microdata, roles={**dict.fromkeys(ANSWERS, Role.ANSWER), "name": Role.IGNORE})


def csv() -> str:
    lines = [",".join((*ANSWERS, "name"))]
    lists = list(ANSWERS.values())
    for name, row in zip(names(), answers().tolist(), strict=True):
        lines.append(",".join((*(values[code] for values, code in zip(lists, row, strict=True)), name)))
    return "\n".join(lines) + "\n"


PLAN = """version = 1

[release]
title = "Answers"
requester = "Planning office"
purpose = "A file for research."
authority = "Statistics Act"
period = "2026"
smallest_geography = "none"

[data]
path = "answers.csv"

[data.roles]
sex = "answer"
age = "answer"
health = "answer"
name = "ignore"

[product]
id = "toy_records"

[mechanism]
id = "toy-response"

[mechanism.variables.sex]
epsilon = 0.9

[mechanism.variables.age]
epsilon = 0.6

[mechanism.variables.health]
epsilon = 0.5

[baseline]
id = "toy-swapping"

[audit]
checks = ["exact-loss", "integers"]

[policy]
budget = 4.0
"""

TOY = Toy(
    product=SPEC,
    sample=Sample(
        source=lambda: (inputs(), RecordsParams()),
        prepared=cache(lambda: SPEC.prepare(inputs(), RecordsParams(), QUIET)),
        truth=lambda prepared: prepared.codes.reveal(),
        first_case=lambda _prepared, params: (params, {}),
        secrets=(SECRET_NAME,),
        decimals=(0, 0, 0),
    ),
    plan=PLAN,
    files={"answers.csv": csv()},
)

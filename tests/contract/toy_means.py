"""A whole product in one file, registered by tests only: counts and mean pay of areas, from people without employers.

It is everything that employment tables are not: two published columns, one with decimals that nobody can add up; a
claim that holds something of the data fixed and says what each column spends; a setting that is not called ε; data
without an establishment. Nothing outside this file knows of it. What it cannot do, the next products cannot either.

Formula: count + discrete Laplace(1/e), and mean in cents + discrete Laplace(Δ/e), e the ε of each column and Δ the
largest change of any mean, in whole cents, that one more person with a pay within the bounds could bring about.
Guarantee: none that is proved, because Δ is computed from the data; with Δ held fixed, ε = 2e for one person.
Rounding: means are rounded to cents before the noise; Δ has a cent more for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
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
from workbench.baselines.alternatives import ProtectedValues, Rival
from workbench.baselines.columns import columns as beside
from workbench.baselines.contract import AnyBaseline
from workbench.core.arrays import Integers
from workbench.core.claims import Claim, ClaimPart, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import QUIET, Context, Part
from workbench.core.published import Columns, Published, Units, coded
from workbench.core.quantities import Epsilon, show
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.core.side_by_side import Compared, SideBySide
from workbench.core.value_words import ValueName, declare
from workbench.core.words import Words
from workbench.explorations.contract import AnyExploration
from workbench.mechanisms.contract import AnyMechanism, Calibration, ExactLoss, NeighbourPair, NoCase, Release
from workbench.mechanisms.traits import PLAIN, Traits
from workbench.microdata import columns as column_choices
from workbench.microdata.checks import COMMON_CHECKS, DataCheck
from workbench.microdata.inputs import Companion, Inputs
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts, NameWord, Suggestion, by_names
from workbench.microdata.table import MISSING, CodedColumn, Fingerprint, Microdata, NumericColumn, numbers_of
from workbench.noise import discrete_laplace
from workbench.noise.exact_sampler import add_laplace
from workbench.outputs.contract import OutputFile
from workbench.outputs.standard import standard_files
from workbench.products.contract import ExampleCell
from workbench.utility.contract import AnyMeasure, Comparison

declare({"error": ValueName("Error in all")})
MOST_PAY = 100_000
SECRET_MEAN = 76_543.21
ROLES = {"area": Role.GROUP, "pay": Role.OUTCOME}
HELD = "the largest change of a mean by one person"


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaMeans:
    """Counts, and means in cents; `change` is Δ, in cents."""

    areas: tuple[str, ...]
    people: Confidential[NDArray[np.int64]]
    cents: Confidential[NDArray[np.int64]]
    change: Confidential[int]

    def truth(self) -> NDArray[np.int64]:
        return np.stack([self.people.reveal(), self.cents.reveal()], axis=1)

    @property
    def rows(self) -> int:
        return len(self.areas)

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return ()

    def row_rule(self, release: Release) -> None:
        """None: there is a row for every area."""


def columns(people: Integers, cents: Integers) -> Columns:
    counted = Units(name="people", integers=people)
    mean = Units(name="mean pay", integers=cents, decimals=2, unit="€", additive=False)
    return Columns(columns=(counted, mean))


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoLaplaceParams:
    each: Epsilon = param(Epsilon("0.75"), "ε of each column", "There are two, so that a release spends twice this.",
                          gt=0, le=50, effect="dial")  # fmt: skip


@dataclass(frozen=True, slots=True)
class TwoLaplace:
    id: str = "toy-two-laplace"
    version: int = 1
    title: str = "Laplace noise scaled by the observed change"
    summary: str = "Laplace noise on counts, and on means by the largest change that is seen in the data."
    params: type[TwoLaplaceParams] = TwoLaplaceParams
    traits: Traits = PLAIN
    case: type[NoCase] = NoCase

    def problems(self, prepared: AreaMeans, params: TwoLaplaceParams) -> tuple[Problem, ...]:
        return ()

    def claim(self, prepared: AreaMeans | None, params: TwoLaplaceParams) -> Claim:
        each = Decimal(params.each)
        return Claim(
            definition=Definition.CONDITIONAL,
            unit="one person",
            epsilon=2 * each,
            formal=False,
            sentence=f"While {HELD} stays as it is, one person changes the odds by at most e^{show(2 * each)} times.",
            assumptions=("Pay lies within its bounds.", "The list of areas is public."),
            parts=tuple(ClaimPart(name=name, epsilon=each) for name in ("people", "mean pay")),
            condition=HELD,
        )

    def release(
        self, prepared: AreaMeans, params: TwoLaplaceParams, rng: ReleaseRandom, context: Context
    ) -> Release:  # fmt: skip
        each = Fraction(params.each)
        people = add_laplace(prepared.people.reveal(), sensitivity=1, epsilon=each, context=Part(context, 0.0, 0.5))
        cents = add_laplace(prepared.cents.reveal(), sensitivity=prepared.change.reveal(), epsilon=each,
                            context=Part(context, 0.5, 1.0))  # fmt: skip
        return Release.of(columns(people, cents), self, rng)

    def study(
        self, prepared: AreaMeans, params: TwoLaplaceParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        context.step(0.0, "drawing noise for a study")
        truth, scales = prepared.truth(), _scales(prepared, params)
        drawn = [truth[:, i] + discrete_laplace.draw_for_study(len(truth), s, rng) for i, s in enumerate(scales)]
        context.step(1.0, "noise drawn for a study")
        return Confidential(columns(*drawn))

    def expected_error(
        self, prepared: AreaMeans, params: TwoLaplaceParams
    ) -> Confidential[NDArray[np.float64]]:  # fmt: skip
        """2q/(1 − q²) in each column, in the unit that is published."""
        grid = (1.0, 100.0)
        errors = [discrete_laplace.mean_absolute(s) / g for s, g in zip(_scales(prepared, params), grid, strict=True)]
        return Confidential(np.tile(errors, (len(prepared.areas), 1)))

    def exact_loss(self, prepared: AreaMeans, params: TwoLaplaceParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss of two columns")
        steps = (1, prepared.change.reveal())
        spent = sum(float(discrete_laplace.spent(d, s)) for d, s in zip(steps, _scales(prepared, params), strict=True))
        return ExactLoss(
            epsilon=spent, delta=0.0, worst_cell=None, worst_pair="one person more in an area", condition=HELD
        )

    def neighbours(self, prepared: AreaMeans, params: TwoLaplaceParams, copies: int) -> tuple[NeighbourPair, ...]:
        if not prepared.areas:
            return ()
        people, cents = prepared.truth()[0].tolist()
        change = prepared.change.reveal()
        more, fewer = (_repeated(n, m, change, copies) for n, m in ((people + 1, cents + change), (people, cents)))
        return (NeighbourPair(description="one person more in an area", first=Confidential(more),
                              second=Confidential(fewer), copies=copies, outputs=2),)  # fmt: skip

    def calibrate(self, params: TwoLaplaceParams, case: NoCase) -> Calibration:
        scale = discrete_laplace.scale_for(1, Fraction(params.each))
        return Calibration(
            scale=scale,
            expected_absolute_error=discrete_laplace.mean_absolute(scale),
            spent_epsilon=2 * float(discrete_laplace.spent(1, scale)),
        )


def _scales(prepared: AreaMeans, params: TwoLaplaceParams) -> tuple[float, float]:
    each = Fraction(params.each)
    return discrete_laplace.scale_for(1, each), discrete_laplace.scale_for(prepared.change.reveal(), each)


def _repeated(people: int, cents: int, change: int, copies: int) -> AreaMeans:
    return AreaMeans(
        areas=tuple(map(str, range(copies))), people=Confidential(np.full(copies, people, np.int64)),
        cents=Confidential(np.full(copies, cents, np.int64)), change=Confidential(change),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundingParams:
    base: int = param(5, "Base", "Counts are rounded to multiples of it, and means of fewer people left out.", ge=1)


@dataclass(frozen=True, slots=True)
class Rounding:
    id: str = "toy-rounding"
    version: int = 1
    title: str = "Rounding and suppression"
    summary: str = "Counts rounded to a base, means of few people left out."
    params: type[RoundingParams] = RoundingParams

    def protect(
        self, prepared: AreaMeans, params: RoundingParams, rng: StudyRandom, context: Context
    ) -> ProtectedValues:
        context.step(0.0, "rounding")
        people, cents = prepared.people.reveal(), prepared.cents.reveal()
        rounded = params.base * np.round(people / params.base)
        context.step(0.5, "leaving means out")
        means = np.where(people < params.base, np.nan, cents / 100)
        return ProtectedValues(values=Confidential(np.stack([rounded, means], axis=1).astype(np.float64)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnErrorParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class ColumnError:
    id: str = "toy-column-error"
    version: int = 1
    title: str = "Error by column"
    summary: str = "Mean absolute error of every published column."
    params: type[ColumnErrorParams] = ColumnErrorParams

    def run(self, comparison: Comparison, params: ColumnErrorParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "measuring")
        off = np.abs(comparison.release.values - comparison.prepared.truth()).mean(axis=0)
        context.step(1.0, "measured")
        return tuple(
            Finding(id=f"toy-column-error.{place}", title=column.name, status=Status.INFO, stage="",
                    sentence=f"The mean error over all {comparison.words.row[1]} is {show(float(error), 3)} units.",
                    values={"error": float(error)})
            for place, (column, error) in enumerate(zip(comparison.release.columns, off / [1, 100], strict=True))
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaMeansParams:
    area: str = param("area", "Area", "The column that tells areas apart.", roles=(Role.GROUP,))
    pay: str = param("pay", "Pay", "The column that is averaged.", roles=(Role.OUTCOME,))


@dataclass(frozen=True, slots=True)
class AreaMeansProduct:
    id: str = "toy_area_means"
    version: int = 1
    title: str = "Pay by area"
    summary: str = "Counts and mean pay of areas."
    params: type[AreaMeansParams] = AreaMeansParams
    roles: tuple[Role, ...] = (Role.GROUP, Role.OUTCOME)
    data_checks: tuple[DataCheck, ...] = COMMON_CHECKS
    words: Words = Words(record=("person", "people"), row=("area", "areas"), unit="people")
    companions: tuple[Companion, ...] = ()
    mechanisms: tuple[AnyMechanism, ...] = (TwoLaplace(),)
    baselines: tuple[AnyBaseline, ...] = (Rounding(),)
    checks: tuple[AnyCheck, ...] = (exact_loss.SPEC, black_box.SPEC, integers.SPEC)
    measures: tuple[AnyMeasure, ...] = (ColumnError(),)
    explorations: tuple[AnyExploration, ...] = ()
    solver: None = None

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        return by_names(facts, (NameWord(Role.OUTCOME, ("pay",), (), "what is paid"),))

    def problems(self, inputs: Inputs, params: AreaMeansParams) -> tuple[Problem, ...]:
        return column_choices.problems_of(inputs, params)

    def size(self, inputs: Inputs, params: AreaMeansParams) -> int:
        return len(inputs.microdata.coded(params.area).values)

    def prepare(self, inputs: Inputs, params: AreaMeansParams, context: Context) -> AreaMeans:
        context.step(0.0, "adding up")
        column = inputs.microdata.coded(params.area)
        codes, pay = column.codes.reveal(), numbers_of(inputs.microdata.columns[params.pay])
        known = (codes != MISSING) & ~np.isnan(pay)
        people = np.bincount(codes[known], minlength=len(column.values))
        means = np.bincount(codes[known], np.clip(pay[known], 0, MOST_PAY), len(column.values)) / np.maximum(people, 1)
        context.step(0.5, "looking for the largest change")
        change = max((max(m, MOST_PAY - m) / (n + 1) for n, m in zip(people, means, strict=True)), default=0.0)
        context.step(1.0, "added up")
        return AreaMeans(
            areas=tuple(map(str, column.values)), people=Confidential(people.astype(np.int64)),
            cents=Confidential(np.round(100 * means).astype(np.int64)),
            change=Confidential(math.ceil(100 * change) + 1),
        )  # fmt: skip

    def describe(self, prepared: AreaMeans) -> tuple[Finding, ...]:
        said = f"The table has {self.words.rows(len(prepared.areas))}."
        return (Finding(id="table.rows", title="Rows of the table", status=Status.INFO, sentence=said),)

    def example_cell(self) -> ExampleCell:
        return ExampleCell(words="an area, whatever its people", case={})

    def groups_behind(self, prepared: AreaMeans) -> Contributors:
        return nobody_knows

    def public_table(self, prepared: AreaMeans, drawn: Columns) -> Published:
        return Published(columns=(coded("area", prepared.areas), *drawn.columns))

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        return standard_files(published)

    def side_by_side(self, prepared: AreaMeans, table: Published, rivals: tuple[Rival, ...]) -> tuple[SideBySide, ...]:
        true = prepared.truth() / [1.0, 100.0]
        compared = tuple(
            Compared(name=declared.name, unit=declared.unit or "people", decimals=declared.decimals,
                     columns=beside(true[:, place], rivals, declared.numbers(), place))
            for place, declared in enumerate(table.units(name) for name in ("people", "mean pay"))
        )  # fmt: skip
        far = np.abs(table.units("people").numbers() - true[:, 0]) > 10
        made = SideBySide(key_titles=("Area",), keys=(prepared.areas,), compared=compared,
                            flagged=Confidential(far), flag_rule="Off by more than ten people.")  # fmt: skip
        return (made,)


SPEC = AreaMeansProduct()


def people() -> list[tuple[str, float]]:
    """Some forty people in three areas; the mean of one is the secret."""
    rng = np.random.Generator(np.random.PCG64(3))
    drawn = [(area, round(float(rng.uniform(0, MOST_PAY)), 2)) for area in "AB" for _ in range(18)]
    return [*drawn, *(("C", SECRET_MEAN) for _ in range(4))]


def inputs() -> Inputs:
    listed = people()
    codes = np.array(["ABC".index(area) for area, _ in listed], np.int8)
    columns: dict[str, Any] = {
        "area": CodedColumn(name="area", codes=Confidential(codes), values=("A", "B", "C")),
        "pay": NumericColumn(name="pay", numbers=Confidential(np.array([pay for _, pay in listed]))),
    }
    prints = Fingerprint(file="f", content="c")
    return Inputs(
        microdata=Microdata(name="people", rows=len(listed), columns=columns, fingerprint=prints), roles=ROLES
    )  # fmt: skip


def csv() -> str:
    return "area,pay\n" + "".join(f"{area},{pay}\n" for area, pay in people())


PLAN = """version = 1

[release]
title = "Pay by area"
requester = "Planning office"
purpose = "A yearly table."
authority = "Statistics Act"
period = "2026"
smallest_geography = "area"

[data]
path = "people.csv"

[data.roles]
area = "group"
pay = "outcome"

[product]
id = "toy_area_means"

[mechanism]
id = "toy-two-laplace"
each = 0.75

[baseline]
id = "toy-rounding"

[study]
trials = 2

[audit]
checks = ["exact-loss", "integers"]

[policy]
budget = 4.0
"""
TOY = Toy(
    product=SPEC,
    sample=Sample(
        source=lambda: (inputs(), AreaMeansParams()),
        prepared=cache(lambda: SPEC.prepare(inputs(), AreaMeansParams(), QUIET)),
        truth=lambda means: means.truth(),
        first_case=lambda _means, params: (params, {}),
        secrets=("7654321", "76543.21", "76,543.21"),
        decimals=(0, 2),
    ),
    plan=PLAN,
    files={"people.csv": csv()},
)

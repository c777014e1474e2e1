"""A whole product in one file, registered by tests only: a line fitted by many noisy steps, released as two estimates.

It is everything that tables are not: one draw takes many steps, each with progress and a way out; its loss is a bound
by accounting, which no pair of neighbours need reach; its error is known by drawing only; nobody publishes such a fit
today, so that it is compared with nothing. Nothing outside this file knows of it.

Formula: pay = a + b·x for x in {0, 1}. In each of T steps the residuals are clipped to ±C, added up over all people and
over those with x = 1, and discrete Laplace(2C·T/ε) noise is added to both sums; a and b move by the sums divided by a
public planning size.
Guarantee: ε-differential privacy for one person added or left out: a person moves both sums by at most C each, so that
a step spends ε/T, and T steps at most ε together. Everything after the noise follows from drawn values and the plan.
Rounding: all in whole cents; a step is rounded to the nearest one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from tests.contract.samples import Sample
from tests.contract.toy import Toy
from workbench.audit import completeness as integers
from workbench.audit import exact_loss
from workbench.audit.contract import AnyCheck
from workbench.audit.differencing.group_sizes import Contributors, nobody_knows
from workbench.baselines.alternatives import Rival
from workbench.baselines.columns import columns as beside
from workbench.baselines.contract import AnyBaseline
from workbench.core.arrays import Integers
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import QUIET, Context
from workbench.core.published import Columns, Published, Units, coded
from workbench.core.quantities import Epsilon, show
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.core.side_by_side import Compared, SideBySide
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
from workbench.microdata.table import MISSING, CodedColumn, Fingerprint, Microdata, NumericColumn, numbers_of
from workbench.noise import discrete_laplace
from workbench.noise.exact_sampler import add_laplace
from workbench.outputs.contract import OutputFile
from workbench.outputs.standard import standard_files
from workbench.products.contract import ExampleCell
from workbench.utility.contract import AnyMeasure, Comparison

declare({"fit_error": ValueName("Distance from the exact fit")})
MOST = 10_000  # cents
SECRET_MEAN = 78.91
ESTIMATES = ("intercept", "slope")
PAIR = "one person with the largest residual, present or absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Who is in the group, and everybody's pay in cents within the bounds."""

    grouped: Confidential[Integers]
    cents: Confidential[Integers]

    def exact(self) -> Integers:
        """Least squares: the mean of those outside the group, and how far that of the group is from it."""
        grouped, cents = self.grouped.reveal() == 1, self.cents.reveal()
        outside, inside = (cents[each].mean() if each.any() else 0.0 for each in (~grouped, grouped))
        return np.round([outside, inside - outside]).astype(np.int64)

    @property
    def rows(self) -> int:
        return len(ESTIMATES)

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return ()

    def row_rule(self, release: Release) -> None:
        """None: there is a row for every estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyStepsParams:
    epsilon: Epsilon = param(Epsilon(2), "Privacy loss ε", "Of all steps together.", gt=0, le=50, effect="dial")
    steps: int = param(60, "Steps", "More of them come nearer to the fit, with more noise in each.", ge=1, le=10_000)
    clip: int = param(2000, "Clipping", "Residuals beyond it count as this large.", unit="cents", ge=1, le=MOST)
    people: int = param(40, "Planning size", "About how many people there are, from a public source.", ge=1)


@dataclass(frozen=True, slots=True)
class NoisySteps:
    id: str = "toy-noisy-steps"
    version: int = 1
    title: str = "Noisy steps"
    summary: str = "Many steps towards the fit, each by sums of clipped residuals with Laplace noise."
    params: type[NoisyStepsParams] = NoisyStepsParams
    case: type[NoCase] = NoCase
    traits: Traits = Traits(slow=True, bound=True, no_closed_form=True, of_the_source=True)

    def problems(self, prepared: People, params: NoisyStepsParams) -> tuple[Problem, ...]:
        return ()

    def claim(self, prepared: People | None, params: NoisyStepsParams) -> Claim:
        return Claim(
            definition=Definition.CENTRAL,
            unit="one person",
            epsilon=Decimal(params.epsilon),
            sentence=f"One person changes the odds of any fit by at most e^{show(params.epsilon)} times.",
            assumptions=("Each person is one row.", "Bounds and planning size are public."),
        )

    def release(self, prepared: People, params: NoisyStepsParams, rng: ReleaseRandom, context: Context) -> Release:
        each = Fraction(params.epsilon) / params.steps

        def noisy(sums: Integers) -> Integers:
            return add_laplace(sums, sensitivity=2 * params.clip, epsilon=each, context=QUIET)

        return Release.of(_fitted(prepared, params, noisy, context), self, rng)

    def study(
        self, prepared: People, params: NoisyStepsParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        def noisy(sums: Integers) -> Integers:
            return sums + discrete_laplace.draw_for_study(len(sums), _scale(params), rng)

        return Confidential(_fitted(prepared, params, noisy, context))

    def expected_error(self, prepared: People, params: NoisyStepsParams) -> None:
        """None: the clipped steps have no closed form."""

    def exact_loss(self, prepared: People, params: NoisyStepsParams, context: Context) -> ExactLoss:
        """T steps of (2C)/scale, added up: a bound, as it takes every step for released and every residual for C."""
        context.step(0.0, "adding up the loss of all steps")
        spent = params.steps * discrete_laplace.spent(2 * params.clip, _scale(params))
        return ExactLoss(
            epsilon=float(spent), delta=0.0, worst_cell=None, worst_pair=PAIR, data_free=True, bound=True
        )  # fmt: skip

    def neighbours(self, prepared: People, params: NoisyStepsParams, copies: int) -> tuple[NeighbourPair, ...]:
        """One copy, whatever is asked for: a fit uses all its data at once."""
        grouped, cents = prepared.grouped.reveal(), prepared.cents.reveal()
        more = People(grouped=Confidential(np.append(grouped, 1)), cents=Confidential(np.append(cents, MOST)))
        return (
            NeighbourPair(
                description=PAIR, first=Confidential(more), second=Confidential(prepared), copies=1, outputs=2
            ),
        )

    def calibrate(self, params: NoisyStepsParams, case: NoCase) -> Calibration:
        scale = _scale(params)
        return Calibration(
            scale=scale,
            expected_absolute_error=discrete_laplace.mean_absolute(scale),
            spent_epsilon=float(params.steps * discrete_laplace.spent(2 * params.clip, scale)),
            notes=("The error is that of one noisy sum; that of the estimates is known by drawing only.",),
        )


def _scale(params: NoisyStepsParams) -> float:
    return discrete_laplace.scale_for(2 * params.clip, Fraction(params.epsilon) / params.steps)


def _fitted(
    prepared: People, params: NoisyStepsParams, noisy: Callable[[Integers], Integers], context: Context
) -> Columns:
    grouped, cents = prepared.grouped.reveal(), prepared.cents.reveal()
    at = np.zeros(2, np.int64)
    for step in range(params.steps):
        context.step(step / params.steps, f"step {step + 1} of {params.steps}")
        residual = np.clip(cents - at[0] - at[1] * grouped, -params.clip, params.clip)
        sums = noisy(np.array([residual.sum(), (residual * grouped).sum()], np.int64))
        at = np.clip(at + np.round(sums / params.people).astype(np.int64), -MOST, MOST)
    context.step(1.0, "all steps taken")
    return Columns(columns=(Units(name="estimate", integers=at, decimals=2, unit="€", additive=False),))


@dataclass(frozen=True, slots=True, kw_only=True)
class FitErrorParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class FitError:
    id: str = "toy-fit-error"
    version: int = 1
    title: str = "Distance from the exact fit"
    summary: str = "How far the released estimates are from least squares."
    params: type[FitErrorParams] = FitErrorParams

    def run(self, comparison: Comparison, params: FitErrorParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "measuring")
        off = float(np.abs(comparison.release.values - comparison.prepared.exact()).mean() / 100)
        context.step(1.0, "measured")
        return (
            Finding(id=self.id, title=self.title, status=Status.INFO, values={"fit_error": off},
                    sentence=f"The estimates are {show(off, 3)} € off on average."),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFitParams:
    group: str = param("group", "Group", "The column whose last value is the group.", roles=(Role.GROUP,))
    pay: str = param("pay", "Pay", "The column that is explained.", roles=(Role.OUTCOME,))


@dataclass(frozen=True, slots=True)
class LineFit:
    id: str = "toy_line_fit"
    version: int = 1
    title: str = "Pay explained by a group"
    summary: str = "Intercept and slope of a line."
    params: type[LineFitParams] = LineFitParams
    roles: tuple[Role, ...] = (Role.GROUP, Role.OUTCOME)
    data_checks: tuple[DataCheck, ...] = COMMON_CHECKS
    words: Words = Words(record=("person", "people"), row=("estimate", "estimates"), unit="€")
    companions: tuple[Companion, ...] = ()
    mechanisms: tuple[AnyMechanism, ...] = (NoisySteps(),)
    baselines: tuple[AnyBaseline, ...] = ()
    checks: tuple[AnyCheck, ...] = (exact_loss.SPEC, integers.SPEC)
    measures: tuple[AnyMeasure, ...] = (FitError(),)
    explorations: tuple[AnyExploration, ...] = ()
    solver: None = None

    def suggest_roles(self, facts: Sequence[Facts]) -> Mapping[str, Suggestion]:
        return by_names(facts, (NameWord(Role.OUTCOME, ("pay",), (), "what is paid"),))

    def problems(self, inputs: Inputs, params: LineFitParams) -> tuple[Problem, ...]:
        return column_choices.problems_of(inputs, params)

    def size(self, inputs: Inputs, params: LineFitParams) -> int:
        return len(ESTIMATES)

    def prepare(self, inputs: Inputs, params: LineFitParams, context: Context) -> People:
        context.step(0.0, "reading the pay")
        codes, pay = (
            inputs.microdata.coded(params.group).codes.reveal(),
            numbers_of(inputs.microdata.columns[params.pay]),
        )
        known = (codes != MISSING) & ~np.isnan(pay)
        context.step(0.5, "keeping it within the bounds")
        cents = np.clip(np.round(100 * pay[known]), 0, MOST).astype(np.int64)
        context.step(1.0, "pay read")
        return People(grouped=Confidential((codes[known] == 1).astype(np.int64)), cents=Confidential(cents))

    def describe(self, prepared: People) -> tuple[Finding, ...]:
        said = f"{self.words.rows(prepared.rows).capitalize()} are released."
        return (Finding(id="fit.rows", title="What is released", status=Status.INFO, sentence=said),)

    def example_cell(self) -> ExampleCell:
        return ExampleCell(words="one noisy sum", case={})

    def groups_behind(self, prepared: People) -> Contributors:
        return nobody_knows

    def public_table(self, prepared: People, drawn: Columns) -> Published:
        return Published(columns=(coded("coefficient", ESTIMATES), *drawn.columns))

    def outputs(self, published: Published) -> tuple[OutputFile, ...]:
        return standard_files(published)

    def side_by_side(self, prepared: People, table: Published, rivals: tuple[Rival, ...]) -> tuple[SideBySide, ...]:
        true, private = prepared.exact() / 100.0, table.units("estimate").numbers()
        columns = beside(true, rivals, private)
        compared = Compared(name="estimate", unit="€", decimals=2, relative=False, columns=columns)
        made = SideBySide(
            title="Estimates", key_titles=("Coefficient",), keys=(ESTIMATES,), compared=(compared,),
            flagged=Confidential(np.abs(private - true) > 50), flag_rule="Off by more than 50 €.",
        )  # fmt: skip
        return (made,)


SPEC = LineFit()


def rows() -> list[tuple[str, float]]:
    """Forty people; the mean pay of those outside the group is the secret."""
    rng = np.random.Generator(np.random.PCG64(8))
    return [*(("b", round(float(rng.uniform(20, 60)), 2)) for _ in range(30)), *[("a", SECRET_MEAN)] * 10]


def inputs() -> Inputs:
    listed = rows()
    data: dict[str, Any] = {
        "group": CodedColumn(
            name="group", codes=Confidential(np.array(["ab".index(group) for group, _ in listed], np.int8)),
            values=("a", "b"),
        ),
        "pay": NumericColumn(name="pay", numbers=Confidential(np.array([pay for _, pay in listed]))),
    }  # fmt: skip
    microdata = Microdata(name="pay", rows=len(listed), columns=data, fingerprint=Fingerprint(file="f", content="c"))
    return Inputs(microdata=microdata, roles={"group": Role.GROUP, "pay": Role.OUTCOME})


PLAN = """version = 1

[release]
title = "Pay and the group"
requester = "Planning office"
purpose = "A line for a paper."
authority = "Statistics Act"
period = "2026"
smallest_geography = "none"

[data]
path = "pay.csv"

[data.roles]
group = "group"
pay = "outcome"

[product]
id = "toy_line_fit"

[mechanism]
id = "toy-noisy-steps"
epsilon = 2.0

[policy]
budget = 4.0
"""

TOY = Toy(
    product=SPEC,
    sample=Sample(
        source=lambda: (inputs(), LineFitParams()),
        prepared=cache(lambda: SPEC.prepare(inputs(), LineFitParams(), QUIET)),
        truth=lambda people: people.exact(),
        first_case=lambda _people, params: (params, {}),
        secrets=("7891", "78.91"),
        decimals=(2,),
    ),
    plan=PLAN,
    files={"pay.csv": "group,pay\n" + "".join(f"{group},{pay}\n" for group, pay in rows())},
)

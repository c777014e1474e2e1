"""A yardstick, not a protection: the whole record is kept or replaced by a uniform record of the whole domain.

Formula: with D = Πk the number of possible records, a record is kept with probability t = T/2^64,
T = ⌊2^64·(e^ε − 1)/(e^ε + D − 1)⌋, and otherwise every variable is drawn uniformly from its domain.
Guarantee: the exact loss between any two records is ln(1 + D·T/(2^64 − T)) ≤ ε (local differential privacy). Presence
is public. At an ε of ln D + 5 nearly every record is published as it is: that shows how little so large an ε promises.
Rounding: exact; the threshold is rounded down with certainty. Estimates use t = T/2^64, not the planned t.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from workbench.core.claims import Claim
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Column, Columns
from workbench.core.quantities import Epsilon, show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise import randomised_response
from workbench.noise.declared.contract import Declared
from workbench.products.survey_microdata.layout import design_table
from workbench.products.survey_microdata.local import mechanism as local
from workbench.products.survey_microdata.local.claims import local_claim
from workbench.products.survey_microdata.local.design import LocalDesign, Method
from workbench.products.survey_microdata.survey_data import SurveyData

_STEPS = 8
NO_PROTECTION = (
    "This is a yardstick and no protection: at an ε above the logarithm of the number of possible records, nearly "
    "every record is published as it is."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointRrParams:
    epsilon: Epsilon = param(
        Epsilon("80"), "ε of a record", "Of the whole record at once.", gt=0, le=1000, effect="dial"
    )


@dataclass(frozen=True, slots=True)
class JointRr:
    """See the module's docstring."""

    id: str = "joint-rr"
    version: int = 1
    title: str = "Whole-record yardstick (no protection)"
    summary: str = "Keeps whole records or replaces them by uniform ones: shows how little a large local ε promises."
    params: type[JointRrParams] = JointRrParams
    case: type[local.LocalCase] = local.LocalCase
    traits: Traits = Traits(records=True, no_closed_form=True)

    def problems(self, prepared: SurveyData, params: JointRrParams) -> tuple[Problem, ...]:
        if threshold(prepared, params):
            return local.weight_problems(prepared)
        size = math.log(domain(prepared))
        return (
            Problem(
                f"The domain has about 10^{size / math.log(10):.0f} records: at ε {show(Decimal(params.epsilon))} not "
                "one in 10^19 would be kept",
                "epsilon",
                f"Use an ε near {size:.0f}, or declare smaller domains",
            ),
        )

    def claim(self, prepared: SurveyData | None, params: JointRrParams) -> Claim:
        return local_claim(prepared, epsilon=Decimal(params.epsilon), parts={}, more=(NO_PROTECTION,))

    def release(self, prepared: SurveyData, params: JointRrParams, rng: ReleaseRandom, context: Context) -> Release:
        asked: list[Answer] = []
        return Release.of(_drawn(prepared, params, rng, context, asked), self, rng, tuple(asked))

    def laws(self, prepared: SurveyData, params: JointRrParams) -> Mapping[str, Declared]:
        """Of each variable taken alone; that a record is kept or replaced as a whole is not said."""
        return local.laws(prepared, designs(prepared, params))

    def study(
        self, prepared: SurveyData, params: JointRrParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: SurveyData, params: JointRrParams) -> None:
        """None: a record has no error."""

    def exact_loss(self, prepared: SurveyData, params: JointRrParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss of a record")
        spent = randomised_response.exact_loss(threshold(prepared, params), domain(prepared))
        return ExactLoss(epsilon=spent, delta=0.0, worst_cell=None, worst_pair=local.PAIR, data_free=True)

    def designs(self, prepared: SurveyData, params: JointRrParams) -> tuple[LocalDesign, ...]:
        """What protects each variable: an audit and a code book read it."""
        return designs(prepared, params)

    def neighbours(
        self, prepared: SurveyData, params: JointRrParams, copies: int  # noqa: ARG002 - any ε
    ) -> tuple[NeighbourPair, ...]:  # fmt: skip
        return local.apart(prepared, copies)

    def calibrate(self, params: JointRrParams, case: local.LocalCase) -> Calibration:
        kept = randomised_response.threshold(Fraction(params.epsilon), case.answers**case.variables)
        replaced = float(Fraction(randomised_response.WHOLE - kept, randomised_response.WHOLE))
        return Calibration(
            scale=max(replaced, 1e-300), expected_absolute_error=replaced, spent_epsilon=float(params.epsilon)
        )  # fmt: skip


def domain(prepared: SurveyData) -> int:
    """How many different records there are."""
    return math.prod(variable.domain for variable in prepared.variables)


def threshold(prepared: SurveyData, params: JointRrParams) -> int:
    return randomised_response.threshold(Fraction(params.epsilon), domain(prepared))


def designs(prepared: SurveyData, params: JointRrParams) -> tuple[LocalDesign, ...]:
    """What becomes of each variable taken alone: kept with the record, or uniform."""
    kept = threshold(prepared, params)
    return tuple(
        LocalDesign(
            variable=variable, method=Method.JOINT, epsilon=Fraction(params.epsilon), answers=variable.domain, kept=kept
        )
        for variable in prepared.variables
    )  # fmt: skip


def _drawn(
    prepared: SurveyData, params: JointRrParams, rng: UniformWords, context: Context, asked: list[Answer] | None = None
) -> Columns:
    answers, made = prepared.answers.reveal(), designs(prepared, params)
    context.step(0.0, "deciding which records are kept")
    order = local.record_order(len(answers), rng)
    replaced = randomised_response.at_threshold(len(answers), threshold(prepared, params), rng)
    columns: list[Column] = []
    for place, design in enumerate(made):
        for step in range(_STEPS):
            context.step((place + step / _STEPS) / len(made), f"publishing {design.variable.name}")
        values = answers[:, place].copy()
        values[replaced] = design.variable.lower + randomised_response.uniform(len(replaced), design.answers, rng)
        columns.append(local.column_of(design, values[order]))
        if asked is not None and len(answers) <= local.TRANSCRIBED:
            asked.append(local.answered(design, answers[:, place], values - design.variable.lower))
    context.step(1.0, "records published")
    return Columns(columns=tuple(columns), records=True, beside=design_table(made))


SPEC = JointRr()

"""What local methods share: claim, exact loss, neighbours and the draw, from one design for each variable."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import Rows, param
from workbench.core.progress import Context
from workbench.core.published import Coded, Column, ColumnRole, Columns, Units
from workbench.core.quantities import Epsilon, percent
from workbench.core.randomness import UniformWords
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair
from workbench.noise import randomised_response
from workbench.noise.declared.contract import Declared
from workbench.noise.uniform_integers import order
from workbench.products.survey_microdata.layout import design_table
from workbench.products.survey_microdata.local.design import LocalDesign, Method
from workbench.products.survey_microdata.survey_data import SurveyData

PLANNED_VARIABLES = 40  # of the source's survey: what is claimed before the variables are known
GRID_DECIMALS = 2
_CHUNK = 1 << 18
TRANSCRIBED = 65_536  # records: audits draw fewer, and of more a transcript would only take memory
PAIR = "one record with some answers, or with another answer to every question"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetParams:
    """What one variable spends, where it is not what all others spend."""

    epsilon: Epsilon = param(Epsilon("7"), "ε", "Spent on this variable.", gt=0, le=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalCase:
    variables: int = param(PLANNED_VARIABLES, "Variables", "How many variables a record has.", ge=1, le=10_000)
    answers: int = param(2, "Categories", "How many answers the question has.", ge=2, le=10_000)


def budgets(
    prepared: SurveyData | None, epsilon: Epsilon, variables: Rows[BudgetParams]
) -> dict[str, Decimal]:  # fmt: skip
    """ε of every variable; before the data are known, of as many as the source's survey has."""
    if prepared is None:
        unnamed = (f"variable {number + 1}" for number in range(PLANNED_VARIABLES - len(variables)))
        names: Sequence[str] = (*variables, *unnamed)
    else:
        names = prepared.names
    return {name: Decimal(variables[name].epsilon if name in variables else epsilon) for name in names}


def weight_problems(prepared: SurveyData) -> tuple[Problem, ...]:
    """Answers are protected one by one, and a weight beside them would name its respondent."""
    if not prepared.weighing.weighted:
        return ()
    said = "A method that protects single answers cannot use a weight"
    do = "Use a central method, or recode the weight to classes and declare them a variable"
    return (Problem(said, "weight", do),)


def budget_problems(prepared: SurveyData, variables: Rows[BudgetParams]) -> tuple[Problem, ...]:
    return weight_problems(prepared) + tuple(
        Problem(f"“{name}” has an ε and is no variable of the file", f"variables.{name}", "Remove the row")
        for name in variables
        if name not in prepared.names
    )


def whole(parts: dict[str, Decimal]) -> Decimal:
    return sum(parts.values(), Decimal(0))


def exact(designs: Sequence[LocalDesign]) -> ExactLoss:
    """The sum of the exact losses: reached by two records that differ in every variable, at the worst answers."""
    spent = math.fsum(design.exact_loss() for design in designs)
    return ExactLoss(epsilon=spent, delta=0.0, worst_cell=None, worst_pair=PAIR, data_free=True)


def apart(prepared: SurveyData, copies: int) -> tuple[NeighbourPair, ...]:
    """The same record many times: every answer at the first of its list, or at another, numbers at either bound."""
    first = [variable.lower if variable.number else 0 for variable in prepared.variables]
    second = [variable.upper if variable.number else 1 for variable in prepared.variables]
    sides = (prepared.with_people(np.tile(np.array(record, dtype=np.int64), (copies, 1))) for record in (first, second))
    one, other = (Confidential(side) for side in sides)
    return (NeighbourPair(description=PAIR, first=one, second=other, copies=copies, outputs=len(first)),)


def drawn(
    prepared: SurveyData,
    designs: Sequence[LocalDesign],
    rng: UniformWords,
    context: Context,
    asked: list[Answer] | None = None,
) -> Columns:
    """Every answer through its design, then the records in a random order, with the design beside them."""
    answers = prepared.answers.reveal()
    places = record_order(len(answers), rng).astype(np.intp)  # once, not for every column
    columns, narrow = [], np.empty((len(designs), len(answers)), dtype=np.int8)  # one piece of memory, most are narrow
    for place, (design, values) in enumerate(zip(designs, protected(prepared, designs, rng, context), strict=True)):
        shuffled = values.take(places, out=narrow[place] if values.dtype == np.int8 else None, mode="wrap")
        columns.append(column_of(design, shuffled))
        if asked is not None and len(answers) <= TRANSCRIBED:
            asked.append(answered(design, answers[:, place], values))
    context.step(1.0, "answers protected")
    return Columns(columns=tuple(columns), records=True, beside=design_table(designs))


def answered(design: LocalDesign, exact: Integers, values: NDArray[np.signedinteger[Any]]) -> Answer:
    """One variable of all respondents, in the order in which they were read; they are shuffled before publication."""
    return Answer(name=design.variable.name, exact=Confidential(exact), drawn=values.astype(np.int64))


def laws(prepared: SurveyData, designs: Sequence[LocalDesign]) -> dict[str, Declared]:
    """One for each variable, around the answers as they were read: what is drawn around others is no such answer."""
    answers = prepared.answers.reveal()
    return {
        design.variable.name: Declared(law=design.law, exact=Confidential(answers[:, place]), by_words=False)
        for place, design in enumerate(designs)
    }


def protected(
    prepared: SurveyData, designs: Sequence[LocalDesign], rng: UniformWords, context: Context
) -> Iterator[NDArray[np.signedinteger[Any]]]:
    """Column by column, in the order of the respondents: for the draw, which shuffles them, and for the audit."""
    answers = prepared.answers.reveal()
    for place, design in enumerate(designs):
        parts = []
        for start in range(0, max(len(answers), 1), _CHUNK):
            share = (place + start / max(len(answers), 1)) / len(designs)
            context.step(share, f"protecting {design.variable.name}")
            parts.append(design.drawn(answers[start : start + _CHUNK, place], rng))
        yield parts[0] if len(parts) == 1 else np.concatenate(parts)


def record_order(records: int, rng: UniformWords) -> NDArray[np.int32]:
    """A uniform order: where a record stands says nothing about when it came in."""
    return order(records, rng)


def column_of(design: LocalDesign, values: NDArray[np.signedinteger[Any]]) -> Column:
    variable = design.variable
    if not variable.number:
        codes = values if values.dtype.itemsize <= 4 else values.astype(np.int32)
        return Coded(name=variable.name, codes=codes, role=ColumnRole.VALUE)
    if design.method is Method.GRID:
        return Units(
            name=variable.name, integers=level_units(design)[values], decimals=GRID_DECIMALS, additive=False
        )  # fmt: skip
    return Units(name=variable.name, integers=values.astype(np.int64), additive=False)


def level_units(design: LocalDesign) -> Integers:
    """The levels of a grid in units of the published column."""
    units: Integers = np.rint(design.level_values() * 10**GRID_DECIMALS).astype(np.int64)
    return units


def response_calibration(epsilon: Epsilon, case: LocalCase) -> Calibration:
    """How often the answer to a question is changed, and what a record of so many spends."""
    kept = randomised_response.threshold(Fraction(epsilon), case.answers)
    changed = 1.0 - randomised_response.chances(kept, case.answers)[0]
    return Calibration(
        scale=changed,
        expected_absolute_error=changed,
        spent_epsilon=case.variables * float(epsilon),
        notes=(f"{percent(changed, 2)} of the answers to such a question are changed.",),
    )

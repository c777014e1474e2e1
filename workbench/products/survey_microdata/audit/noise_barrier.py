"""All data items pass the noise barrier: no column of the file is its input, and no column is there without a method.

Two looks. The release: no column equals the input column row by row, and every column is a declared variable. The
method: respondents made up for the purpose, all with the same answers, are protected; a variable of which not one
answer changes, although its design says that some must, was passed through.

Records leave in a random order, so that a column equals its input with a chance of at most one in the number of orders
that can be told apart. Only where that is less than 10^−30 does equality count: elsewhere it may be luck, and what a
check says of luck in true answers would tell them. A constant column is for the second look alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.arrays import Integers
from workbench.core.findings import Audience, Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Coded, Columns
from workbench.core.quantities import joined
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare
from workbench.products.survey_microdata.layout import has_tables
from workbench.products.survey_microdata.local.design import LocalDesign, Method
from workbench.products.survey_microdata.survey_data import SurveyData

declare({"passed_through": ValueName("Columns passed through"), "undeclared": ValueName("Columns not declared")})
_NO_LUCK = math.log(1e30)
_CERTAIN = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseBarrierParams:
    copies: int = param(100_000, "Made-up respondents", "More of them see rarer changes.", ge=1000, le=5_000_000)
    seed: int = param(1, "Seed", "The look can be repeated with it.", ge=0)


@dataclass(frozen=True, slots=True)
class NoiseBarrier:
    """See the module's docstring."""

    id: str = "noise-barrier"
    version: int = 2
    title: str = "Noise barrier"
    summary: str = "Fails where a released column is its own input, or where a column is there without a method."
    params: type[NoiseBarrierParams] = NoiseBarrierParams
    of_loss: bool = False

    def run(self, subject: Subject, params: NoiseBarrierParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "comparing columns with their input")
        prepared: SurveyData = subject.prepared
        released = subject.release if subject.release is not None and subject.release.records else None
        equal = unchanged(prepared, released) if released is not None else []
        extra = [name for name in released.names if name not in prepared.names] if released is not None else []
        equal += [name for name in _passing(subject, params, Part(context, 0.1, 1.0)) if name not in equal]
        context.step(1.0, "columns compared")
        return (_finding(subject, equal, extra, released is not None),)


def unchanged(prepared: SurveyData, released: Columns) -> list[str]:
    """Columns that hold the true answers in their own order."""
    answers = prepared.answers.reveal()
    if released.rows != len(answers):
        return []
    found = []
    for place, name in enumerate(prepared.names):
        if name in released.names:
            column = released.column(name)
            values: Integers = column.codes if isinstance(column, Coded) else column.integers
            if np.array_equal(values, answers[:, place]) and log_orders(values) > _NO_LUCK:
                found.append(name)
    return found


def log_orders(values: Integers) -> float:
    """ln of the number of orders of a column that can be told apart: n!/Πc!, c the counts of its values."""
    counts = np.unique(values, return_counts=True)[1].tolist()
    return math.lgamma(len(values) + 1) - math.fsum(math.lgamma(count + 1) for count in counts)


def _passing(subject: Subject, params: NoiseBarrierParams, context: Context) -> list[str]:
    """Variables whose answers never change in a draw of made-up respondents who all answer alike.

    Once with the first answers, once with the last, which is the one for missing answers where these have their own.
    """
    prepared: SurveyData = subject.prepared
    designs_of = getattr(subject.mechanism, "designs", None)
    if designs_of is None:
        return []
    designs: tuple[LocalDesign, ...] = designs_of(prepared, subject.params)
    first = [variable.lower if variable.number else 0 for variable in prepared.variables]
    last = [variable.upper if variable.number else variable.categories - 1 for variable in prepared.variables]
    found: list[str] = []
    for turn, record in enumerate((first, last)):
        part = Part(context, turn / 2, (turn + 1) / 2)
        alike = np.tile(np.array(record, dtype=np.int64), (params.copies, 1))
        made_up = prepared.with_people(alike)
        drawn = subject.mechanism.study(made_up, subject.params, StudyRandom(params.seed + turn), part).reveal()
        for design in designs:
            name = design.variable.name
            if name not in found and _never_changes(design, drawn, params.copies):
                found.append(name)
    return found


def _never_changes(design: LocalDesign, drawn: Columns, copies: int) -> bool:
    column = drawn.column(design.variable.name)
    values = column.codes if isinstance(column, Coded) else column.integers
    return len(np.unique(values)) == 1 and _unchanged_chance(design, copies) < _CERTAIN


def _unchanged_chance(design: LocalDesign, copies: int) -> float:
    """That not one of so many answers changes, by the design."""
    if design.method is Method.LAPLACE:
        return float((np.tanh(0.5 / design.scale)) ** copies)
    return float(design.chances()[0] ** copies)


def _finding(subject: Subject, equal: list[str], extra: list[str], released: bool) -> Finding:
    if equal:
        said = f"{joined([f'“{name}”' for name in equal])} came through unchanged: the answers are the true ones."
    elif extra:
        said = f"{joined([f'“{name}”' for name in extra])} stands in the file and is no declared variable."
    elif not released and not (subject.release is not None and has_tables(subject.release)):
        said = "Nothing has been released yet; the method itself passes no variable through."
    else:
        said = "No released column is its own input, and every column is a declared variable with a method."
    return Finding(
        id="noise-barrier",
        title="Noise barrier",
        status=Status.FAIL if equal or extra else Status.PASS,
        sentence=said,
        values={"passed_through": len(equal), "undeclared": len(extra)},
        does_not_prove="That the noise is large enough: see the privacy loss and the attacks.",
        audience=Audience.PUBLIC if not equal else Audience.INTERNAL,
    )


SPEC = NoiseBarrier()

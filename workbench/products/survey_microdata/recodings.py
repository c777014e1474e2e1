"""Traditional steps: the file with coarser codes. No formal guarantee, and most records stay unique.

Lists of five or more categories are collapsed in pairs or threes, neighbours in the declared order together; numbers
are rounded to tens and cut off at the top and bottom tenth of their range. Every answer is a true one, only coarser.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import ProtectedFile
from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Coded, Column, ColumnRole, Columns, Units
from workbench.core.randomness import StudyRandom
from workbench.products.survey_microdata.layout import published
from workbench.products.survey_microdata.survey_data import SurveyData, Variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    most_categories: int = param(
        4, "Categories left", "Longer lists are collapsed, neighbours together, to at most so many.", ge=2, le=50
    )
    rounding: int = param(10, "Rounding", "Numbers are rounded to multiples of this.", ge=1, le=1000)
    cut: int = param(10, "Top and bottom", "Percent of a number's range cut off at each end.", ge=0, le=49, unit="%")


@dataclass(frozen=True, slots=True)
class Recodings:
    """See the module's docstring."""

    id: str = "recodings"
    version: int = 1
    title: str = "Traditional recodings"
    summary: str = "Collapsed categories, rounded numbers, top- and bottom-coding; every answer true but coarser."
    params: type[Steps] = Steps

    def protect(
        self, prepared: SurveyData, params: Steps, rng: StudyRandom, context: Context  # noqa: ARG002 - nothing is random
    ) -> ProtectedFile:  # fmt: skip
        context.step(0.0, "recoding answers")
        coarse = recoded(prepared, params)
        context.step(1.0, "answers recoded")
        columns = tuple(_column(variable, coarse[:, place]) for place, variable in enumerate(prepared.variables))
        return ProtectedFile(
            published=Confidential(published(prepared.variables, Columns(columns=columns, records=True)))
        )


def _column(variable: Variable, values: Integers) -> Column:
    if variable.number:
        return Units(name=variable.name, integers=values, additive=False)
    return Coded(name=variable.name, codes=values.astype(np.int32), role=ColumnRole.VALUE)


def recoded(prepared: SurveyData, steps: Steps) -> Integers:
    """Every answer as the first of the group it was collapsed into, or as the rounded number."""
    answers = prepared.answers.reveal()
    columns = [coarser(variable, answers[:, place], steps) for place, variable in enumerate(prepared.variables)]
    return np.stack(columns, axis=1)


def coarser(variable: Variable, answers: Integers, steps: Steps) -> Integers:
    if variable.number:
        margin = variable.width * steps.cut // 100
        rounded: Integers = np.rint(answers / steps.rounding).astype(np.int64) * steps.rounding
        return np.clip(rounded, variable.lower + margin, variable.upper - margin).astype(np.int64)
    if variable.categories <= steps.most_categories:
        return answers
    together = -(-variable.categories // steps.most_categories)
    return answers // together * together


def told_apart(variable: Variable, steps: Steps) -> int:
    """How many different answers are left."""
    every = np.arange(variable.domain, dtype=np.int64) + (variable.lower if variable.number else 0)
    return len(np.unique(coarser(variable, every, steps)))


SPEC = Recodings()

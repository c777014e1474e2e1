"""Sixty respondents with four variables, one of them a number, and an identifier that must never be seen."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Fingerprint, Microdata
from workbench.products.survey_microdata.params import Kind, SurveyMicrodataParams, VariableParams
from workbench.products.survey_microdata.product import SPEC
from workbench.products.survey_microdata.survey_data import SurveyData

SECRET_NAME = "Zebulon"
LISTS = {"sex": ("f", "m"), "age": ("young", "middle", "old"), "health": ("bad", "fair", "good", "very good")}


def answers(people: int = 60) -> np.ndarray:
    random = np.random.default_rng(4)
    columns = [random.choice(len(values), people, p=random.dirichlet([2.0] * len(values))) for values in LISTS.values()]
    return np.stack([*columns, random.integers(0, 11, people)], axis=1)


def coded(name: str, texts: list[str], listed: tuple[str, ...] = ()) -> CodedColumn:
    values = sorted(set(texts) - {""})
    codes = np.array([values.index(text) if text else -1 for text in texts], dtype=np.int16)
    return CodedColumn(
        name=name, codes=Confidential(codes), values=tuple(values), labels={value: value for value in listed}
    )


def inputs(people: int = 60, **changed: list[str]) -> Inputs:
    rows = answers(people)
    columns: dict[str, Any] = {
        name: coded(name, changed.get(name) or [values[code] for code in rows[:, place]], values)
        for place, (name, values) in enumerate(LISTS.items())
    }
    columns["score"] = coded("score", changed.get("score") or [str(code) for code in rows[:, 3]])
    columns["name"] = coded("name", changed.get("name") or [f"{SECRET_NAME} {place:03d}" for place in range(people)])
    microdata = Microdata(name="answers", rows=people, columns=columns, fingerprint=Fingerprint(file="f", content="c"))
    roles = {**dict.fromkeys((*LISTS, "score"), Role.ANSWER), "name": Role.RESPONDENT}
    return Inputs(microdata=microdata, roles=roles)


def params(**changes: Any) -> SurveyMicrodataParams:
    table = {name: VariableParams(otherwise=values[-1]) for name, values in LISTS.items()}
    table["score"] = VariableParams(kind=Kind.NUMBER, lower=0, upper=10, classes=2)
    return SurveyMicrodataParams(**{"variables": Rows(table), "respondent": "name", **changes})


def prepared(people: int = 60) -> SurveyData:
    return SPEC.prepare(inputs(people), params(), QUIET)


def truth(data: SurveyData) -> np.ndarray:
    return data.answers.reveal()


def settings(mechanism: Any) -> Any:
    """An ε that draws can see, where each record is protected by itself; few components where records are made."""
    if mechanism.id == "pairs-file":
        return mechanism.params(components=20)
    if mechanism.id == "pairs-gaussian":
        return mechanism.params()
    if mechanism.id == "joint-rr":
        return mechanism.params(epsilon=Epsilon(3))  # among 264 records; below, hardly one is kept
    return mechanism.params(epsilon=Epsilon(Decimal("0.5")))


def first_case(data: SurveyData, params: Any) -> tuple[Any, dict[str, Any]]:
    return params, {"variables": len(data.variables)}

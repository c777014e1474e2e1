"""The mechanism's settings as handles: a line in a figure stands for one, and dragging it sets it. Knows no Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.params import Field, bound_problem, fields_of, value_from
from workbench.core.quantities import show
from workbench.review.plan.plan import Plan

_SIGNS = {"epsilon": "ε", "delta": "δ", "alpha": "α"}
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a setting stands, and the words for it: ε = 2."""

    value: float
    words: str


def settings_of(plan: Plan) -> dict[str, Setting]:
    """Every numeric setting of the plan's mechanism, by its name."""
    params = plan.mechanism.params
    return {
        field.name: Setting(float(value), f"{sign_of(field)} = {show(value)}")
        for field in fields_of(type(params))
        if isinstance(value := getattr(params, field.name), Decimal | float | int) and not isinstance(value, bool)
    }


def sign_of(field: Field) -> str:
    """The sign at the end of the label, such as ε* or min_p, where there is one; otherwise the whole label."""
    last, sign = field.label.split()[-1], _SIGNS.get(field.name, field.name)
    return last if last.startswith(sign) else _SIGNS.get(field.name, field.label)


def moved(params: Any, name: str, value: float) -> Any | None:
    """The params with one setting moved to where somebody dragged it, to three digits; None where it cannot be."""
    field = next((field for field in fields_of(type(params)) if field.name == name), None)
    if field is None or math.isnan(value):
        return None
    text = str(round(value)) if field.type is int else f"{value:.{_DIGITS}g}"
    try:
        wanted = value_from(field, text)
    except UserProblem:
        return None
    return None if bound_problem(field, wanted) is not None else replace(params, **{name: wanted})

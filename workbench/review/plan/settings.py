"""The mechanism's settings as handles: a line in a figure stands for one, and dragging it sets it. Knows no Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.params import (
    Field,
    Rows,
    at_path,
    bound_problem,
    fields_of,
    joined,
    leaves_of,
    split_path,
    value_from,
    with_path,
)
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
        joined(path): Setting(float(value), f"{sign_of(field)} = {show(value)}")
        for path, field in leaves_of(type(params))
        if field.number and (value := at_path(params, path)) is not None
    }


def sign_of(field: Field) -> str:
    """The sign at the end of the label, such as ε* or min_p, where there is one; otherwise the whole label."""
    last, sign = field.label.split()[-1], _SIGNS.get(field.name, field.name)
    return last if last.startswith(sign) else _SIGNS.get(field.name, field.label)


def moved(params: Any, name: str, value: float) -> Any | None:
    """The params with one setting moved to where somebody dragged it, to three digits; None where it cannot be."""
    path = split_path(name)
    field = next((field for at, field in leaves_of(type(params)) if at == path), None)
    if field is None or math.isnan(value):
        return None
    text = str(round(value)) if field.type is int else f"{value:.{_DIGITS}g}"
    try:
        wanted = value_from(field, text)
    except UserProblem:
        return None
    return None if bound_problem(field, wanted) is not None else with_path(params, path, wanted)


def carried_over(old: Any, params: type[Any]) -> Any:
    """Another mechanism's params with what the two have in common, so that a chosen ε stays the chosen ε.

    Rows of a table are kept with those of their settings that the other table has too.
    """
    known = {field.name: field for field in fields_of(type(old))}
    pairs = ((field, known[field.name], getattr(old, field.name)) for field in fields_of(params) if field.name in known)
    shared = {}
    for field, before, value in pairs:
        if field.group is not None and before.group is not None:
            shared[field.name] = carried_over(value, field.group)
        elif field.rows is not None and before.rows is not None:
            shared[field.name] = Rows((name, carried_over(row, field.rows)) for name, row in value.items())
        elif (field.type, field.optional) == (before.type, before.optional) and bound_problem(field, value) is None:
            shared[field.name] = value
    return params(**shared)

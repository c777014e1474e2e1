"""One value of one field: read from what a person typed or a plan holds, and held to its bounds."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from workbench.core.errors import Problem, UserProblem
from workbench.core.params.fields import Field
from workbench.core.quantities import as_typed

# More than anybody types, and little enough that sums stay exact and whole numbers stay small.
_MOST_DIGITS = 50
_LARGEST_POWER = 50


def value_from(field: Field, raw: object) -> Any:
    """Turn what a person typed, or a plan holds, into the field's type. Raises UserProblem in words.

    Groups and tables of settings are read by `parse`.
    """
    if field.optional and raw in (None, ""):
        return None
    if field.type is bool:
        return _bool(field, raw)
    if field.type is tuple:
        return _names(field, raw)
    if issubclass(field.type, StrEnum):
        return _choice(field, raw)
    if field.type is str:
        if isinstance(raw, str):
            return raw
        raise UserProblem(f"{field.label} must be text", field.name)
    return _number(field, raw)


def _bool(field: Field, raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    words = {
        "true": True,
        "yes": True,
        "on": True,
        "1": True,
        "false": False,
        "no": False,
        "off": False,
        "0": False,
    }
    if isinstance(raw, str) and raw.strip().lower() in words:
        return words[raw.strip().lower()]
    raise UserProblem(f"{field.label} must be true or false", field.name)


def _names(field: Field, raw: object) -> tuple[str, ...]:
    if isinstance(raw, str):
        raw = [part.strip() for part in raw.split(",") if part.strip()]
    if isinstance(raw, list | tuple) and all(isinstance(item, str) for item in raw):
        return tuple(raw)
    raise UserProblem(f"{field.label} must be a list of names", field.name)


def _choice(field: Field, raw: object) -> StrEnum:
    if raw in field.choices:
        chosen: StrEnum = field.type(raw)
        return chosen
    raise UserProblem(
        f"{field.label} cannot be {_quoted(raw)}", field.name, f"Choose one of {', '.join(field.choices)}"
    )


def _number(field: Field, raw: object) -> Any:
    whole = field.type is int
    text = as_typed(str(raw).strip())
    try:
        if isinstance(raw, bool):
            raise InvalidOperation
        number = Decimal(text)
    except InvalidOperation:
        kind = "a whole number" if whole else "a number"
        raise UserProblem(f"{field.label} must be {kind}, not {_quoted(raw)}", field.name, _suggest(field)) from None
    if not number.is_finite():
        raise UserProblem(f"{field.label} must be finite, not {_quoted(raw)}", field.name, _suggest(field))
    if number and (len(number.as_tuple().digits) > _MOST_DIGITS or abs(number.adjusted()) > _LARGEST_POWER):
        raise UserProblem(
            f"{field.label} has too many digits, or is too large or too close to zero", field.name, _suggest(field)
        )
    if whole:
        if number != number.to_integral_value():
            raise UserProblem(f"{field.label} must be a whole number, not {text}", field.name)
        return int(number)
    return field.type(text)


def _suggest(field: Field) -> str:
    words = field.range_words()
    example = "" if field.default is None else f"for example {field.default}"
    said = ", ".join(part for part in (f"give a value {words}" if words else "", example) if part)
    return said[:1].upper() + said[1:]


def _quoted(raw: object) -> str:
    text = str(raw)
    return f"“{text[:40]}…”" if len(text) > 40 else f"“{text}”"


def bound_problem(field: Field, value: Any) -> Problem | None:
    """What is wrong with a value's size, if anything."""
    if not field.number or value is None:
        return None
    number = Decimal(str(value))
    broken = (
        (field.gt is not None and not number > field.gt)
        or (field.ge is not None and not number >= field.ge)
        or (field.lt is not None and not number < field.lt)
        or (field.le is not None and not number <= field.le)
    )
    return Problem(f"{field.label} is {value} but must be {field.range_words()}", field.name) if broken else None

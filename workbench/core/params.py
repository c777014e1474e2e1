"""Params: declared once, read everywhere.

A frozen keyword-only dataclass per mechanism, baseline, check and product. Every field is made with `param(…)` and
carries label, help, unit, bounds, choices and source. That alone drives the form, the command line, the plan file,
the project row, the report's parameter table and the generated reference.
"""

from __future__ import annotations

import dataclasses
import difflib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, TypeVar

from workbench.core.errors import Problem, UserProblem

P = TypeVar("P")
# More than anybody types, and little enough that sums stay exact and whole numbers stay small.
_MOST_DIGITS = 50
_LARGEST_POWER = 50
Plain = str | int | bool | Decimal | list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a params class, described for whoever shows, parses or documents it."""

    name: str
    label: str
    help: str
    type: type
    default: Any
    unit: str = ""
    gt: Decimal | None = None
    ge: Decimal | None = None
    lt: Decimal | None = None
    le: Decimal | None = None
    choices: tuple[str, ...] = ()
    choice_labels: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()  # the value names columns that have one of these roles
    source: str = ""
    advanced: bool = False
    internal: bool = False  # the value never leaves the house, not even in a table of settings

    @property
    def minimum(self) -> Decimal | None:
        return self.ge if self.ge is not None else self.gt

    @property
    def maximum(self) -> Decimal | None:
        return self.le if self.le is not None else self.lt

    @property
    def many(self) -> bool:
        """True where the value is a tuple of names."""
        return self.type is tuple

    def range_words(self) -> str:
        """The bounds in words: 'above 0, below 1'."""
        words = (
            ("above", self.gt), ("at least", self.ge), ("below", self.lt), ("at most", self.le),
        )  # fmt: skip
        return ", ".join(f"{word} {bound}" for word, bound in words if bound is not None)


def param(
    default: Any,
    label: str,
    help: str,  # noqa: A002 - the word every reader of a form expects
    *,
    unit: str = "",
    gt: float | str | None = None,
    ge: float | str | None = None,
    lt: float | str | None = None,
    le: float | str | None = None,
    labels: Mapping[str, str] | None = None,
    roles: Iterable[str] = (),
    source: str = "",
    advanced: bool = False,
    internal: bool = False,
) -> Any:
    """Declare a field. `labels` names a StrEnum's choices for a person; `roles` makes it a choice of columns;
    `internal` keeps its value out of public reports."""
    bounds = {key: None if bound is None else Decimal(str(bound)) for key, bound in
              {"gt": gt, "ge": ge, "lt": lt, "le": le}.items()}  # fmt: skip
    metadata = {
        "label": label, "help": help, "unit": unit, "labels": dict(labels or {}), "roles": tuple(str(r) for r in roles),
        "source": source, "advanced": advanced, "internal": internal, **bounds,
    }  # fmt: skip
    return dataclasses.field(default=default, metadata=metadata)


_DESCRIBED: dict[type[Any], tuple[Field, ...]] = {}


def fields_of(cls: type[Any]) -> tuple[Field, ...]:
    """The fields of a params class, in the order they were declared."""
    if cls not in _DESCRIBED:
        hints = typing.get_type_hints(cls)
        _DESCRIBED[cls] = tuple(_field(item, hints[item.name]) for item in dataclasses.fields(cls))
    return _DESCRIBED[cls]


def _field(item: dataclasses.Field[Any], hint: Any) -> Field:
    kind = typing.get_origin(hint) or hint
    meta = item.metadata
    choices = tuple(str(member.value) for member in kind) if issubclass(kind, StrEnum) else ()
    return Field(
        name=item.name, label=meta["label"], help=meta["help"], type=kind, default=item.default, unit=meta["unit"],
        gt=meta["gt"], ge=meta["ge"], lt=meta["lt"], le=meta["le"], choices=choices,
        choice_labels=tuple(meta["labels"].get(choice, choice) for choice in choices),
        roles=meta["roles"], source=meta["source"], advanced=meta["advanced"],
        internal=meta["internal"],
    )  # fmt: skip


def value_from(field: Field, raw: object) -> Any:
    """Turn what a person typed, or a plan holds, into the field's type. Raises UserProblem in words."""
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
    text = str(raw).strip()
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
    return f"Give a value {words}, for example {field.default}" if words else f"For example {field.default}"


def _quoted(raw: object) -> str:
    text = str(raw)
    return f"“{text[:40]}…”" if len(text) > 40 else f"“{text}”"


def bound_problem(field: Field, value: Any) -> Problem | None:
    """What is wrong with a value's size, if anything."""
    if field.type in (bool, str, tuple) or issubclass(field.type, StrEnum):
        return None
    number = Decimal(str(value))
    broken = (
        (field.gt is not None and not number > field.gt)
        or (field.ge is not None and not number >= field.ge)
        or (field.lt is not None and not number < field.lt)
        or (field.le is not None and not number <= field.le)
    )
    return Problem(f"{field.label} is {value} but must be {field.range_words()}", field.name) if broken else None


def problems_of(params: object) -> tuple[Problem, ...]:
    """Everything wrong with a params value: bounds first, then the class's own `check()` across fields."""
    found = [
        problem
        for field in fields_of(type(params))
        if (problem := bound_problem(field, getattr(params, field.name))) is not None
    ]
    across = getattr(params, "check", None)
    if not found and across is not None:
        found.extend(across())
    return tuple(found)


def parse(cls: type[P], raw: Mapping[str, object], where: str = "", *, draft: bool = False) -> P:
    """Make a params value from plain data. All problems are raised together; an unknown key names its nearest kin.

    A draft may still break bounds and rules (nothing chosen yet): it must be readable all the same. A class whose
    fields were once called otherwise says in `from_older` how to read what was written then.
    """
    known = {field.name: field for field in fields_of(cls)}
    from_older = getattr(cls, "from_older", None)
    raw = raw if from_older is None else from_older(dict(raw))
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    for key, item in raw.items():
        if key not in known:
            problems.append(unknown_key(key, known))
            continue
        try:
            values[key] = value_from(known[key], item)
        except UserProblem as wrong:
            problems.extend(wrong.problems)
    if problems:
        raise UserProblem.of(problem.at(where) for problem in problems)
    made = cls(**values)
    wrongs = () if draft else problems_of(made)
    if wrongs:
        raise UserProblem.of(problem.at(where) for problem in wrongs)
    return made


def unknown_key(key: str, known: Iterable[str]) -> Problem:
    """The problem for a key nobody knows, with the nearest known one."""
    names = list(known)
    near = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
    do = f"Did you mean “{near[0]}”?" if near else f"Known here: {', '.join(names) or 'nothing'}"
    return Problem(f"“{key}” is not a known setting", key, do)


def to_plain(params: object) -> dict[str, Plain]:
    """The value as plain data, exactly what `parse` reads back. Decimals stay decimals."""
    return {field.name: _plain(getattr(params, field.name)) for field in fields_of(type(params))}


def _plain(value: Any) -> Plain:
    if isinstance(value, StrEnum):
        return str(value.value)
    if isinstance(value, tuple):
        return [str(item) for item in value]
    if isinstance(value, Decimal):
        return Decimal(value)
    plain_value: Plain = value
    return plain_value


def shown(params: object) -> tuple[tuple[str, str], ...]:
    """(label, value with unit) for a report's parameter table."""
    return tuple((field.label, shown_value(field, getattr(params, field.name))) for field in fields_of(type(params)))


def shown_value(field: Field, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    if isinstance(value, StrEnum):
        return field.choice_labels[field.choices.index(str(value.value))]
    if value == "":
        return "none"
    unit = field.unit[:-1] if value == 1 and field.unit.endswith("s") else field.unit  # “1 job”, “2 jobs”
    text = (
        format(value.normalize(), "f") if isinstance(value, Decimal) and value.is_finite() else str(value)
    )  # 4, not 4.0
    return f"{text} {unit}".strip()

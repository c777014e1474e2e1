"""A whole params value: from plain data and back, with everything that is wrong told at once and with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from workbench.core.errors import Place, Problem, UserProblem, placed
from workbench.core.nearest import did_you_mean
from workbench.core.params.fields import Field, fields_of, names_of
from workbench.core.params.paths import joined, split_path
from workbench.core.params.table import Rows
from workbench.core.params.values import bound_problem, value_from

P = TypeVar("P")
Plain = str | int | bool | Decimal | list[str] | dict[str, Any]


def problems_of(params: object) -> tuple[Problem, ...]:
    """Everything wrong with a params value: its fields, groups and rows first, then the class's own `check()`."""
    found = _fields_wrong(params, problems_of)
    across = getattr(params, "check", None)
    if not found and across is not None:
        found.extend(across())
    return placed("", found, fields=names_of(params))


def _out_of_bounds(params: object) -> tuple[Problem, ...]:
    """What is wrong with single values, whatever rules there are across them."""
    return placed("", _fields_wrong(params, _out_of_bounds), fields=names_of(params))


def _fields_wrong(params: object, inner: Callable[[object], Iterable[Problem]]) -> list[Problem]:
    """What is wrong field by field; `inner` judges groups and rows."""
    found: list[Problem] = []
    for field in fields_of(type(params)):
        value = getattr(params, field.name)
        if field.group is not None:
            found += _inside(inner(value), field.name)
        elif field.rows is not None:
            found += [each for name, row in value.items() for each in _inside(inner(row), field.name, name)]
        elif (problem := bound_problem(field, value)) is not None:
            found.append(problem)
    return found


def parse(cls: type[P], raw: Mapping[str, object], where: str = "", *, draft: bool = False) -> P:
    """Make a params value from plain data. All problems are raised together; an unknown key names its nearest kin.

    A draft may still break bounds and rules (nothing chosen yet): it must be readable all the same. A class whose
    fields were once called otherwise says in `from_older` how to read what was written then.
    """
    made, problems = _read(cls, raw)
    if not draft:
        problems = (*problems, *_beyond(cls, raw, problems)) if made is None else problems_of(made)
    if made is None or problems:
        raise UserProblem.of(problem.at(where) for problem in problems)
    return made


def _beyond(cls: type[Any], raw: Mapping[str, object], unreadable: Iterable[Problem]) -> tuple[Problem, ...]:
    """What is out of bounds in the rest, where some of it cannot be read: both can be corrected at once."""
    rest = dict(raw)
    for problem in unreadable:
        rest = _without(rest, path_of(problem))
    made, still = _read(cls, rest)
    return () if still else _out_of_bounds(made)


def _without(raw: Mapping[str, object], path: Sequence[str]) -> dict[str, object]:
    """The same plain data without what stands at the path."""
    name, *further = path
    inner = raw.get(name)
    kept = {key: value for key, value in raw.items() if key != name}
    return {**kept, name: _without(inner, further)} if further and isinstance(inner, Mapping) else kept


def _read(cls: type[P], raw: Mapping[str, object]) -> tuple[P | None, tuple[Problem, ...]]:
    """The value as a draft, or why there is none."""
    known = {field.name: field for field in fields_of(cls)}
    from_older = getattr(cls, "from_older", None)
    raw = raw if from_older is None else from_older(dict(raw))
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    for key, item in raw.items():
        if key not in known:
            problems.append(unknown_key(key, known))
            continue
        values[key], wrong = read_value(known[key], item)
        problems += wrong
    return (None, tuple(problems)) if problems else (cls(**values), ())


def read_value(field: Field, raw: object) -> tuple[Any, tuple[Problem, ...]]:
    """The value of any field, a group or a table of settings included, and what is wrong with it; bounds apart."""
    if field.rows is not None:
        return _rows(field, field.rows, raw)
    if field.group is not None:
        made, problems = _read(field.group, raw) if isinstance(raw, Mapping) else (None, (_no_section(field),))
        return made, tuple(_inside(problems, field.name))
    try:
        return value_from(field, raw), ()
    except UserProblem as wrong:
        return None, placed("", wrong.problems, fields=(field.name,))


def _rows(field: Field, cls: type[Any], raw: object) -> tuple[Any, tuple[Problem, ...]]:
    if not isinstance(raw, Mapping):
        return None, (replace(_no_section(field), where=field.name, place=Place(field=field.name)),)
    made: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, settings in raw.items():
        if isinstance(settings, Mapping):
            made[name], wrong = _read(cls, settings)
        else:
            wrong = (_no_row(field, cls, str(name)),)
        problems += _inside(wrong, field.name, str(name))
    return Rows(made), tuple(problems)


def _no_section(field: Field) -> Problem:
    return Problem(f"{field.label} must be a section", "", f"Write […{field.name}] and its settings beneath")


def _no_row(field: Field, cls: type[Any], name: str) -> Problem:
    example = next((f", for example {joined((field.name, name, each.name))} = …" for each in fields_of(cls)), "")
    return Problem(f"{field.label} has one line of settings for each {field.by}", "", f"Name the setting too{example}")


def _inside(problems: Iterable[Problem], *names: str) -> Iterator[Problem]:
    """The same problems, their places told from further out."""
    for problem in problems:
        inner = split_path(problem.where) if problem.where else ()
        path = joined((*names, *inner))
        yield replace(problem, where=path, place=Place(field=path))


def path_of(problem: Problem) -> tuple[str, ...]:
    """The names along the way to the setting that a problem is about: ("variables", "age", "epsilon")."""
    known = problem.place is not None and problem.place.field
    return split_path(known or problem.where)


def problems_at(section: str, params: object, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems that somebody found with a params value, placed in its section and at the setting that they name."""
    found, names = tuple(problems), names_of(params)
    return placed(section, found, fields=[each.where for each in found if split_path(each.where)[0] in names])


def unknown_key(key: str, known: Iterable[str]) -> Problem:
    """The problem for a key nobody knows, with the nearest known one."""
    names = list(known)
    do = did_you_mean(key, names) or f"Known here: {', '.join(names) or 'nothing'}"
    return Problem(f"“{key}” is not a known setting", joined((key,)), do)


def to_plain(params: object) -> dict[str, Plain]:
    """The value as plain data, exactly what `parse` reads back. Decimals stay decimals, and nothing is left out but
    numbers that are not given and later fields at their default: plans written before those keep their digests.
    """
    values = ((field, getattr(params, field.name)) for field in fields_of(type(params)))
    told = ((field, value) for field, value in values if not (field.later and value == field.default))
    return {field.name: _plain(field, value) for field, value in told if value is not None}


def _plain(field: Field, value: Any) -> Plain:
    if field.group is not None:
        return to_plain(value)
    if field.rows is not None:
        return {name: to_plain(row) for name, row in value.items()}
    if isinstance(value, StrEnum):
        return str(value.value)
    if isinstance(value, tuple):
        return [str(item) for item in value]
    if isinstance(value, Decimal):
        return Decimal(value)
    plain_value: Plain = value
    return plain_value

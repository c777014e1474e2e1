"""What is wrong with the columns that settings name: every field is held to its roles, in groups and tables too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.core.errors import Problem
from workbench.core.nearest import did_you_mean
from workbench.core.params import Field, fields_of, joined
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role, role_called

_MOST_LISTED = 15
Refusals = Mapping[Role, tuple[str, str]]  # (why, what to do) where a role is wrong for numbers in a way of its own


def problems_of(inputs: Inputs, params: object, *, refused: Refusals | None = None) -> tuple[Problem, ...]:
    """Names that are no column of the data, or a column whose role the field does not take.

    `refused` has better words than “give it another role” for a numeric role that a field of numbers must not take.
    """
    return tuple(
        problem
        for path, field, name in named_columns(params)
        if (problem := _problem(inputs, field, name, joined(path), refused or {})) is not None
    )


def named_columns(params: object, within: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Field, str]]:
    """(place, field, column) of every column that the settings name."""
    for field in fields_of(type(params)):
        value, here = getattr(params, field.name), (*within, field.name)
        if field.group is not None:
            yield from named_columns(value, here)
        elif field.rows is not None:
            for name, row in value.items():
                if field.roles:
                    yield (*here, name), field, name
                yield from named_columns(row, (*here, name))
        elif field.roles:
            yield from ((here, field, name) for name in (value if field.many else (value,)) if name)


def _problem(inputs: Inputs, field: Field, name: str, where: str, refused: Refusals) -> Problem | None:
    columns = inputs.microdata.columns
    if name not in columns:
        listed = ", ".join(tuple(columns)[:_MOST_LISTED]) + (" …" if len(columns) > _MOST_LISTED else "")
        return Problem(f"There is no column “{name}”", where, did_you_mean(name, columns) or f"Columns: {listed}")
    role = inputs.roles.get(name, Role.IGNORE)
    if role in field.roles:
        return None
    takes_numbers = any((known := role_called(each)) is not None and known.numbers for each in field.roles)
    if role in refused and takes_numbers:
        why, do = refused[role]
        return Problem(f"“{name}” has the role {role}: {why}", where, do)
    words = " or ".join(field.roles)
    return Problem(f"“{name}” has the role {role}", where, f"Give it the role {words}, or choose another column")

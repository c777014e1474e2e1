"""A params value in words: the lines of a parameter table, and the tables of settings beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from workbench.core.params.fields import Field, fields_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One setting with its value in words. The label of one inside a group begins with the group's."""

    field: Field
    label: str
    raw: Any
    value: str  # in words
    internal: bool  # by itself or by its group


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsTable:
    """A table of settings in words: what its rows are named after, their names, and the cells of every column."""

    title: str
    by: str
    names: tuple[str, ...]
    columns: tuple[tuple[Line, ...], ...]  # by setting, then by row
    internal: bool


def shown(params: object) -> tuple[tuple[str, str], ...]:
    """(label, value with unit) of every setting, a table of settings in one line."""
    return tuple((label, shown_value(field, value)) for field, label, value, _ in _walk(params))


def lines_of(params: object) -> tuple[Line, ...]:
    """Every setting that is not in a table, groups opened."""
    return tuple(
        Line(field=field, label=label, raw=value, value=shown_value(field, value), internal=internal)
        for field, label, value, internal in _walk(params)
        if field.rows is None
    )


def tables_of(params: object) -> tuple[SettingsTable, ...]:
    """Every table of settings that has a row, groups opened."""
    return tuple(
        SettingsTable(
            title=label,
            by=field.by,
            names=tuple(rows),
            columns=tuple(zip(*(lines_of(row) for row in rows.values()), strict=True)),
            internal=internal,
        )
        for field, label, rows, internal in _walk(params)
        if field.rows is not None and rows
    )


def idle(params: object) -> frozenset[str]:
    """Settings that have no effect as the others stand, by the class's own `idle()`."""
    own = getattr(params, "idle", None)
    return frozenset(own() if own is not None else ())


def set_aside(params: object) -> frozenset[str]:
    """Settings of the product that a mechanism with these params does not use, by the class's own `sets_aside()`."""
    own = getattr(params, "sets_aside", None)
    return frozenset(own() if own is not None else ())


def _walk(params: object, before: str = "", *, internal: bool = False) -> Iterator[tuple[Field, str, Any, bool]]:
    for field in fields_of(type(params)):
        value, hidden = getattr(params, field.name), internal or field.internal
        if field.group is not None:
            yield from _walk(value, f"{before}{field.label}: ", internal=hidden)
        else:
            yield field, f"{before}{field.label}", value, hidden


def shown_value(field: Field, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field.group is not None:
        return "; ".join(f"{label} {words}" for label, words in shown(value))
    if field.rows is not None or isinstance(value, tuple):
        return ", ".join(value) or "none"
    if isinstance(value, StrEnum):
        return field.choice_labels[field.choices.index(str(value.value))]
    if value is None or value == "":
        return "none"
    for number, words in field.named:
        if value == number:
            return words
    unit = field.unit[:-1] if value == 1 and field.unit.endswith("s") else field.unit  # “1 mile”, “2 miles”
    text = (
        format(value.normalize(), "f") if isinstance(value, Decimal) and value.is_finite() else str(value)
    )  # 4, not 4.0
    return f"{text} {unit}".strip()

"""Published values made by hand for tests, and compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from workbench.core.published import Coded, Column, ColumnRole, Columns, Published, Units, coded
from workbench.mechanisms.contract import Release, one_value

C = TypeVar("C", bound=Columns)


def counts(keys: Mapping[str, Sequence[str]], name: str, values: Any) -> Published:
    """A table of one column of whole numbers."""
    return table(keys, Units(name=name, integers=np.asarray(values)))


def table(keys: Mapping[str, Sequence[str]], *values: Units, records: bool = False) -> Published:
    return Published(columns=(*(coded(name, texts) for name, texts in keys.items()), *values), records=records)


def released(values: Any, mechanism: str = "laplace") -> Release:
    """A release of one whole number for each cell."""
    return Release(columns=one_value(np.asarray(values)).columns, mechanism=mechanism, version=1)


def with_values(drawn: C, values: Any) -> C:
    """The same draw with other values in its columns of values, even such as the type refuses."""
    wide = values.reshape(len(values), -1)
    place = iter(range(wide.shape[1]))
    columns = tuple(
        _forced(column, wide[:, next(place)]) if column.role is ColumnRole.VALUE else column for column in drawn.columns
    )
    made = dataclasses.replace(drawn)
    object.__setattr__(made, "columns", columns)
    return made


def _forced(column: Column, values: Any) -> Column:
    made = dataclasses.replace(column)
    object.__setattr__(made, "integers" if isinstance(made, Units) else "codes", values)
    return made


def same(one: Columns, other: Columns) -> bool:
    """The same columns with the same rows, whatever the order of a dictionary."""
    return (
        one.records == other.records
        and len(one.columns) == len(other.columns)
        and all(map(_same_column, one.columns, other.columns))
    )


def _same_column(one: Any, other: Any) -> bool:
    if type(one) is not type(other) or one.name != other.name or one.role != other.role:
        return False
    if isinstance(one, Coded):
        if not len(one.values) or not len(other.values):
            return len(one.values) == len(other.values) and np.array_equal(one.codes, other.codes)
        return one.texts() == other.texts() and one.shown() == other.shown() and one.title == other.title
    told = ("decimals", "unit", "additive", "gaps", "title")
    return np.array_equal(one.integers, other.integers) and all(getattr(one, x) == getattr(other, x) for x in told)

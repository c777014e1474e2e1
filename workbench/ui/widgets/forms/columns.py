"""The columns of the data that a field can name: those that have one of its roles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workbench.core.params import Field

Options = tuple[tuple[str, str], ...]
_NO_COLUMN = ("", "no column")


class OfferedColumn(NamedTuple):
    name: str
    label: str
    role: str


Columns = Sequence[OfferedColumn]


def having(columns: Columns, field: Field) -> Options:
    """(name, label) of the columns with the field's roles; none as well where the field may name none."""
    found = tuple((column.name, column.label) for column in columns if column.role in field.roles)
    optional = not field.many and field.rows is None and not field.default
    return (_NO_COLUMN, *found) if optional else found

"""A data dictionary to begin with: every value of the columns that tables are made by, to be checked by a person.

It is made from the data and says so in its column “declared”, so that no claim is proved by it. A value that occurs by
accident must go, one that could occur must be added; then a person declares the list public by writing so there.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from workbench.microdata.dictionary import TAKEN_FROM_DATA
from workbench.microdata.roles import Role, Roles
from workbench.microdata.table import CodedColumn, Microdata

MOST_VALUES = 5000  # a column of more is hardly a category


def listed_columns(microdata: Microdata, roles: Roles) -> tuple[CodedColumn, ...]:
    """The columns of codes that describe units: no identifiers, no numbers, nothing that is ignored."""
    found = []
    for name, column in microdata.columns.items():
        role = roles.get(name, Role.IGNORE)
        describes = role != Role.IGNORE and not role.identifies and not role.numbers
        if describes and isinstance(column, CodedColumn) and len(column.values) <= MOST_VALUES:
            found.append(column)
    return tuple(found)


def dictionary_template(columns: Iterable[CodedColumn]) -> str:
    """The dictionary as CSV: the title of each column, then its values with the labels that are known."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("column", "value", "label", "declared"))
    for column in columns:
        writer.writerow((column.name, "", column.title or column.name, TAKEN_FROM_DATA))
        known = tuple(str(value) for value in column.values)
        for value in (*known, *(value for value in column.labels if value not in set(known))):
            writer.writerow((column.name, value, column.labels.get(value, value), ""))
    return text.getvalue()

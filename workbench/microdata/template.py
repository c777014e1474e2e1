"""A data dictionary to begin with: every value of the columns that tables are made by, to be checked by a person.

It is made from the data and says so in its column “declared”, so that no claim is proved by it. A value that occurs by
accident must go, one that could occur must be added; then a person declares the list public by writing so there.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.microdata.dictionary import ColumnWords, DataDictionary, as_csv
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


def template_words(column: CodedColumn) -> ColumnWords:
    """Every value of a column, with the label where one is known; taken from the data, whoever listed it there."""
    known = tuple(str(value) for value in column.values)
    listed = (*known, *(value for value in column.labels if value not in set(known)))
    labels = {value: column.labels.get(value, value) for value in listed}
    return ColumnWords(
        title=column.title or column.name, labels=labels, populations=column.populations, inside=True
    )  # fmt: skip


def dictionary_template(columns: Iterable[CodedColumn]) -> str:
    """The dictionary as CSV: the title of each column, then its values with the labels that are known."""
    return as_csv(DataDictionary(columns={column.name: template_words(column) for column in columns}))

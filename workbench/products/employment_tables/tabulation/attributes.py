"""From a coded column to one dimension of a table: which values it has, in which order, and who declared them."""

from __future__ import annotations

from workbench.core.errors import Problem
from workbench.microdata.dictionary import advice_for_unlisted
from workbench.microdata.table import CodedColumn
from workbench.products.employment_tables.tabulation.cells import Attribute


def attribute_of(column: CodedColumn) -> Attribute:
    """The dictionary's values where it declares any, else those met in the data.

    Populations are given only where every value has one: a stratum made of gaps would mislead.
    """
    values = _values(column)
    known = bool(column.populations) and all(value in column.populations for value in values)
    return Attribute(
        name=column.name,
        values=values,
        labels=tuple(column.labels[value] for value in values) if column.labels else (),
        title=column.title,
        populations=tuple(column.populations[value] for value in values) if known else (),
    )


def _values(column: CodedColumn) -> tuple[str, ...]:
    return column.public_values if column.labels else tuple(str(value) for value in column.values)


def attribute_problems(column: CodedColumn) -> list[Problem]:
    """A value that the dictionary does not list would silently drop jobs from every table. The value is not named."""
    if column.labels and not all(str(value) in column.labels for value in column.values):
        do = advice_for_unlisted(column.values, column.labels)
        return [Problem("Some values are not in the data dictionary", f"column “{column.name}”", do)]
    return []

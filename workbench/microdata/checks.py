"""Checks of loaded microdata, in words. They count on the codes and show no single record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context, Part
from workbench.core.quantities import counted
from workbench.microdata.blanks import check_blanks
from workbench.microdata.counting import outside
from workbench.microdata.counts import check_counts, check_weights
from workbench.microdata.roles import Role, Roles, columns_with
from workbench.microdata.table import CodedColumn, Microdata

DataCheck = Callable[[Microdata, Roles, Context], Iterable[Finding]]


def check(microdata: Microdata, roles: Roles, context: Context, steps: Sequence[DataCheck]) -> tuple[Finding, ...]:
    """Everything that can be wrong with the data as such, before anything is tabulated. Findings are internal.

    `steps` are the checks that the product asks for.
    """
    found: list[Finding] = []
    for position, step in enumerate(steps):
        context.step(position / len(steps), "Checking the data")
        found.extend(step(microdata, roles, Part(context, position / len(steps), (position + 1) / len(steps))))
    context.step(1.0, "Checked")
    return tuple(found)


def by_column(counts: dict[str, int], title: str, what: str) -> tuple[Table, ...]:
    return (Table(title=title, columns=("column", what), rows=tuple((n, c) for n, c in counts.items() if c)),)


def _outside_dictionary(
    microdata: Microdata, roles: Roles, context: Context, *, settled: str = ""
) -> Iterator[Finding]:
    """`settled` says what becomes of such rows, where the product has a rule for each: then they are no failure."""
    del roles
    described = [c for c in microdata.columns.values() if isinstance(c, CodedColumn) and c.labels]
    if not described:
        return
    codes, rows = {}, {}
    for position, column in enumerate(described):
        codes[column.name], rows[column.name] = outside(microdata, column, context)
        context.step((position + 1) / len(described), "Comparing the codes with the data dictionary")
    listed = ", ".join(
        f"“{name}” ({counted(codes[name], 'code')}, {counted(rows[name], 'row')})" for name in codes if codes[name]
    )
    names = ", ".join(column.name for column in described)
    status = (Status.INFO if settled else Status.FAIL) if listed else Status.PASS
    rule = f" {settled}" if settled else ""
    yield Finding(
        id="data.code-outside-dictionary",
        title="Codes outside the dictionary" if status is Status.INFO else "Every code is in its dictionary",
        status=status,
        sentence=(
            f"The dictionary does not list all codes of {listed}.{rule}" if listed
            else f"All codes of {names} are listed."
        ),
        values={"codes": sum(codes.values()), "rows": sum(rows.values())},
        tables=by_column(rows, "Rows with a code outside the dictionary", "rows") if listed else (),
        does_not_prove="That a listed code is the right one, or that columns without a dictionary hold valid codes.",
    )  # fmt: skip


def _dictionary_inside(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Warns where the list of values of an attribute came inside the data file: it may have been made from the data."""
    del context
    listed = [
        name
        for name in columns_with(roles, Role.WORKPLACE, Role.GEOGRAPHY, Role.PERSON, Role.GROUP, Role.ANSWER)
        if isinstance(column := microdata.columns.get(name), CodedColumn) and column.labels and column.labels_inside
    ]
    if not listed:
        return
    yield Finding(
        id="data.dictionary-inside", title="Lists of values come from outside the data", status=Status.WARN,
        sentence=(
            f"The values of {', '.join(f'“{name}”' for name in listed)} are listed inside the data file, or in a "
            "dictionary made from it. A table lists them as public; where the list was made from these data, that a "
            "value occurs is told without protection. Load a dictionary, or make sure that the list is a public one."
        ),
        values={"columns": len(listed)},
        does_not_prove="That a list in a file of its own was made without looking at these data.",
    )  # fmt: skip


def _all_missing(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    del roles, context
    empty = [name for name, column in microdata.columns.items() if column.missing == microdata.rows]
    listed = ", ".join(f"“{name}”" for name in empty)
    yield Finding(
        id="data.all-missing", title="Every column holds something", status=Status.WARN if empty else Status.PASS,
        sentence=f"Every value of {listed} is missing." if empty else "No column is empty throughout.",
        values={"columns": len(empty)}, does_not_prove="That the cells which are filled are filled rightly.",
    )  # fmt: skip


def _missing_cells(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Rows that lack a value of a column that is used: a product must say what becomes of them."""
    del roles, context
    gaps = {name: column.missing for name, column in microdata.columns.items()}
    listed = ", ".join(f"“{name}” ({count:,})" for name, count in gaps.items() if count)
    yield Finding(
        id="data.missing-cells", title="Every row has its values", status=Status.WARN if listed else Status.PASS,
        sentence=(
            f"Rows without a value of {listed}." if listed else f"No value is missing in {microdata.rows:,} rows."
        ),
        values={"columns": sum(count > 0 for count in gaps.values()), "cells": sum(gaps.values())},
        tables=by_column(gaps, "Rows without a value", "rows") if listed else (),
        does_not_prove="That the values are right, only that they are there.",
    )  # fmt: skip


# What any product can ask of its data; one that needs something else makes a tuple of its own.
OF_ANY_FILE: tuple[DataCheck, ...] = (_outside_dictionary, _dictionary_inside, _all_missing, check_blanks)
COMMON_CHECKS: tuple[DataCheck, ...] = (
    _missing_cells, *OF_ANY_FILE, check_counts, check_weights,
)  # fmt: skip


def common_checks(settled: str) -> tuple[DataCheck, ...]:
    """COMMON_CHECKS of a product whose rules settle every row with an unlisted code; `settled` says in words how.

    A failure would let one person's row decide whether a release can be approved as others are.
    """
    told = partial(_outside_dictionary, settled=settled)
    return tuple(told if step is _outside_dictionary else step for step in COMMON_CHECKS)

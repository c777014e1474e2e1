"""Checks of loaded microdata, in words. They count on the codes and show no single record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context, Part
from workbench.core.quantities import agreeing, counted, joined
from workbench.microdata.blanks import check_blanks
from workbench.microdata.margins import check_counts, check_margins, check_weights
from workbench.microdata.passes import repeated_rows, rows_with, varies_within
from workbench.microdata.roles import Role, Roles, columns_with
from workbench.microdata.table import CodedColumn, Microdata
from workbench.microdata.units import check_units

DataCheck = Callable[[Microdata, Roles, Context], Iterable[Finding]]


def check(
    microdata: Microdata, roles: Roles, context: Context, checks: Sequence[DataCheck] | None = None
) -> tuple[Finding, ...]:
    """Everything that can be wrong with the data as such, before anything is tabulated. Findings are internal.

    `checks` are those that the product asks for; without any, those of jobs.
    """
    steps = JOB_CHECKS if checks is None else checks
    found: list[Finding] = []
    for position, step in enumerate(steps):
        context.step(position / len(steps), "Checking the data")
        found.extend(step(microdata, roles, Part(context, position / len(steps), (position + 1) / len(steps))))
    context.step(1.0, "Checked")
    return tuple(found)


def _key(microdata: Microdata, roles: Roles, role: Role) -> CodedColumn | None:
    """The column that identifies establishments or workers, where there is one."""
    named = [name for name in columns_with(roles, role) if name in microdata.columns]
    return microdata.coded(named[0]) if named else None


def _establishment_named(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    del context
    named = [name for name in columns_with(roles, Role.ESTABLISHMENT) if name in microdata.columns]
    if len(named) == 1:
        status, sentence = Status.PASS, f"“{named[0]}” identifies the establishment of each row."
    elif named:
        status, sentence = Status.FAIL, f"More than one column is to identify establishments: {', '.join(named)}."
    elif columns_with(roles, Role.GEOGRAPHY) and not columns_with(roles, Role.WORKPLACE):
        status = Status.INFO
        sentence = "No column identifies the establishment: where workers live can be published, not who employs them."
    else:
        status, sentence = Status.FAIL, "No column identifies the establishment, so none can be protected."
    yield Finding(
        id="data.no-establishment", title="Establishments are identified", status=status, sentence=sentence,
        values={"columns": len(named)},
        does_not_prove="That the identifiers are those of real establishments or of the unit you must protect.",
    )  # fmt: skip


def _missing_keys(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    del context
    keys = {role: column for role in (Role.ESTABLISHMENT, Role.WORKER) if (column := _key(microdata, roles, role))}
    if not keys:
        return
    missing = {role: column.missing for role, column in keys.items()}
    gone = [
        f"{counted(count, 'row')} {agreeing(count, 'has', 'have')} no {role.value}"
        for role, count in missing.items()
        if count
    ]
    names = " and ".join(role.value for role in keys)
    yield Finding(
        id="data.missing-keys", title="Every row has its keys", status=Status.FAIL if gone else Status.PASS,
        sentence=f"{'; '.join(gone)}." if gone else f"Every row names its {names}, {microdata.rows:,} in all.",
        values={"rows": microdata.rows, **{f"missing_{role.value}": count for role, count in missing.items()}},
        does_not_prove="That the keys are right, only that they are there.",
    )  # fmt: skip


def _two_places(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Whether workplace attributes and geography are functions of the establishment, as tabulation relies on."""
    key = _key(microdata, roles, Role.ESTABLISHMENT)
    names = [name for name in columns_with(roles, Role.WORKPLACE, Role.GEOGRAPHY) if name in microdata.columns]
    if key is None or not names:
        return
    broken = np.zeros(len(key.values) + 1, bool)
    per_column = {}
    for position, name in enumerate(names):
        part = Part(context, position / len(names), (position + 1) / len(names))
        bad = varies_within(key, microdata.coded(name), part, f"Checking that “{name}” is one per establishment")
        per_column[name] = int(np.count_nonzero(bad[:-1]))
        broken |= bad
    count = int(np.count_nonzero(broken[:-1]))
    listed = ", ".join(f"“{name}” ({number:,})" for name, number in per_column.items() if number)
    units = counted(len(key.values), "establishment")
    sentence = (
        f"{count:,} of {units} {agreeing(count, 'has', 'have')} more than one value of {listed}." if count
        else f"Every establishment has one value of {joined(names)}, {len(key.values):,} in all."
    )  # fmt: skip
    yield Finding(
        id="data.establishment-in-two-places", title="An establishment is in one place",
        status=Status.FAIL if count else Status.PASS, sentence=sentence,
        values={"establishments": len(key.values), "in_two_places": count},
        tables=_by_column(per_column, "Establishments with more than one value", "establishments") if count else (),
        does_not_prove="That the place is the right one, or that two identifiers are not the same establishment.",
    )  # fmt: skip


def _by_column(counts: dict[str, int], title: str, what: str) -> tuple[Table, ...]:
    return (Table(title=title, columns=("column", what), rows=tuple((n, c) for n, c in counts.items() if c)),)


def _duplicate_jobs(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Rows that repeat the worker and establishment of another row."""
    worker, place = (_key(microdata, roles, role) for role in (Role.WORKER, Role.ESTABLISHMENT))
    title = "No job is listed twice"
    if worker is None or place is None:
        yield Finding(
            id="data.duplicate-jobs", title=title, status=Status.INFO,
            sentence="Not checked, since no column identifies workers and establishments together.",
            does_not_prove="That no job is listed twice.",
        )  # fmt: skip
        return
    extra = repeated_rows((worker, place), context, "Looking for jobs listed twice")
    rows = counted(microdata.rows, "row")
    sentence = (
        f"{extra:,} of {rows} {agreeing(extra, 'repeats', 'repeat')} a worker at the same establishment." if extra
        else f"No worker appears twice at the same establishment in {rows}."
    )  # fmt: skip
    yield Finding(
        id="data.duplicate-jobs", title=title, status=Status.WARN if extra else Status.PASS, sentence=sentence,
        values={"rows": microdata.rows, "repeated": extra},
        does_not_prove="That a person does not appear under two identifiers.",
    )  # fmt: skip


def _outside_dictionary(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    del roles
    described = [c for c in microdata.columns.values() if isinstance(c, CodedColumn) and c.labels]
    if not described:
        return
    codes, rows = {}, {}
    for position, column in enumerate(described):
        unknown = np.fromiter((value not in column.labels for value in column.values), bool, len(column.values))
        codes[column.name] = int(np.count_nonzero(unknown))
        rows[column.name] = rows_with(column, unknown) if codes[column.name] else 0
        context.step((position + 1) / len(described), "Comparing the codes with the data dictionary")
    listed = ", ".join(
        f"“{name}” ({counted(codes[name], 'code')}, {counted(rows[name], 'row')})" for name in codes if codes[name]
    )
    names = ", ".join(column.name for column in described)
    yield Finding(
        id="data.code-outside-dictionary", title="Every code is in its dictionary",
        status=Status.FAIL if listed else Status.PASS,
        sentence=(
            f"The dictionary does not list all codes of {listed}." if listed else f"All codes of {names} are listed."
        ),
        values={"codes": sum(codes.values()), "rows": sum(rows.values())},
        tables=_by_column(rows, "Rows with a code outside the dictionary", "rows") if listed else (),
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
            f"The values of {', '.join(f'“{name}”' for name in listed)} are listed inside the data file itself. A "
            "table lists them as public; where the list was made from these data, that a value occurs is told without "
            "protection. Load a dictionary, or make sure that the list is a public one."
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
        tables=_by_column(gaps, "Rows without a value", "rows") if listed else (),
        does_not_prove="That the values are right, only that they are there.",
    )  # fmt: skip


# What a product asks of its data; one that needs something else makes a tuple of its own.
JOB_CHECKS: tuple[DataCheck, ...] = (
    _establishment_named, _missing_keys, check_units, _two_places, _duplicate_jobs, _outside_dictionary,
    _dictionary_inside, _all_missing, check_blanks, check_margins, check_counts, check_weights,
)  # fmt: skip
COMMON_CHECKS: tuple[DataCheck, ...] = (
    _missing_cells, _outside_dictionary, _dictionary_inside, _all_missing, check_blanks, check_counts, check_weights,
)  # fmt: skip

"""Integers: what is published are whole numbers, one for every cell of the public domain.

A column with decimals, or one whose values do not add up (a mean, a slope), holds no counts: its values must lie on
the grid that the column declares, which integers in units of its last decimal always do.

Where the rows are themselves drawn, as residences are, every row is named once and counts at least one, and the rows of
each population add up to its published size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.audit.contract import Subject
from workbench.core.findings import Audience, Finding, Status
from workbench.core.progress import Context
from workbench.core.quantities import counted, show
from workbench.core.randomness import StudyRandom
from workbench.core.tables import PublicTable, ValueColumn
from workbench.mechanisms.contract import Release
from workbench.products.commuting_flows.flows.structures import Populations
from workbench.products.employment_tables.tabulation.cells import Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegersParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class IntegersCheck:
    """Fails when a published value is missing, is not an integer, or when cells are left out or added."""

    id: str = "integers"
    version: int = 1
    title: str = "Whole numbers, every cell"
    summary: str = "Published values are integers, and there is one for every cell of the public domain."
    params: type[IntegersParams] = IntegersParams
    of_loss: bool = False

    def run(self, subject: Subject, params: IntegersParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        context.step(0.0, "looking at the released values")
        if subject.release is None:
            return (_finding(Status.WARN, "Nothing has been released yet, so there is nothing to look at.", {}),)
        if subject.release.rows is not None and isinstance(subject.prepared, Populations):
            found = _drawn_rows(subject.prepared, subject.release, subject.release.rows)
            context.step(1.0, "released rows looked at")
            return (found,)
        if subject.table is not None and subject.table.layout:
            found = _columns(subject.table, _expected_rows(subject, context))
            context.step(1.0, "released columns looked at")
            return (found,)
        values, words = np.asarray(subject.release.values), subject.words
        expected = _expected_rows(subject, context)
        broken = _broken(values)
        complete = len(values) == expected
        numbers = {"values": int(values.size), "expected": expected, "not_integers": broken, "complete": complete}
        if broken:
            sentence = (
                f"{show(broken)} of {show(int(values.size))} published values are not whole numbers; floating-point "
                "digits can give true counts away."
            )
        elif not complete:
            given, missing = counted(int(values.size), "value"), f"which {words.row[1]} are missing is telling."
            sentence = f"{given} for {words.rows(expected)}: {missing}"
        else:
            sentence = f"Every {words.row[0]} has a value, {show(expected)} in all, and every value is a whole number."
        context.step(1.0, "released values looked at")
        return (_finding(Status.FAIL if broken or not complete else Status.PASS, sentence, numbers),)


def _columns(table: PublicTable, expected: int) -> Finding:
    """Columns of counts and others: every row is there, no count is missing, the rest is on its grid."""
    columns = table.value_columns
    gaps = {place: int((~table.given(place)).sum()) for place in range(len(columns))}
    missing = sum(count for place, count in gaps.items() if columns[place].counts)
    complete = table.rows == expected
    numbers: dict[str, int | bool] = {
        "values": int(table.values.size),
        "expected": expected,
        "not_integers": _broken(table.values),
        "complete": complete,
        "missing_counts": missing,
        "without_value": sum(gaps.values()) - missing,
    }
    if not complete:
        sentence = f"{show(table.rows)} rows where {show(expected)} are public: which rows are missing is telling."
    elif missing:
        sentence = f"{show(missing)} rows have no count: for which rows it is missing is telling."
    else:
        sentence = f"All {show(expected)} rows are there. {_grids(columns)}"
    status = Status.FAIL if numbers["not_integers"] or missing or not complete else Status.PASS
    return _finding(status, sentence, numbers, title="Whole numbers, or on their grid")


def _grids(columns: tuple[ValueColumn, ...]) -> str:
    counts = [column.name for column in columns if column.counts]
    others = [f"{column.name} ({counted(column.decimals, 'decimal')})" for column in columns if not column.counts]
    parts = [f"{', '.join(counts)}: whole numbers."] if counts else []
    parts += [f"{', '.join(others)}: on their declared grid."] if others else []
    return " ".join(parts)


def _drawn_rows(prepared: Populations, release: Release, rows: NDArray[np.int32]) -> Finding:
    """Rows of population and block, with the workers drawn there."""
    values = np.asarray(release.values)
    broken = _broken(values)
    named = rows[:, 0].astype(np.int64) * len(prepared.geography.blocks) + rows[:, 1]
    once = len(rows) == len(values) and len(named) == len(set(named.tolist()))
    drawn = np.bincount(rows[:, 0], weights=values, minlength=prepared.populations) if once else np.zeros(0)
    complete = once and bool(np.all(values >= 1)) and np.array_equal(drawn, prepared.size)
    numbers = {"values": int(values.size), "not_integers": broken, "complete": complete}
    if broken:
        sentence = f"{show(broken)} of {show(int(values.size))} published values are not whole numbers."
    elif not complete:
        sentence = "The rows of some population do not add up to its published size, or a row is there twice or empty."
    else:
        sentence = (
            f"All {show(int(values.size))} rows hold whole numbers of at least one, and those of each of "
            f"{show(prepared.populations)} populations add up to its published size."
        )
    return _finding(Status.FAIL if broken or not complete else Status.PASS, sentence, numbers)


def _broken(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> int:
    """How many are not integers. Floats that happen to be whole count as broken: the type must say so."""
    return 0 if np.issubdtype(values.dtype, np.integer) else int(values.size)


def _expected_rows(subject: Subject, context: Context) -> int:
    if isinstance(subject.prepared, Cells):
        return subject.prepared.domain.cells
    return len(subject.mechanism.study(subject.prepared, subject.params, StudyRandom(0), context).reveal())


def _finding(
    status: Status, sentence: str, values: dict[str, int | bool], title: str = "Whole numbers, every cell"
) -> Finding:
    return Finding(
        id="integers",
        title=title,
        status=status,
        sentence=sentence,
        values={**values},
        does_not_prove="That the noise is large enough, or that the list of cells itself is public.",
        audience=Audience.PUBLIC,
    )


SPEC = IntegersCheck()

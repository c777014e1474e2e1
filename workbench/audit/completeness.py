"""Integers: what is published are whole numbers, one for every cell of the public domain.

A column with decimals, or one whose values do not add up (a mean, a slope), holds no counts: its values must lie on
the grid that the column declares, which integers in units of its last decimal always do.

Where the rows are themselves drawn, every row is named once and counts at least one, and the rows of each population
add up to its published size.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.audit.contract import Subject
from workbench.core.findings import Audience, Finding, Status
from workbench.core.progress import Context
from workbench.core.published import Column, Columns, Published, Units
from workbench.core.quantities import counted, show
from workbench.core.value_words import ValueName, declare
from workbench.mechanisms.contract import Release, RowRule

declare(
    {
        "expected": ValueName("Values expected"),
        "not_integers": ValueName("Values that are not whole"),
        "complete": ValueName("Every cell has a value"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegersParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class IntegersCheck:
    """Fails when a published value is missing, is not an integer, or when cells are left out or added."""

    id: str = "integers"
    version: int = 1
    title: str = "Integers in every cell"
    summary: str = "Published values are integers, and there is one for every cell of the public domain."
    params: type[IntegersParams] = IntegersParams
    of_loss: bool = False

    def run(self, subject: Subject, params: IntegersParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        context.step(0.0, "looking at the released values")
        if subject.release is None:
            return (_finding(Status.WARN, "Nothing has been released yet, so there is nothing to look at.", {}),)
        rule = subject.prepared.row_rule(subject.release)
        expected = subject.prepared.rows
        if rule is not None or expected is None:
            found = _drawn_rows(subject.release, rule)
            context.step(1.0, "released rows looked at")
            return (found,)
        if subject.table is not None and not _counts_alone(subject.table):
            found = _columns(subject.table, expected)
            context.step(1.0, "released columns looked at")
            return (found,)
        values, words = subject.release.values, subject.words
        broken = _broken(subject.release)
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


def _counts_alone(table: Published) -> bool:
    values = table.value_columns
    return len(values) == 1 and values[0].counts and bool(values[0].given().all())


def _columns(table: Published, expected: int) -> Finding:
    """Columns of counts and others: every row is there, no count is missing, the rest is on its grid or in its list."""
    columns = table.value_columns
    gaps = {column.name: int((~column.given()).sum()) for column in columns}
    missing = sum(gaps[column.name] for column in columns if column.counts)
    complete = table.rows == expected
    numbers: dict[str, int | bool] = {
        "values": table.rows * len(columns),
        "expected": expected,
        "not_integers": _broken(table),
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


def _grids(columns: tuple[Column, ...]) -> str:
    counts = [column.name for column in columns if column.counts]
    others = [
        f"{column.name} ({counted(column.decimals, 'decimal')})"
        for column in columns
        if isinstance(column, Units) and column.measures
    ]
    categories = [column.name for column in columns if not isinstance(column, Units)]
    parts = [f"{', '.join(counts)}: whole numbers."] if counts else []
    parts += [f"{', '.join(others)}: on their declared grid."] if others else []
    parts += [f"{', '.join(categories)}: declared categories."] if categories else []
    return " ".join(parts)


def _drawn_rows(release: Release, rule: RowRule | None) -> Finding:
    """Rows that were themselves drawn: whole numbers, and what the prepared data say they add up to."""
    broken = _broken(release)
    values, kept = release.values.size, rule is None or (not broken and rule.kept)
    numbers = {"values": int(values), "not_integers": broken, "complete": kept}
    if broken:
        sentence = f"{show(broken)} of {show(int(values))} published values are not whole numbers."
    elif rule is None:
        sentence = f"All {show(int(values))} published values are whole numbers."
    elif release.records:
        said = f"All {show(int(values))} published values are whole numbers or declared categories, and {rule.said}."
        sentence = said if rule.kept else rule.broken
    else:
        several = release.values.ndim > 1
        least = "whole numbers, of which at least one is positive" if several else "whole numbers of at least one"
        said = f"All {show(release.rows)} rows hold {least}, and {rule.said}."
        sentence = said if rule.kept else rule.broken
    return _finding(Status.FAIL if broken or not kept else Status.PASS, sentence, numbers)


def _broken(drawn: Columns) -> int:
    """How many values are not integers. Floats that happen to be whole count as broken: the type must say so."""
    kinds = (column.integers if isinstance(column, Units) else column.codes for column in drawn.value_columns)
    return sum(len(values) for values in kinds if values.dtype.kind != "i")


def _finding(
    status: Status, sentence: str, values: dict[str, int | bool], title: str = "Integers in every cell"
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

"""Groupings of different tables, versions of one table and its statistics: what they tell beside each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from workbench.audit.differencing.difference import difference
from workbench.audit.differencing.ranges import range_of
from workbench.audit.differencing.tables import Protection, PublishedTable
from workbench.core.findings import Finding, Status
from workbench.core.progress import QUIET


def exact(name: str, columns: tuple[str, ...], rows: list[tuple[str, ...]], values: list[int | None]) -> PublishedTable:
    return PublishedTable(
        name=name,
        columns=columns,
        keys=tuple(zip(*rows, strict=True)),
        value_name="people",
        values=np.array([value or 0 for value in values], dtype=np.int64),
        suppressed=np.array([value is None for value in values]),
        protection=Protection.EXACT,
        population="survey",
    )


def found(under_review: PublishedTable, *others: PublishedTable) -> dict[str, Finding]:
    return {finding.id: finding for finding in difference(under_review, others, context=QUIET)}


def test_that_the_difference_of_two_printed_groups_is_a_cell_under_the_rules() -> None:
    """Men 40 in one table, men of 16 and over 39 in the next: one boy, in a cell that no table has."""
    first = exact("by sex", ("sex",), [("men",), ("women",)], [40, 50])
    second = exact("adults", ("sex", "age"), [("men", "16 and over"), ("women", "16 and over")], [39, 20])
    finding = found(second, first)["differencing"]
    assert finding.status is Status.FAIL
    assert ("men · every age other than 16 and over", 1.0) in [(row[0], row[2]) for row in finding.tables[0].rows]


def test_that_groupings_that_are_not_nested_meet_in_their_atoms() -> None:
    """0–17 and 18+ in one table, 0–15 and 16+ in the next: those of 16 and 17 follow, twice."""
    first = exact("minors", ("age",), [("0-17",), ("18+",)], [120, 500])
    second = exact("schooling", ("age",), [("0-15",), ("16+",)], [117, 503])
    finding = found(second, first)["differencing"]
    assert finding.status is Status.FAIL
    assert {(row[0], row[2]) for row in finding.tables[0].rows} == {
        ("0-17 · every age other than 0-15", 3.0),
        ("16+ · every age other than 18+", 3.0),
    }


def test_that_the_same_grouping_in_two_tables_leaves_nothing() -> None:
    first = exact("north", ("age",), [("0-15",), ("16+",)], [117, 503])
    second = exact("again", ("age",), [("0-15",), ("16+",)], [117, 503])
    assert found(second, first)["differencing"].status is Status.PASS


@pytest.mark.parametrize(
    ("code", "expected"),
    [("16-24", (16, 24)), ("65+", (65, np.inf)), ("under 5", (-np.inf, 4)), ("7", (7, 7)), ("men", None)],
)
def test_that_codes_are_read_as_ranges(code: str, expected: tuple[float, float] | None) -> None:
    assert range_of(code) == expected


ROWS = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]


def test_that_a_revised_version_that_prints_what_was_withheld_is_named() -> None:
    """1 7 / 8 2 withheld; the next version prints all of it, with 4 for 1: the unrevised 7 tells the old 1."""
    old = exact("first version", ("row", "column"), ROWS, [None, None, None, None])
    new = replace(exact("second version", ("row", "column"), ROWS, [4, 7, 8, 5]), population="survey, revised")
    finding = found(new, old)["differencing.pattern"]
    assert finding.status is Status.FAIL
    assert finding.values["withheld_and_printed"] == 4
    assert finding.tables[0].rows[0] == ("a · x", "first version", "second version")


def test_that_a_count_printed_beside_a_withheld_total_is_named() -> None:
    counts = replace(exact("counts", ("row", "column"), ROWS, [1, 7, 8, 2]), value_name="contributors")
    totals = exact("totals", ("row", "column"), ROWS, [None, 700, 800, None])
    assert found(totals, counts)["differencing.pattern"].values["withheld_and_printed"] == 2
    same = replace(counts, suppressed=totals.suppressed)
    assert "differencing.pattern" not in found(totals, same)

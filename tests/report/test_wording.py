"""How values read in the report."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.report.sample import sample_findings
from workbench.core.findings import Table
from workbench.report.wording import cell, day, exact, needs_width, number, numeric_columns, tally


@pytest.mark.parametrize(
    ("value", "words"),
    [(1234567, "1,234,567"), (-0.5, "−0.5"), (1e-6, "10⁻⁶"), (-2.5e-7, "−2.5 × 10⁻⁷"), (float("inf"), "∞")],
)
def test_that_numbers_read_as_in_print(value: float, words: str) -> None:
    assert number(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [("2.0", "2"), ("0.10", "0.1"), ("0.12345678", "0.12345678"), ("0.000001", "0.000001"), ("1E-12", "10⁻¹²"),
     ("Infinity", "∞"), ("-1.5", "−1.5"), ("0.30000000000001", "0.30000000000001"),
     ("0.3000000000000000001", "0.300001"), ("12", "12")],
)  # fmt: skip
def test_that_epsilon_is_shown_as_it_was_typed(value: str, words: str) -> None:
    assert exact(Decimal(value)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [("2026-11-16", "16 November 2026"), ("2026-11-16T08:03:00+00:00", "16 November 2026, 08:03 UTC"),
     ("2026-11-16T08:03:00+02:00", "16 November 2026, 08:03 UTC+02:00"),
     ("2026-11-16T08:03", "16 November 2026, 08:03"),
     ("second quarter", "second quarter")],
)  # fmt: skip
def test_that_dates_read_as_dates(text: str, words: str) -> None:
    assert day(text) == words


def test_that_cells_of_any_type_have_words_and_numbers_stand_right() -> None:
    table = Table(title="t", columns=("a", "b", "c", "d"), rows=(("x", 1, True, None), ("y", "inf", False, 2.5)))
    assert numeric_columns(table) == (False, True, False, True)
    assert [cell(value) for value in (None, True, False, "inf", "text", 3.0)] == ["–", "yes", "no", "∞", "text", "3"]


def test_that_findings_are_counted_gravest_first() -> None:
    findings = sample_findings()
    assert tally(findings["data"] + findings["risk"]) == "1 fails, 1 warning, 3 pass, 1 informational"
    assert tally(()) == ""


def test_that_a_page_is_turned_only_where_the_columns_need_it() -> None:
    names = ("Attack", "Published values", *(f"Number {place}" for place in range(8)))
    numbers = Table(
        title="Attacks", columns=names, rows=(("size, from the published count", "this release", *[0] * 8),)
    )
    assert not needs_width(numbers), "ten narrow columns fit an upright page"
    large = Table(title="Counts", columns=names, rows=(("size", "this release", *[123_456_789_012] * 8),))
    assert needs_width(large)
    assert not needs_width(Table(title="Few", columns=("a", "b"), rows=(("word " * 50, "more " * 50),)))

"""What a report tells people who use the released file, from its published values alone."""

from __future__ import annotations

import numpy as np

from workbench.core.published import MISSING, Published, Units, coded
from workbench.review.publish.for_users import first_rows, notes

TABLE = Published(
    columns=(
        coded("place", tuple("abcdefgh")),
        Units(name="jobs", integers=np.array([5, -2, 0, 7, -1, 3, 9, 4]), unit="jobs"),
        Units(name="slope", integers=np.array([-15, 2, 0, 7, MISSING, 3, 9, 4]), decimals=2, additive=False, gaps=True),
        Units(name="slope_margin_of_error", integers=np.arange(10, 90, 10), decimals=2, additive=False),
    )
)


def test_that_the_first_rows_stand_as_in_the_file() -> None:
    rows = first_rows(TABLE)
    assert len(rows) == 6
    assert rows[0] == ("a", "5", "-0.15", "0.10")
    assert rows[4] == ("e", "-1", "", "0.50")


def test_that_no_record_of_a_file_of_records_is_shown() -> None:
    assert first_rows(Published(columns=TABLE.columns, records=True)) == ()


def test_that_negative_counts_gaps_and_margins_are_told() -> None:
    negative, gap, margin = notes(TABLE)
    assert negative.startswith("2 of 8 values of jobs are negative."), "a slope may well be negative"
    assert gap == "slope has no value in 1 of 8 rows."
    assert margin == "slope_margin_of_error: half of the margins are at most 0.45, nine of ten at most 0.73."


def test_that_columns_without_any_value_are_told_in_one_sentence() -> None:
    none = np.full(8, MISSING)
    empty = [Units(name=name, integers=none, additive=False, gaps=True) for name in ("p25", "p50")]
    told = notes(Published(columns=(*TABLE.columns, *empty)))
    assert told[1] == "Without a value in any row: p25, p50."
    assert not any("8 of 8" in each for each in told)

"""A comparison has its columns in one order, and everything in it lines up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from workbench.core.confidential import Confidential
from workbench.core.errors import Defect
from workbench.core.side_by_side import Beside, Compared, Marks, Side, SideBySide

NUMBERS = Confidential(np.array([4.0, 0.0, 9.0]))
TRUTH, SDL, SOURCE, OTHER, RELEASE = (Beside(side=side, values=NUMBERS) for side in Side)


def compared(*columns: Beside) -> Compared:
    return Compared(name="jobs", unit="jobs", columns=columns)


def test_that_the_order_and_the_words_are_fixed() -> None:
    whole = compared(TRUTH, SDL, SOURCE, OTHER, RELEASE)
    assert [column.heading for column in whole.columns] == [
        "confidential", "current SDL", "source's method", "other method", "this release",
    ]  # fmt: skip
    assert whole.others == whole.columns[1:]


@pytest.mark.parametrize(
    "columns",
    [
        (TRUTH, SOURCE, SDL, RELEASE),
        (SDL, TRUTH, RELEASE),
        (TRUTH, SDL),
        (SDL, RELEASE),
        (TRUTH, RELEASE, RELEASE),
        (TRUTH, SDL, SDL, RELEASE),
        (TRUTH, replace(SDL, values=Confidential(np.zeros(2))), RELEASE),
    ],
    ids=["order", "truth later", "no release", "no truth", "two releases", "same heading", "other rows"],
)
def test_that_columns_that_cannot_be_compared_are_a_defect(columns: tuple[Beside, ...]) -> None:
    with pytest.raises(Defect):
        compared(*columns)


def test_that_bounds_come_in_pairs_and_line_up() -> None:
    with pytest.raises(Defect):
        replace(SDL, low=NUMBERS)
    with pytest.raises(Defect):
        replace(SDL, low=NUMBERS, high=Confidential(np.zeros(2)))


def test_that_marks_say_why_row_by_row() -> None:
    marks = Marks(codes=Confidential(np.array([0, 2, 1], np.int8)), words=("below the threshold", "complementary"))
    assert [marks.said(row) for row in range(3)] == ["", "complementary", "below the threshold"]
    assert replace(SDL, marks=marks).marks is marks


def test_that_rows_have_as_many_names_and_flags_as_values() -> None:
    flags = Confidential(np.zeros(3, np.bool_))
    good = SideBySide(
        key_titles=("place",), keys=(("a", "b", "c"),), compared=(compared(TRUTH, RELEASE),), flagged=flags,
        flag_rule="",
    )  # fmt: skip
    assert good.rows == 3
    for wrong in (
        {"keys": (("a",),)},
        {"keys": ()},
        {"compared": ()},
        {"flagged": Confidential(np.zeros(2, np.bool_))},
    ):
        with pytest.raises(Defect):
            replace(good, **wrong)  # type: ignore[arg-type]


def test_that_no_confidential_number_is_printed() -> None:
    assert "9" not in repr(compared(TRUTH, RELEASE))

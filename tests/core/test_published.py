"""What is published is whole: a table or a release that is not cannot even be made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.published import counts, released, table
from workbench.core.errors import Defect
from workbench.core.published import MISSING, NO_CODE, Coded, ColumnRole, Columns, Published, Units, coded

NOT_WHOLE = [np.array([1.0, 2.0]), np.array([1.5, 2.5]), np.array([1, 2], dtype=np.int32), np.array([True, False])]


def units(values: list[int], **more: Any) -> Units:
    return Units(name="v", integers=np.array(values, dtype=np.int64), **more)


@pytest.mark.parametrize("values", NOT_WHOLE, ids=lambda values: str(values.dtype))
def test_that_values_of_another_type_are_a_defect_before_anything_is_stored(values: Any) -> None:
    with pytest.raises(Defect, match="64-bit integers"):
        counts({"place": ("A", "B")}, "jobs", values)
    with pytest.raises(Defect, match="64-bit integers"):
        released(values)


def test_that_columns_that_do_not_line_up_are_a_defect() -> None:
    for keys in ({"place": ("A",)}, {"place": ("A", "B"), "sex": ("m",)}):
        with pytest.raises(Defect, match="line up"):
            counts(keys, "jobs", np.array([1, 2]))
    with pytest.raises(Defect, match="line up"):
        Columns(columns=())
    with pytest.raises(Defect, match="same name"):
        counts({"a": ("x",)}, "a", np.array([1]))


def test_that_every_column_shows_its_declared_decimals_exactly() -> None:
    assert units([7, -7]).texts() == ["7", "-7"]
    assert units([5, -1205], decimals=2).texts() == ["0.05", "-12.05"]
    assert units([5, -1205], decimals=2).numbers().tolist() == [0.05, -12.05]
    fine = units([2**62, MISSING], decimals=15, gaps=True)
    assert fine.texts() == ["4611.686018427387904", ""]
    assert np.isnan(fine.numbers()[1])
    assert fine.given().tolist() == [True, False]


def test_that_without_gaps_every_integer_is_a_number() -> None:
    whole = units([3, MISSING])
    assert whole.texts() == ["3", str(MISSING)]
    assert whole.numbers().tolist() == [3.0, float(MISSING)]
    assert whole.given().all()


def test_that_only_whole_numbers_that_add_up_are_counts() -> None:
    assert units([1]).counts
    assert not units([1], additive=False).counts
    assert not units([1], decimals=2).counts
    assert not coded("k", ("a",)).counts
    with pytest.raises(Defect, match="decimals"):
        units([1], decimals=16)


def test_that_a_column_of_codes_tells_texts_labels_and_what_is_missing() -> None:
    column = Coded(name="sex", codes=np.array([1, 0, NO_CODE], np.int8), values=("1", "2"), labels=("man", "woman"))
    assert column.texts() == ["2", "1", ""]
    assert column.shown() == ["woman", "man", ""]
    assert column.given().tolist() == [True, True, False]
    assert column.is_value("2").tolist() == [True, False, False]
    assert coded("k", ("b", "a", "b")).texts() == ["b", "a", "b"]


def test_that_values_that_do_not_occur_can_be_left_out() -> None:
    column = Coded(name="k", codes=np.array([2, NO_CODE, 2, 0], np.int32), values=("a", "b", "c"), labels=tuple("ABC"))
    used = column.used()
    assert (used.values, used.labels) == (("a", "c"), ("A", "C"))
    assert (used.texts(), used.shown()) == (column.texts(), column.shown())
    assert used.used() is used


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        (np.array([0, 2]), "32 bits"),
        (np.array([0, 1], np.uint8), "signed"),
        (np.array([0, 2], np.int32), "without a value"),
        (np.array([0, -2], np.int32), "below every value"),
        (np.array([[0, 1]], np.int8), "one row"),
    ],
)
def test_that_codes_that_point_nowhere_are_a_defect(codes: Any, said: str) -> None:
    with pytest.raises(Defect, match=said):
        Coded(name="k", codes=codes, values=("a", "b"))


def test_that_labels_that_do_not_line_up_are_a_defect() -> None:
    with pytest.raises(Defect, match="labels"):
        Coded(name="k", codes=np.zeros(1, np.int8), values=("a", "b"), labels=("A",))


def test_that_codes_without_texts_may_be_drawn_but_not_published() -> None:
    drawn = Columns(columns=(Coded(name="k", codes=np.array([4, 0], np.int16)),))
    assert drawn.rows == 2
    with pytest.raises(Defect, match="without texts"):
        Published(columns=drawn.columns)


def test_that_records_of_categories_alone_can_be_published() -> None:
    answer = Coded(name="answer", codes=np.array([0, 1, 1], np.int8), values=("no", "yes"), role=ColumnRole.VALUE)
    records = Published(columns=(answer, coded("second", ("a", "a", "b"), role=ColumnRole.VALUE)), records=True)
    assert records.rows == 3
    assert records.keys == ()
    assert [column.name for column in records.value_columns] == ["answer", "second"]
    assert records.values.tolist() == [[0, 0], [1, 0], [1, 1]]
    keys_alone = Published(columns=(coded("place", ("A", "B")),))
    assert keys_alone.values.shape == (2, 0)


def test_that_columns_are_found_by_name_and_kind() -> None:
    found = table({"place": ("A",)}, units([3]))
    assert found.coded("place").texts() == ["A"]
    assert found.units("v").texts() == ["3"]
    assert found.names == ("place", "v")
    for ask, name in ((found.coded, "v"), (found.units, "place"), (found.column, "other")):
        with pytest.raises(Defect):
            ask(name)

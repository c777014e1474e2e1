"""What is published is whole: a table or a release that is not cannot even be made."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.core.errors import Defect
from workbench.core.tables import MISSING, PublicTable, ValueColumn
from workbench.mechanisms.contract import Release

NOT_WHOLE = [np.array([1.0, 2.0]), np.array([1.5, 2.5]), np.array([1, 2], dtype=np.int32), np.array([True, False])]


@pytest.mark.parametrize("values", NOT_WHOLE, ids=lambda values: str(values.dtype))
def test_that_values_of_another_type_are_a_defect_before_anything_is_stored(values: np.ndarray) -> None:  # type: ignore[type-arg]
    with pytest.raises(Defect, match="64-bit integers"):
        PublicTable(columns=("place",), keys=(("A", "B"),), value_name="jobs", values=values)
    with pytest.raises(Defect, match="64-bit integers"):
        Release(values=values, mechanism="laplace", version=1)


def test_that_keys_that_do_not_line_up_are_a_defect() -> None:
    values = np.array([1, 2], dtype=np.int64)
    for columns, keys in ((("place",), (("A",),)), (("place", "sex"), (("A", "B"),))):
        with pytest.raises(Defect, match="line up"):
            PublicTable(columns=columns, keys=keys, value_name="jobs", values=values)


def columns(values: list[list[int]], *decimals: int) -> PublicTable:
    layout = tuple(ValueColumn(name=f"v{place}", decimals=places) for place, places in enumerate(decimals))
    numbers = np.array(values, dtype=np.int64)
    keys = (tuple(str(row) for row in range(len(values))),)
    return PublicTable(columns=("k",), keys=keys, value_name="v0", values=numbers, layout=layout)


def test_that_every_column_shows_its_declared_decimals_exactly() -> None:
    table = columns([[7, 5, 2**62], [-7, -1205, MISSING]], 0, 2, 15)
    assert table.texts(0) == ["7", "-7"]
    assert table.texts(1) == ["0.05", "-12.05"]
    assert table.texts(2) == ["4611.686018427387904", ""]
    assert table.numbers(1).tolist() == [0.05, -12.05]
    assert np.isnan(table.numbers(2)[1])
    assert table.given(2).tolist() == [True, False]


def test_that_one_column_of_a_layout_needs_no_second_dimension() -> None:
    values = np.array([125, MISSING], dtype=np.int64)
    layout = (ValueColumn(name="pay", decimals=2),)
    table = PublicTable(columns=("k",), keys=(("a", "b"),), value_name="pay", values=values, layout=layout)
    assert table.texts() == ["1.25", ""]


def test_that_a_table_without_a_layout_has_one_column_of_whole_numbers_and_nothing_missing() -> None:
    values = np.array([3, MISSING], dtype=np.int64)
    table = PublicTable(columns=("k",), keys=(("a", "b"),), value_name="jobs", values=values)
    assert table.value_columns == (ValueColumn(name="jobs"),)
    assert table.texts() == ["3", str(MISSING)]
    assert table.numbers().tolist() == [3.0, float(MISSING)]


def test_that_values_that_do_not_fit_the_layout_are_a_defect() -> None:
    pair = np.array([[1, 2]], dtype=np.int64)
    two = (ValueColumn(name="a"), ValueColumn(name="b"))
    for values, layout in ((pair, ()), (pair, two[:1]), (pair[0][:1], two), (pair, (*two, ValueColumn(name="c")))):
        with pytest.raises(Defect, match="do not fit its columns"):
            PublicTable(columns=(), keys=(), value_name="a", values=values, layout=layout)
    with pytest.raises(Defect, match="same name"):
        PublicTable(columns=("a",), keys=(("x",),), value_name="a", values=pair, layout=two)
    with pytest.raises(Defect, match="decimals"):
        ValueColumn(name="a", decimals=16)


def test_that_a_release_may_hold_several_values_for_each_row() -> None:
    assert Release(values=np.zeros((3, 2), np.int64), mechanism="m", version=1).values.shape == (3, 2)
    with pytest.raises(Defect, match="neither one nor several"):
        Release(values=np.zeros((3, 2, 1), np.int64), mechanism="m", version=1)

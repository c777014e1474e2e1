"""Every published column comes back from its bytes as it was, in as few of them as it needs."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.published import same
from workbench.core.published import MISSING, NO_CODE, Coded, Column, ColumnRole, Columns, Units
from workbench.project.tables.column_bytes import packed, unpacked, without_rows

WHOLE = np.iinfo(np.int64)


def again(column: Column) -> Column:
    made = packed(column)
    row = {"packing": made.packing, "dictionary": made.dictionary, "body": made.body}
    return unpacked(made.described, row, len(column))


def alike(one: Column, other: Column) -> bool:
    return same(Columns(columns=(one,)), Columns(columns=(other,)))


@st.composite
def codes(draw: st.DrawFn) -> Coded:
    levels = draw(st.sampled_from([1, 2, 3, 4, 5, 15, 16, 17, 127, 128, 129, 255, 256, 257, 65_536, 65_537]))
    least = draw(st.sampled_from([NO_CODE, 0]))
    drawn = draw(st.lists(st.integers(least, levels - 1) | st.sampled_from([least, levels - 1]), max_size=40))
    values = tuple(map(str, range(levels)))
    labels = tuple(f"the {value}" for value in values) if draw(st.booleans()) else ()
    role = draw(st.sampled_from(ColumnRole))
    return Coded(name="k", codes=np.array(drawn, np.int32), values=values, labels=labels, title="K é", role=role)


@settings(deadline=None)
@given(codes())
def test_that_codes_come_back(column: Coded) -> None:
    found = again(column)
    assert isinstance(found, Coded)
    assert np.array_equal(found.codes, column.codes)
    assert (found.values, found.labels) == (column.values, column.labels)
    assert alike(found, column)


@given(
    st.lists(st.integers(-300, 300) | st.integers(WHOLE.min, WHOLE.max) | st.just(MISSING), max_size=40),
    st.integers(0, 15),
    st.booleans(),
    st.booleans(),
)
def test_that_numbers_come_back(values: list[int], decimals: int, gaps: bool, additive: bool) -> None:
    integers = np.array(values, np.int64)
    column = Units(name="v", integers=integers, decimals=decimals, gaps=gaps, additive=additive, unit="€", title="V")
    assert alike(again(column), column)


@pytest.mark.parametrize(
    ("levels", "missing", "bits"),
    [(1, False, 1), (2, False, 1), (2, True, 2), (4, False, 2), (4, True, 4), (16, False, 4), (16, True, 8),
     (256, False, 8), (256, True, 16), (40_000, True, 16), (70_000, False, 32)],
)  # fmt: skip
def test_that_codes_take_as_few_bits_as_their_values_need(levels: int, missing: bool, bits: int) -> None:
    drawn = np.random.default_rng(1).integers(NO_CODE if missing else 0, levels, 8000).astype(np.int32)
    made = packed(Coded(name="k", codes=drawn, values=tuple(map(str, range(levels)))))
    body = zlib.decompress(made.body) if made.packing else made.body
    assert len(body) == 1000 * bits


@pytest.mark.parametrize(("most", "wide"), [(127, 1), (128, 2), (2**15, 4), (2**31 - 1, 4), (2**31, 8)])
def test_that_numbers_take_as_few_bytes_as_the_largest_needs(most: int, wide: int) -> None:
    drawn = np.random.default_rng(1).integers(-most, most, 1000, endpoint=True)
    drawn[0] = most
    assert len(packed(Units(name="v", integers=drawn)).body) == 1000 * wide


def test_that_sorted_keys_are_compressed() -> None:
    made = packed(Coded(name="k", codes=np.repeat(np.arange(100, dtype=np.int32), 1000), values=tuple("ab" * 50)))
    assert made.packing == "zlib"
    assert len(made.body) < 2000


def test_that_the_same_column_always_has_the_same_digest_and_another_has_another() -> None:
    column = Coded(name="k", codes=np.array([0, 1, 1], np.int8), values=("a", "b"))
    others: list[Any] = [
        Coded(name="k", codes=np.array([0, 1, 0], np.int8), values=("a", "b")),
        Coded(name="k", codes=column.codes, values=("a", "c")),
        Coded(name="k", codes=column.codes, values=("a", "b"), labels=("A", "B")),
    ]
    told = [(packed(each).described["texts"], packed(each).described["body"]) for each in (column, *others)]
    wider = Coded(name="k", codes=column.codes.astype(np.int32), values=("a", "b"))
    assert packed(wider).described == packed(column).described
    assert len(set(told)) == len(told)


def test_that_a_column_can_be_described_without_its_rows() -> None:
    pay = Units(name="pay", integers=np.array([125]), decimals=2, additive=False, unit="€")
    found = without_rows(packed(pay).described)
    assert (found.name, found.measures, len(found)) == ("pay", True, 0)
    assert without_rows(packed(Coded(name="k", codes=np.zeros(1, np.int8), values=("a",))).described).name == "k"

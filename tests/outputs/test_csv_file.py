"""A released table as CSV holds what was published, to the last digit, and nothing that runs."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.published import counts, table
from workbench.core.published import MISSING, NO_CODE, Coded, ColumnRole, Published, Units
from workbench.outputs import csv_file
from workbench.outputs.csv_file import csv_bytes

WHOLE = np.iinfo(np.int64)


def read(made: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(made.decode("utf-8"), newline="")))


def test_that_a_table_keeps_codes_as_text_and_counts_as_numbers() -> None:
    keys = {"place": ("007", "Zürich"), "sector": ('a "b", c', "11")}
    made = csv_bytes(counts(keys, "jobs", np.array([-3, 12_345_678])))
    assert made == 'place,sector,jobs\r\n007,"a ""b"", c",-3\r\nZürich,11,12345678\r\n'.encode()


def test_that_no_text_in_a_table_runs_as_a_formula() -> None:
    evil = ("=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1+1", "safe=1", "", "-3", "-0.5")
    numbers = np.arange(len(evil)) - 4
    rows = read(csv_bytes(counts({"=name": evil}, "@jobs", numbers)))
    assert rows[0] == ["'=name", "'@jobs"]
    assert [row[0] for row in rows[1:]] == [f"'{cell}" for cell in evil[:8]] + list(evil[8:])
    assert [int(row[1]) for row in rows[1:]] == numbers.tolist()


def test_that_a_cell_stays_whole_where_spreadsheets_part_at_semicolons_and_tabs() -> None:
    made = csv_bytes(counts({"k": ("a;=1+1", "b\t=2", 'c"=3')}, "n", np.array([1, 2, 3])))
    assert made == b'k,n\r\n"a;=1+1",1\r\n"b\t=2",2\r\n"c""=3",3\r\n'


def test_that_signs_nobody_sees_are_seen_in_a_table() -> None:
    keys = ("x\x00y", "a\u202eb", "\x1b[31mred", "plain")
    made = csv_bytes(counts({"k": keys}, "n", np.array([1, 2, 3, 4]))).decode()
    assert made == "k,n\r\nx\ufffdy,1\r\na\ufffdb,2\r\n\ufffd[31mred,3\r\nplain,4\r\n"


def test_that_records_of_categories_have_no_column_beside_their_own() -> None:
    codes = np.array([1, NO_CODE, 0], np.int8)
    made = Published(
        columns=(
            Coded(name="a", codes=codes, values=("no", "yes"), role=ColumnRole.VALUE),
            Coded(name="b", codes=codes[::-1].copy(), values=("x", "y"), role=ColumnRole.VALUE),
        ),
        records=True,
    )
    assert csv_bytes(made) == b"a,b\r\nyes,x\r\n,\r\nno,y\r\n"


@given(
    st.lists(st.integers(WHOLE.min, WHOLE.max) | st.sampled_from([MISSING, 0, -1, WHOLE.max]), max_size=30),
    st.integers(0, 15),
    st.booleans(),
)
def test_that_every_number_is_written_as_its_own_text(values: list[int], decimals: int, gaps: bool) -> None:
    """The strip of digits against the decimal texts that a column makes one at a time."""
    column = Units(name="n", integers=np.array(values, np.int64), decimals=decimals, gaps=gaps)
    lines = csv_bytes(table({"k": ["x"] * len(values)}, column)).decode("utf-8").split("\r\n")
    assert lines == ["k,n", *(f"x,{text}" for text in column.texts()), ""]


@pytest.mark.parametrize("most", [0, 2**28])
def test_that_blocks_and_long_texts_make_no_difference(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{row % 7} " * (row % 50) + "end" for row in range(1000)]
    wide = counts({"k": texts, "again": texts[::-1]}, "n", np.arange(1000))
    expected = csv_bytes(wide)
    monkeypatch.setattr(csv_file, "_BLOCK", 1000)
    monkeypatch.setattr(csv_file, "_MOST_TEXT", most)
    assert csv_bytes(wide) == expected
    assert [row[0] for row in read(expected)[1:]] == texts

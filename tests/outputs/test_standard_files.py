"""Every file of a release gives back what was published: names, labels, every digit, and what is missing."""

from __future__ import annotations

import csv
import io
import json
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pyreadstat
import pytest

from tests.published import counts
from workbench.core.published import MISSING, NO_CODE, Coded, ColumnRole, Published, Units
from workbench.outputs.standard import standard_files
from workbench.outputs.stata_file import stata_bytes


def published(records: bool = True) -> Published:
    """A key with codes that begin with zeros, an answer with labels, a count, a mean of two decimals with a gap."""
    answers = np.array([0, NO_CODE, 1, 1], np.int8)
    return Published(
        columns=(
            Coded(name="place", codes=np.array([0, 1, 1, 0], np.int32), values=("007", "Zürich"), title="Place of é"),
            Coded(
                name="sex", codes=answers, values=("1", "2"), labels=("man", "woman é"), title="Sex",
                role=ColumnRole.VALUE,
            ),
            Units(name="jobs", integers=np.array([3, -1, 0, 12_345_678]), unit="jobs", title="Jobs in all"),
            Units(
                name="mean pay", integers=np.array([125_050, MISSING, -5, 0]), decimals=2, unit="€", additive=False,
                gaps=True,
            ),
        ),
        records=records,
    )  # fmt: skip


def made(kind: str, of: Published | None = None) -> bytes:
    return next(file for file in standard_files(of or published()) if file.kind == kind).write()


def test_that_names_say_what_a_file_holds_and_the_csv_comes_first() -> None:
    names = [[file.of("R-0007") for file in standard_files(published(records=kind))] for kind in (False, True)]
    assert names[0] == ["R-0007-table.csv", "R-0007-code-book.csv", "R-0007-table.parquet", "R-0007-table.dta"]
    assert names[1][0] == "R-0007-records.csv"
    assert [file.kind for file in standard_files(published()) if file.lasting] == ["csv"]


def test_that_parquet_gives_back_every_digit_and_every_label() -> None:
    table = pq.read_table(io.BytesIO(made("parquet")))
    assert table.column_names == ["place", "sex", "jobs", "mean pay"]
    assert table["place"].to_pylist() == ["007", "Zürich", "Zürich", "007"]
    assert table["sex"].to_pylist() == ["1", None, "2", "2"]
    assert table["jobs"].to_pylist() == [3, -1, 0, 12_345_678]
    assert table["mean pay"].to_pylist() == [Decimal("1250.50"), None, Decimal("-0.05"), Decimal("0.00")]
    told = {field.name: field.metadata for field in table.schema}
    assert told["place"][b"title"].decode() == "Place of é"
    assert json.loads(told["sex"][b"labels"]) == {"1": "man", "2": "woman é"}
    assert (told["jobs"][b"unit"], told["mean pay"][b"unit"].decode()) == (b"jobs", "€")


@pytest.mark.parametrize("integer", [2**62, -(2**62), np.iinfo(np.int64).max, np.iinfo(np.int64).min])
def test_that_parquet_holds_the_largest_decimals_exactly(integer: int) -> None:
    column = Units(name="v", integers=np.array([integer]), decimals=15)
    (found,) = pq.read_table(io.BytesIO(made("parquet", Published(columns=(column,)))))["v"].to_pylist()
    assert str(found) == column.texts()[0]


def read_stata(content: bytes, folder: Path) -> tuple[Any, Any]:
    path = folder / "values.dta"
    path.write_bytes(content)
    return pyreadstat.read_dta(path)


def test_that_stata_gets_numbers_with_labels_and_codes_as_text(tmp_path: Path) -> None:
    frame, meta = read_stata(made("stata"), tmp_path)
    assert list(frame.columns) == ["place", "sex", "jobs", "mean_pay"]
    assert meta.column_names_to_labels == {
        "place": "Place of é", "sex": "Sex", "jobs": "Jobs in all", "mean_pay": "mean pay",
    }  # fmt: skip
    assert meta.variable_value_labels == {"sex": {1: "man", 2: "woman é"}}
    assert frame["place"].tolist() == ["007", "Zürich", "Zürich", "007"]
    assert frame["jobs"].tolist() == [3, -1, 0, 12_345_678]
    assert frame["sex"].tolist()[2:] == [2, 2]
    assert frame["mean_pay"].tolist()[2:] == [-0.05, 0.0]
    assert [bool(each) for each in frame.isna().iloc[1]] == [False, True, False, True]


def test_that_stata_gets_names_it_allows_each_once(tmp_path: Path) -> None:
    names = ["if", "mean pay", "mean-pay", "2020", "MEAN_PAY", "x" * 40, "x" * 39, "str12", "Größe"]
    columns = tuple(Units(name=name, integers=np.array([place])) for place, name in enumerate(names))
    frame, meta = read_stata(stata_bytes(Published(columns=columns)), tmp_path)
    assert len({name.casefold() for name in frame.columns}) == len(names)
    assert frame.iloc[0].tolist() == list(range(len(names)))
    assert list(meta.column_labels) == names


def test_that_stata_gets_more_digits_than_a_double_holds_as_text(tmp_path: Path) -> None:
    for large in (2**53 + 1, -(10**15), np.iinfo(np.int64).min):
        frame, _ = read_stata(stata_bytes(counts({"k": ("a", "b")}, "n", np.array([large, 5]))), tmp_path)
        assert frame["n"].tolist() == [str(large), "5"]
    frame, _ = read_stata(stata_bytes(counts({"k": ("a", "b")}, "n", np.array([10**15 - 1, 5]))), tmp_path)
    assert frame["n"].tolist() == [10**15 - 1, 5]


def test_that_a_release_always_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = [file.write() for file in standard_files(published())]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 86_400)
    assert [file.write() for file in standard_files(published())] == first
    assert b"01 Jan 1960" in first[-1][:200]


def test_that_the_code_book_explains_every_column_and_value() -> None:
    rows = list(csv.reader(io.StringIO(made("code-book").decode("utf-8"), newline="")))
    assert rows[0] == ["column", "title", "holds", "unit", "decimals", "value", "label"]
    assert ["sex", "Sex", "category; empty: no value", "", "", "", ""] in rows
    assert ["sex", "", "value", "", "", "2", "woman é"] in rows
    assert ["place", "", "value", "", "", "007", ""] in rows
    assert ["jobs", "Jobs in all", "counts", "jobs", "0", "", ""] in rows
    assert ["mean pay", "", "numbers; empty: no value", "€", "2", "", ""] in rows
    assert len(rows) == 1 + 4 + 4


def test_that_a_long_list_without_labels_is_not_repeated() -> None:
    many = [str(number) for number in range(2000)]
    book = made("code-book", counts({"block": many}, "n", np.zeros(2000, np.int64))).decode("utf-8")
    assert len(book.splitlines()) == 3

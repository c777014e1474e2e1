"""Files of other programs that are damaged, cut short or hold more than plain values."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from tests.microdata.places import loaded, texts, written
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.inspect import inspect
from workbench.microdata.job_suggestions import suggest_job_roles
from workbench.microdata.load import load
from workbench.microdata.options import Header, ReadOptions
from workbench.microdata.readers import statistical
from workbench.microdata.roles import Role

JOBS = pd.DataFrame({"worker": [f"W{i:04d}" for i in range(60)], "estab": [f"E{i % 7}" for i in range(60)]})


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def spoilt(content: bytes, chance: random.Random) -> bytes:
    """The content cut short, with some bytes changed, or with a stretch of zeros."""
    kind, bytes_ = chance.randrange(3), bytearray(content)
    if kind == 0:
        return content[: chance.randrange(1, len(content))]
    if kind == 1:
        for _ in range(chance.choice([1, 3, 20])):
            bytes_[chance.randrange(len(content))] = chance.randrange(256)
        return bytes(bytes_)
    start = chance.randrange(len(content))
    bytes_[start : start + 50] = bytes(50)
    return bytes(bytes_)


def test_that_a_damaged_workbook_is_a_sentence_wherever_the_damage_is(tmp_path: Path) -> None:
    whole = workbook(tmp_path / "x.xlsx", jobs=[list(JOBS.columns), *JOBS.to_numpy().tolist()]).read_bytes()
    chance, refused = random.Random(5), 0
    for _ in range(150):
        try:
            inspect(written(tmp_path, spoilt(whole, chance), "y.xlsx"), ReadOptions(), QUIET, suggest=suggest_job_roles)
        except UserProblem:
            refused += 1
    assert refused > 50


def test_that_a_column_name_that_is_no_text_is_called_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyreadstat.write_sav(JOBS, tmp_path / "x.sav")
    real: Callable[..., Any] = statistical._read

    def broken(*args: Any, **settings: Any) -> Any:
        cells, about = real(*args, **settings)
        about.column_names = [None, "estab"]
        return cells, about

    monkeypatch.setattr(statistical, "_read", broken)
    with pytest.raises(UserProblem, match="damaged"):
        loaded(tmp_path / "x.sav")


@pytest.mark.parametrize("version", [5, 8])
@pytest.mark.parametrize("cut", [1, 40, 80, 81, 160])
def test_that_a_transport_file_cut_short_loses_no_rows_silently(tmp_path: Path, cut: int, version: int) -> None:
    pyreadstat.write_xport(JOBS, tmp_path / "x.xpt", file_format_version=version)
    whole = (tmp_path / "x.xpt").read_bytes()
    assert loaded(tmp_path / "x.xpt").rows == 60
    with pytest.raises(UserProblem, match="damaged or cut short"):
        loaded(written(tmp_path, whole[:-cut], "y.xpt"))


def nested(folder: Path) -> Path:
    columns = {"estab": ["E1", "E2"], "tags": [[1], [2, 3]], "home": [{"a": 1}, {"a": 2}]}
    pq.write_table(pa.table(columns), folder / "x.parquet")
    return folder / "x.parquet"


def test_that_lists_in_one_column_do_not_block_the_others(tmp_path: Path) -> None:
    path = nested(tmp_path)
    assert texts(loaded(path, roles={"estab": Role.ESTABLISHMENT, "tags": Role.IGNORE}), "estab") == ["E1", "E2"]
    assert tuple(loaded(path).columns) == ("estab",)


def test_that_inspect_lists_columns_of_lists_to_be_ignored(tmp_path: Path) -> None:
    found = {
        column.name: column
        for column in inspect(nested(tmp_path), ReadOptions(), QUIET, suggest=suggest_job_roles).columns
    }
    assert list(found) == ["estab", "tags", "home"]
    assert (found["tags"].type, found["tags"].suggested_role) == ("lists or records", Role.IGNORE)
    assert not found["home"].counted and found["estab"].counted


def test_that_all_columns_of_lists_with_a_role_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserProblem) as caught:
        loaded(nested(tmp_path), roles=dict.fromkeys(("estab", "tags", "home"), Role.PERSON))
    assert [problem.what for problem in caught.value.problems] == [
        "“tags” holds lists or records", "“home” holds lists or records",
    ]  # fmt: skip


def test_that_bytes_that_are_no_text_do_not_block_a_file(tmp_path: Path) -> None:
    columns = {"a": pa.array([b"\xff\x00", b"ok", None]), "b": pa.array([1.5, 2, None], pa.float16())}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    data = loaded(tmp_path / "x.parquet")
    assert data.coded("a").missing == 1 and len(data.coded("a").values) == 2
    assert texts(data, "b") == ["1.5", "2", None]


def test_that_a_parquet_column_without_a_name_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["", "b"]), tmp_path / "x.parquet")
    with pytest.raises(UserProblem, match="Column 1 has no name"):
        loaded(tmp_path / "x.parquet")


def test_that_only_sheets_with_data_are_offered(tmp_path: Path) -> None:
    rows = [["a", "b"], ["x", "y"]]
    path = workbook(tmp_path / "x.xlsx", One=rows, Empty=[], Two=rows)
    with pytest.raises(UserProblem, match="Several sheets hold data: “One”, “Two”"):
        loaded(path)


def test_that_a_first_row_of_numbers_is_asked_about(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", s=[[1, 2], [3, 4], [5, 6]])
    with pytest.raises(UserProblem, match="The first row holds only numbers"):
        loaded(path)
    assert texts(loaded(path, header=Header.ABSENT), "column_1") == ["1", "3", "5"]
    assert texts(loaded(path, header=Header.PRESENT), "2") == ["4", "6"]


def test_that_a_row_with_more_cells_than_names_is_told_by_its_number(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", s=[["a", "b"], [], ["x", "y"], ["x", "y", "secret"]])
    with pytest.raises(UserProblem, match="Row 4 has more cells than there are names") as caught:
        loaded(path)
    assert "secret" not in str(caught.value)


def test_that_formulas_that_were_never_calculated_are_told(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", s=[["a", "b", "c"], ["x", "=A1", None], ["y", "=A2", None]])
    kinds = {
        column.name: column.type for column in inspect(path, ReadOptions(), QUIET, suggest=suggest_job_roles).columns
    }
    assert kinds == {"a": "text", "b": "formulas that were never calculated", "c": "empty"}
    assert loaded(path, roles={"a": Role.PERSON}).rows == 2
    with pytest.raises(UserProblem, match=r"“b” holds formulas .* Open the file in a spreadsheet program and save it"):
        loaded(path, roles={"a": Role.PERSON, "b": Role.PERSON})


def test_that_categories_as_polars_writes_them_are_codes(tmp_path: Path) -> None:
    codes = pa.DictionaryArray.from_arrays(pa.array([0, None, 1], pa.uint32()), pa.array(["x", "y"]))
    pq.write_table(pa.table({"a": codes}), tmp_path / "jobs.parquet")
    assert texts(loaded(tmp_path / "jobs.parquet"), "a") == ["x", None, "y"]


def test_that_types_of_other_programs_are_told(tmp_path: Path) -> None:
    pd.DataFrame({"a": pd.period_range("2026Q1", periods=2, freq="Q")}).to_parquet(tmp_path / "jobs.parquet")
    with pytest.raises(UserProblem, match="“a” holds values of the special type pandas"):
        load(tmp_path / "jobs.parquet", ReadOptions(), {"a": Role.WORKPLACE}, None, QUIET)


def test_that_categories_of_no_row_are_no_values(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["f", None, "m"] * 4, categories=["d", "f", "m", "x"])})
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "jobs.parquet", row_group_size=2)
    data = loaded(tmp_path / "jobs.parquet")
    assert data.coded("a").values == ("f", "m")
    assert texts(data, "a") == ["f", None, "m"] * 4

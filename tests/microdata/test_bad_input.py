"""Every bad file gets one clear sentence that says what, where and what to do, and never shows data."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.microdata.places import JOBS, loaded, written
from workbench.core.errors import UserProblem
from workbench.microdata.roles import Role, Roles


def sentence(path: Path, roles: Roles | None = None, **options: object) -> str:
    with pytest.raises(UserProblem) as caught:
        loaded(path, roles=roles, **options)
    assert len(caught.value.problems) == 1
    told = caught.value.problems[0].sentence()
    assert "Error" not in told and "\n" not in told
    return told


def test_that_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "There is no such file" in sentence(tmp_path / "nothing.csv")


def test_that_a_folder_is_refused(tmp_path: Path) -> None:
    assert "folder" in sentence(tmp_path)


def test_that_an_unknown_ending_lists_the_known_ones(tmp_path: Path) -> None:
    assert ".parquet" in sentence(written(tmp_path, "a", "x.docx"))


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.dta", "x.xlsx", "x.sav"])
def test_that_an_empty_file_is_called_empty(tmp_path: Path, name: str) -> None:
    assert "empty" in sentence(written(tmp_path, "", name))


@pytest.mark.parametrize("content", ["\n\n", "\ufeff", "  \n"])
def test_that_a_file_of_blanks_holds_no_data(tmp_path: Path, content: str) -> None:
    assert "no data" in sentence(written(tmp_path, content))


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\n\n\n"])
def test_that_names_without_rows_are_refused(tmp_path: Path, content: str) -> None:
    assert "no rows" in sentence(written(tmp_path, content))


def test_that_a_parquet_file_without_rows_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "x.parquet")
    assert "no rows" in sentence(tmp_path / "x.parquet")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PAR1" + bytes(100), "Parquet"), (b"PK\x03\x04" + bytes(100), "zip or Excel"),
        (bytes(range(256)) * 9, "binary"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "image"), (b"a,b\n1,\x002\n", "binary"),
    ],
)  # fmt: skip
def test_that_a_binary_file_named_csv_is_recognised(tmp_path: Path, content: bytes, what: str) -> None:
    assert what in sentence(written(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "do"),
    [
        (b"%PDF-1.7 text", "Choose a data file"),
        (b"\xd0\xcf\x11\xe0 old", "Save it as .xlsx or as text"),
        (b"PAR1 rows", "Correct the ending of its name"),
    ],
)
def test_that_another_name_is_advised_only_where_it_helps(tmp_path: Path, content: bytes, do: str) -> None:
    assert do in sentence(written(tmp_path, content))


def test_that_a_ragged_row_is_named_by_its_line(tmp_path: Path) -> None:
    told = sentence(written(tmp_path, 'a,b\n1,2\n"x\ny",4\nsecret\n1,2\n'))
    assert "Line 5 has 1 field where 2 are expected" in told
    assert "secret" not in told


def test_that_several_ragged_rows_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(UserProblem) as caught:
        loaded(written(tmp_path, "a,b\n1,2\n1\n1,2,3\n1,2\n"))
    assert [p.what.split(" has")[0] for p in caught.value.problems] == ["Line 3", "Line 4"]


def test_that_a_ragged_row_far_into_the_file_is_found(tmp_path: Path) -> None:
    lines = ["a,b", *["1,2"] * 300_000, "1,2,3", *["1,2"] * 10]
    assert "Line 300002 has 3 fields" in sentence(written(tmp_path, "\n".join(lines)))


def test_that_an_open_quotation_mark_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    assert "quotation marks" in sentence(written(tmp_path, 'a,b\n1,2\n"secret,2\n1,2\n'))


def test_that_a_missing_column_names_its_nearest_kin(tmp_path: Path) -> None:
    told = sentence(written(tmp_path, JOBS), {"establ": Role.ESTABLISHMENT})
    assert "There is no column “establ”" in told and "“estab”" in told


def test_that_all_missing_columns_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserProblem) as caught:
        loaded(written(tmp_path, JOBS), roles={"x": Role.PERSON, "y": Role.PERSON})
    assert len(caught.value.problems) == 2


def test_that_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    assert "Columns 1 and 3 have the same name" in sentence(written(tmp_path, "a,b,a\n1,2,3\n"))
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "x.parquet")
    assert "called “a”" in sentence(tmp_path / "x.parquet")


def test_that_a_column_without_a_name_is_refused(tmp_path: Path) -> None:
    assert "Column 2 has no name" in sentence(written(tmp_path, "a,,c\n1,2,3\n"))
    assert "Columns 1, 2 and 4 have no name" in sentence(written(tmp_path, ",,c, ,e\n1,2,3,4,5\n"))


def test_that_a_used_column_must_hold_something(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n1,\n2, \n")
    assert "Every value of “b” is missing" in sentence(path, {"a": Role.PERSON, "b": Role.PERSON})
    assert loaded(path, roles={"a": Role.PERSON}).rows == 2
    assert loaded(path).columns["b"].missing == 2


def test_that_ignoring_everything_is_refused(tmp_path: Path) -> None:
    assert "ignored" in sentence(written(tmp_path, "a,b\n1,2\n"), {"a": Role.IGNORE})


@pytest.mark.parametrize("name", ["x.parquet", "x.dta", "x.sav", "x.sas7bdat", "x.xpt", "x.xlsx"])
def test_that_a_damaged_file_is_called_so(tmp_path: Path, name: str) -> None:
    assert "damaged" in sentence(written(tmp_path, b"certainly not this format" * 40, name))


def test_that_a_truncated_parquet_file_is_called_damaged(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [f"v{i}" for i in range(5000)]}), tmp_path / "x.parquet")
    whole = (tmp_path / "x.parquet").read_bytes()
    assert "damaged" in sentence(written(tmp_path, whole[: len(whole) // 2], "y.parquet"))
    broken = whole[:100] + bytes(200) + whole[300:]
    assert "damaged" in sentence(written(tmp_path, broken, "z.parquet"))


def test_that_a_broken_gzip_file_is_called_damaged(tmp_path: Path) -> None:
    assert "damaged" in sentence(written(tmp_path, b"not compressed", "x.csv.gz"))


def test_that_text_in_a_column_of_numbers_is_told_without_the_text(tmp_path: Path) -> None:
    told = sentence(written(tmp_path, "w,k\nsecret,1\n2,1\n"), {"w": Role.WEIGHT})
    assert "not a number" in told and "secret" not in told


def test_that_lists_in_parquet_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [[1, 2], [3]]}), tmp_path / "x.parquet")
    assert "lists" in sentence(tmp_path / "x.parquet")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_that_a_forbidden_file_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, JOBS)
    path.chmod(0)
    assert "may not be read" in sentence(path)


def test_that_a_refusal_of_the_system_becomes_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, JOBS)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(Path, "open", refuse)
    assert "may not be read" in sentence(path)

"""A small file that would fill the memory is refused by what it says of itself, before it is unpacked."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.said import dwb, one_sentence
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.header import named_twice
from workbench.microdata.inspect import inspect
from workbench.microdata.job_suggestions import suggest_job_roles
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role

_HUGE = 300 * 2**20


def test_that_a_parquet_file_with_one_huge_cell_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    table = pa.table({"place": pa.array(["x" * _HUGE, "b"])})
    pq.write_table(table, path, compression="zstd", use_dictionary=False, write_statistics=False)
    assert path.stat().st_size < 2**20
    one_sentence(dwb("inspect", path), "once unpacked", "300 MB")


def test_that_a_huge_value_that_no_packing_betrays_is_named(tmp_path: Path) -> None:
    values = ["x", "y" * (17 << 20)]
    pq.write_table(pa.table({"note": values, "sex": ["f", "m"]}), tmp_path / "jobs.parquet", compression="none")
    with pytest.raises(UserProblem, match="“note” holds a value of 17 MB"):
        load(tmp_path / "jobs.parquet", ReadOptions(), None, None, QUIET)
    roles = {"note": Role.IGNORE, "sex": Role.PERSON}
    assert load(tmp_path / "jobs.parquet", ReadOptions(), roles, None, QUIET).rows == 2
    with pytest.raises(UserProblem, match=r"jobs\.parquet: “note” holds"):
        load(tmp_path / "jobs.parquet", ReadOptions(), {**roles, "note": Role.PERSON}, None, QUIET)
    seen = inspect(tmp_path / "jobs.parquet", ReadOptions(), QUIET, suggest=suggest_job_roles)
    assert [(column.type, column.suggested_role) for column in seen.columns] == [
        ("a value of 17 MB", Role.IGNORE), ("text", Role.PERSON),
    ], "so that the role that answers it can be given"  # fmt: skip


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("quoted", ["", '"'])
def test_that_a_line_of_many_megabytes_is_named_and_never_held(tmp_path: Path, ends: str, quoted: str) -> None:
    path = tmp_path / "jobs.csv"
    lines = [
        "place,note",
        *(f"{place:07},x" for place in range(200_000)),
        f"1,{quoted}{'y' * (24 << 20)}{quoted}",
        "2,z",
    ]
    path.write_bytes(ends.join([*lines, ""]).encode())
    del lines
    with pytest.raises(UserProblem, match="Line 200002 is longer than 4 MB"):
        load(path, ReadOptions(), None, None, QUIET)


def test_that_a_workbook_with_one_huge_part_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book, book.open("xl/worksheets/sheet1.xml", "w") as part:
        for _ in range(_HUGE // 2**20):
            part.write(b" " * 2**20)
    assert path.stat().st_size < 2**20
    one_sentence(dwb("inspect", path), "once unpacked", "300 MB")


@pytest.mark.parametrize("twice", [(), ("c7",), ("c9", "c7")])
def test_that_names_given_twice_are_found_among_many(twice: tuple[str, ...]) -> None:
    names = [f"c{place}" for place in range(200_000)]
    began = time.process_time()
    assert named_twice([*names, *twice]) == sorted(twice)
    assert time.process_time() - began < 5, "in seconds, where comparing each with each takes many minutes"

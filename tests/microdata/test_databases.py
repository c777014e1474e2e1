"""Tables of databases, folders of Parquet files and packed text: the same data as the plain file."""

from __future__ import annotations

import sqlite3
import zipfile
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq
import pytest

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.table import Microdata

ROWS = [(f"W{number:03}", f"0{number % 3}", number % 5) for number in range(60)]
NAMES = ("worker", "place", "hours")


def read(path: Path, sheet: str = "auto") -> Microdata:
    return load(path, ReadOptions(sheet=sheet), None, None, QUIET)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    text = "\n".join([",".join(NAMES), *(",".join(map(str, row)) for row in ROWS)])
    (tmp_path / "jobs.csv").write_text(text, encoding="utf-8")
    return tmp_path / "jobs.csv"


def in_sqlite(path: Path, tables: tuple[str, ...] = ("jobs",)) -> Path:
    base = sqlite3.connect(path)
    for table in tables:
        base.execute(f'CREATE TABLE "{table}" (worker TEXT, place TEXT, hours INTEGER)')
        base.executemany(f'INSERT INTO "{table}" VALUES (?, ?, ?)', ROWS)
    base.execute("CREATE TABLE gone (x)")
    base.execute("DROP TABLE gone")
    base.commit()
    base.close()
    return path


def in_duckdb(path: Path) -> Path:
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE TABLE jobs (worker VARCHAR, place VARCHAR, hours INTEGER)")
        base.executemany("INSERT INTO jobs VALUES (?, ?, ?)", ROWS)
    return path


def in_folder(folder: Path, plain: Path, parts: int = 3) -> Path:
    folder.mkdir()
    kinds = {name: pa.string() for name in NAMES}
    table = pcsv.read_csv(plain, convert_options=pcsv.ConvertOptions(column_types=kinds))
    for part in range(parts):
        pq.write_table(table.slice(part * 20, 20), folder / f"part-{part}.parquet")
    return folder


def test_that_every_container_holds_the_same_data(tmp_path: Path, plain: Path) -> None:
    packed = tmp_path / "jobs.zip"
    with zipfile.ZipFile(packed, "w") as into:
        into.write(plain, "jobs.csv")
    others = (
        packed,
        in_sqlite(tmp_path / "jobs.sqlite"),
        in_duckdb(tmp_path / "jobs.duckdb"),
        in_folder(tmp_path / "year=2026", plain),
    )
    known = read(plain)
    for path in others:
        found = read(path)
        assert found.rows == 60
        assert found.fingerprint.content == known.fingerprint.content, path.name
        assert found.fingerprint.file, path.name


def test_that_a_changed_part_changes_the_fingerprint_of_a_folder(tmp_path: Path, plain: Path) -> None:
    folder = in_folder(tmp_path / "jobs", plain)
    before = read(folder).fingerprint
    (folder / "part-2.parquet").rename(folder / "part-9.parquet")
    after = read(folder).fingerprint
    assert after.content == before.content
    assert after.file != before.file


def test_that_the_part_with_another_layout_is_named(tmp_path: Path, plain: Path) -> None:
    folder = in_folder(tmp_path / "jobs", plain)
    pq.write_table(pa.table({"worker": ["x"], "region": ["y"]}), folder / "part-7.parquet")
    with pytest.raises(UserProblem, match=r"part-7.parquet and part-0.parquet do not have the same columns"):
        read(folder)


def test_that_a_table_is_asked_for_where_there_are_several(tmp_path: Path) -> None:
    path = in_sqlite(tmp_path / "two.db", ("jobs", "old jobs"))
    with pytest.raises(UserProblem, match=r"several tables.*jobs, old jobs"):
        read(path)
    assert read(path, "old jobs").rows == 60
    with pytest.raises(UserProblem, match="There is no table “job”"):
        read(path, "job")


def test_that_containers_that_hold_nothing_usable_are_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserProblem, match="holds no Parquet file"):
        read(tmp_path / "empty")
    for ending in ("duckdb", "sqlite", "zip"):
        path = tmp_path / f"junk.{ending}"
        path.write_bytes(b"not what it says" * 100)
        with pytest.raises(UserProblem, match="damaged"):
            read(path)
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as into:
        into.writestr("a.csv", "x")
        into.writestr("b.csv", "x")
    with pytest.raises(UserProblem, match="holds 2 files"):
        read(tmp_path / "two.zip")
    in_sqlite(tmp_path / "none.sqlite", ())
    with pytest.raises(UserProblem, match="no table"):
        read(tmp_path / "none.sqlite")

"""Tables of databases, folders of Parquet files and packed text: the same data as the plain file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import zipfile
from pathlib import Path

import duckdb
import pandas as pd
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


@pytest.mark.parametrize("kind", ["parquet", "duckdb", "sqlite", "folder", "csv", "xlsx", "dta"])
def test_that_missing_value_codes_count_in_every_kind_of_file(tmp_path: Path, kind: str) -> None:
    frame = pd.DataFrame({"place": ["01", ".", "02", "."], "pay": [5, -9, 7, 8]})
    path = tmp_path / f"a.{kind}"
    if kind in ("parquet", "folder"):
        path = tmp_path / "parts" / "a.parquet" if kind == "folder" else path
        path.parent.mkdir(exist_ok=True)
        frame.to_parquet(path)
        path = path.parent if kind == "folder" else path
    elif kind == "duckdb":
        with duckdb.connect(str(path)) as base:
            base.execute("CREATE TABLE t AS SELECT * FROM frame")
    elif kind == "sqlite":
        with contextlib.closing(sqlite3.connect(path)) as base:
            frame.to_sql("t", base, index=False)
    elif kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_stata(path, write_index=False)
    read = load(path, ReadOptions(missing=(".", "-9")), None, None, QUIET)
    assert (read.coded("place").values, read.coded("place").missing) == (("01", "02"), 2)
    assert (read.coded("pay").values, read.coded("pay").missing) == (("5", "7", "8"), 1)


def test_that_a_view_of_a_database_reads_no_other_file(tmp_path: Path) -> None:
    """A plan may come from anybody; what lies outside its folder is opened only after a person said so."""
    (tmp_path / "secret.csv").write_text("person\n1\n2\n", encoding="utf-8")
    with duckdb.connect(str(tmp_path / "jobs.duckdb")) as base:
        base.execute(f"CREATE VIEW jobs AS SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')")
    with pytest.raises(UserProblem, match="The table is a view of another file"):
        read(tmp_path / "jobs.duckdb")


def test_that_a_database_open_elsewhere_is_told_apart_from_a_damaged_one(tmp_path: Path) -> None:
    path = in_duckdb(tmp_path / "jobs.duckdb")
    with duckdb.connect(str(path)), pytest.raises(UserProblem, match="in use by another program or session"):
        read(path)


def test_that_a_folder_reads_no_file_elsewhere_through_a_link(tmp_path: Path, plain: Path) -> None:
    folder = in_folder(tmp_path / "jobs", plain)
    pq.write_table(pq.read_table(folder / "part-0.parquet"), tmp_path / "secret.parquet")
    (folder / "part-8.parquet").symlink_to(tmp_path / "secret.parquet")
    with pytest.raises(UserProblem, match=r"part-8.parquet is a link to a file elsewhere"):
        read(folder)


def test_that_a_part_that_holds_another_kind_of_value_is_named(tmp_path: Path, plain: Path) -> None:
    """1 in one file and 01 in another would be two codes of one place."""
    folder = in_folder(tmp_path / "jobs", plain)
    pq.write_table(pa.table({"worker": ["x"], "place": [1], "hours": ["y"]}), folder / "part-7.parquet")
    with pytest.raises(UserProblem, match=r"“place” holds whole numbers in part-7.parquet and text in part-0.parquet"):
        read(folder)
    pq.write_table(pa.table({"worker": ["x"], "place": pa.nulls(1), "hours": ["y"]}), folder / "part-7.parquet")
    assert read(folder).rows == 61, "a part with nothing but gaps fits"


def test_that_a_pattern_names_the_parts_to_read(tmp_path: Path, plain: Path) -> None:
    folder = in_folder(tmp_path / "jobs", plain)
    (folder / "part-2.parquet").rename(folder / "old.parquet")
    found = read(folder / "part-*.parquet")
    assert found.rows == 40
    assert found.fingerprint.file
    with pytest.raises(UserProblem, match="No Parquet file has such a name"):
        read(folder / "year-*.parquet")


def test_that_a_number_of_a_database_is_written_alike_whatever_else_its_column_holds(tmp_path: Path) -> None:
    numbers = [1e-7, 0.1, 2.0, 1e20, 1.5e-5, -3.25]
    found = []
    for name, more in (("a.db", []), ("b.db", ["text"])):
        with contextlib.closing(sqlite3.connect(tmp_path / name)) as base:
            base.execute("CREATE TABLE t (x)")
            base.executemany("INSERT INTO t VALUES (?)", [(value,) for value in [*numbers, *more]])
            base.commit()
        found.append(set(read(tmp_path / name).coded("x").values))
    assert found[1] - found[0] == {"text"}
    assert found[0] < found[1]


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
@pytest.mark.parametrize("name", ["jobs.csv", "jobs.parquet", "jobs.sqlite", "parts/jobs.parquet"])
def test_that_a_pipe_instead_of_a_file_is_told_and_not_waited_for(tmp_path: Path, name: str) -> None:
    pipe = tmp_path / name
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    with pytest.raises(UserProblem, match="pipe or a device"):
        read(pipe.parent if "/" in name else pipe)


def test_that_a_device_instead_of_a_file_is_told() -> None:
    with pytest.raises(UserProblem, match="pipe or a device"):
        read(Path("/dev/zero"))

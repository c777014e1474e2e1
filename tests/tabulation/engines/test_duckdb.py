"""DuckDB says the same as the engine in memory, in one pass or in many, and writes nothing to disk."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tabulation.engines.questions import AGGREGATES, RECORDS, ROLES, with_plants, write_parquet
from tests.tabulation.frames import Frame, microdata, people, shuffled
from workbench.core.errors import Defect, UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role
from workbench.tabulation.aggregates import Count
from workbench.tabulation.contract import Rows
from workbench.tabulation.door import rows_of
from workbench.tabulation.engines.asked import Asked
from workbench.tabulation.engines.in_duckdb import DuckDbEngine
from workbench.tabulation.engines.opening import open_duckdb
from workbench.tabulation.keys import Key
from workbench.tabulation.memory import Memory

QUESTIONS = {**AGGREGATES, **RECORDS}


@pytest.fixture(scope="module")
def frame() -> Frame:
    return with_plants(people(2_000, 1))


@pytest.fixture(scope="module")
def memory(frame: Frame) -> Rows:
    return Memory(microdata(frame))


@pytest.fixture(scope="module")
def duckdb(frame: Frame, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    folder = write_parquet(shuffled(frame, 5), tmp_path_factory.mktemp("rows"), parts=3)
    return rows_of(open_duckdb(folder, ROLES, None, QUIET))


@pytest.mark.parametrize("question", QUESTIONS)
def test_that_duckdb_answers_like_the_engine_in_memory(memory: Rows, duckdb: Rows, question: str) -> None:
    assert QUESTIONS[question](duckdb) == QUESTIONS[question](memory)


@pytest.mark.parametrize("question", QUESTIONS)
def test_that_many_passes_give_the_same_digits(
    memory: Rows, duckdb: Rows, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DuckDbEngine, "first_passes", lambda *_: 5)
    assert QUESTIONS[question](duckdb) == QUESTIONS[question](memory)


def counted(folder: Path, column: str = "sex") -> list[str]:
    data = open_duckdb(folder, {"plant": Role.ESTABLISHMENT, column: Role.PERSON}, None, QUIET)
    found = rows_of(data).grouped([Key.met(column)], {"n": Count()}, QUIET)
    return list(found.met[column].reveal())


def put(file: Path, **columns: list[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), file)


def test_that_no_name_of_a_file_or_folder_is_a_pattern_for_others(tmp_path: Path) -> None:
    put(tmp_path / "jobs[12]" / "a*.parquet", plant=["p", "q"], sex=["f", "m"])
    for other in ("jobs1/a*.parquet", "jobs[12]/ab.txt", "jobs2/a1.parquet"):
        put(tmp_path / other, plant=["other"], sex=["other"])
    put(tmp_path / "it's {rows}" / "a?.parquet", plant=["p"], sex=["f"])
    assert counted(tmp_path / "jobs[12]") == ["f", "m"]
    assert counted(tmp_path / "it's {rows}") == ["f"]


@pytest.mark.parametrize("name", ['a"b', "x/*pass*/", "{rows}", "a' OR TRUE --", "a\nb", "a`b", "c0", "${env:HOME}"])
def test_that_no_name_of_a_column_is_a_part_of_the_query(tmp_path: Path, name: str) -> None:
    put(tmp_path / "a.parquet", **{"plant": ["p", "q"], name: ["f", "m"], "xTRUE": ["other", "other"]})
    assert counted(tmp_path, name) == ["f", "m"]


def test_that_a_column_without_a_name_is_told(tmp_path: Path) -> None:
    put(tmp_path / "a.parquet", plant=["p"], sex=["f"], **{"": ["x"]})
    with pytest.raises(UserProblem, match="A column has no name"):
        counted(tmp_path)


def test_that_a_query_can_open_no_other_file_and_change_no_setting(tmp_path: Path) -> None:
    put(tmp_path / "rows" / "a.parquet", plant=["p"], sex=["f"])
    put(tmp_path / "other.parquet", plant=["p"], sex=["f"])
    data = open_duckdb(tmp_path / "rows", {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON}, None, QUIET)
    assert isinstance(data.elsewhere, Asked)
    for query in (
        f"SELECT * FROM read_parquet('{tmp_path}/other.parquet')", "SELECT * FROM read_text('/etc/hostname')",
        f"COPY (SELECT 1) TO '{tmp_path}/out.csv'", f"ATTACH '{tmp_path}/out.db'",
        f"SET temp_directory = '{tmp_path}'", "SET enable_external_access = true",
    ):  # fmt: skip
        with pytest.raises((Defect, UserProblem)):
            data.elsewhere.engine.ask(query, QUIET, "trying")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.parquet", "rows"]


def test_that_a_linked_folder_is_told_and_not_left_out(tmp_path: Path) -> None:
    put(tmp_path / "rows" / "year=1" / "a.parquet", plant=["p"], sex=["f"])
    put(tmp_path / "outside" / "a.parquet", plant=["other"], sex=["other"])
    (tmp_path / "rows" / "year=2").symlink_to(tmp_path / "outside")
    with pytest.raises(UserProblem, match="year=2 is a link to a folder"):
        counted(tmp_path / "rows")

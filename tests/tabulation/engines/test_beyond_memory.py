"""DuckDB within a limit: more passes instead of more memory, nothing on disk, and a cancel that answers at once."""

from __future__ import annotations

import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tabulation.engines.questions import ROLES, with_plants, write_parquet
from tests.tabulation.frames import microdata, people, shuffled
from workbench.core.errors import Cancelled, Refused, UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.content import of_columns
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role
from workbench.tabulation.engines import facts
from workbench.tabulation.engines.asked import Asked
from workbench.tabulation.engines.choice import EngineParams, Kind, choose
from workbench.tabulation.engines.contract import Groups
from workbench.tabulation.engines.in_duckdb import DuckDbEngine
from workbench.tabulation.engines.opening import open_duckdb

MANY = {"worker": Role.WORKER, "plant": Role.ESTABLISHMENT, "sex": Role.PERSON}


def written(folder: Path, rows: int) -> Path:
    """Two files of so many people each, in a third as many plants."""
    rng = np.random.default_rng(1)
    for part in range(2):
        worker = pa.array(
            np.char.add(
                "a worker with an identifier that is far longer than any agency would ever make it, " * 2,
                (np.arange(rows) + part * rows).astype(str),
            )
        )
        plant = pa.array(rng.integers(0, 2 * rows // 3, rows).astype(str))
        sex = pa.array(np.where(rng.random(rows) < 0.5, "f", "m"))
        pq.write_table(pa.table({"worker": worker, "plant": plant, "sex": sex}), folder / f"{part}.parquet")
    return folder


def test_that_too_little_memory_means_more_passes_and_no_file(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Identifiers of 600,000 people take more room in a group than 100 MB.

    The first try in one pass fails, so passes double; neither the folder at hand nor the temporary one changes.
    """
    many = written(tmp_path_factory.mktemp("many"), 300_000)
    monkeypatch.chdir(tmp_path)
    before = {path: path.stat().st_mtime for path in many.parent.rglob("*")}
    asked: list[int] = []
    passes = DuckDbEngine._passes

    def counted(self: DuckDbEngine, *arguments: object) -> object:
        asked.append(arguments[2])  # type: ignore[arg-type]
        return passes(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(DuckDbEngine, "_passes", counted)
    monkeypatch.setattr(DuckDbEngine, "first_passes", lambda *_: 1)
    data = open_duckdb(many, MANY, None, QUIET, memory=100 << 20)
    assert len(data.columns["worker"].values) == 600_000  # type: ignore[union-attr]
    assert max(asked) > 1
    assert not any(tmp_path.iterdir())
    assert {path: path.stat().st_mtime for path in many.parent.rglob("*")} == before


def test_that_duckdb_has_no_place_to_spill_to() -> None:
    engine = DuckDbEngine(memory=256 << 20)
    found = engine.ask("SELECT current_setting('temp_directory') AS t", QUIET, "asking")
    assert found.column("t").to_pylist() == [""]
    with pytest.raises(UserProblem, match="too little memory"):
        engine.ask("SELECT count(DISTINCT i::VARCHAR || repeat('x', 50)) FROM range(5000000) t(i)", QUIET, "counting")
    engine.close()


def test_that_a_cancel_interrupts_the_query() -> None:
    class Soon:
        end = time.monotonic() + 0.5

        def step(self, fraction: float, sentence: str) -> None:
            if time.monotonic() > self.end:
                raise Cancelled

    engine = DuckDbEngine()
    with pytest.raises(Cancelled):
        engine.ask("SELECT sum(a.i * b.i) FROM range(100000000) a(i), range(100000) b(i)", Soon(), "counting")
    assert time.monotonic() - Soon.end < 5
    assert engine.ask("SELECT 1 AS n", QUIET, "asking").num_rows == 1
    engine.close()


@pytest.mark.parametrize(("order", "parts"), [(0, 1), (1, 3), (2, 2)])
def test_that_the_content_fingerprint_is_free_of_order_split_and_engine(tmp_path: Path, order: int, parts: int) -> None:
    frame = with_plants(people(300, 4))
    folder = write_parquet(shuffled(frame, order), tmp_path / "rows", parts=parts)
    wanted = of_columns(microdata(frame).columns, 300, QUIET)
    assert open_duckdb(folder, ROLES, None, QUIET).fingerprint.content == wanted
    loaded = load(folder, ReadOptions(), ROLES, None, QUIET)
    assert of_columns(loaded.columns, loaded.rows, QUIET) == wanted
    changed = {**frame, "title": ["t9", *frame["title"][1:]]}
    assert of_columns(microdata(changed).columns, 300, QUIET) != wanted


def test_that_folders_per_year_are_a_column_on_both_engines(tmp_path: Path) -> None:
    for year, plants in (("2024", ["a", "b"]), ("2025", ["a", "c"])):
        (tmp_path / f"year={year}").mkdir()
        table = pa.table({"plant": pa.array(plants), "sex": pa.array(["f", "m"])})
        pq.write_table(table, tmp_path / f"year={year}" / "rows.parquet")
    roles = {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON, "year": Role.WORKPLACE}
    loaded, placed = load(tmp_path, ReadOptions(), roles, None, QUIET), open_duckdb(tmp_path, roles, None, QUIET)
    for data in (loaded, placed):
        assert tuple(data.columns["year"].values) == ("2024", "2025")  # type: ignore[union-attr]
    assert of_columns(loaded.columns, loaded.rows, QUIET) == placed.fingerprint.content


def test_that_rows_asked_for_past_the_door_are_refused_with_the_engine_that_can(tmp_path: Path) -> None:
    folder = write_parquet(with_plants(people(50, 4)), tmp_path / "rows")
    data = open_duckdb(folder, ROLES, None, QUIET)
    with pytest.raises(Refused, match=r"stay with DuckDB.*memory"):
        data.coded("title").codes.reveal()
    with pytest.raises(Refused, match=r"stay with DuckDB"):
        list(data.coded("person").values)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"plant": [1.5], "sex": ["f"]}, "“plant” is to be read as codes and holds numbers"),
        ({"plant": ["a"], "sex": ["f"], "SEX": ["f"]}, "differs from another column in capitals only"),
        ({"plant": ["a"]}, "There is no column “sex”"),
        ({"plant": ["a"], "sex": pa.array([None], pa.string())}, "Every value of “sex” is missing"),
    ],
)
def test_that_files_that_duckdb_cannot_take_are_told(tmp_path: Path, columns: dict[str, object], sentence: str) -> None:
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    with pytest.raises(UserProblem, match=sentence):
        open_duckdb(tmp_path / "rows.parquet", {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON}, None, QUIET)


def test_that_files_of_different_layouts_are_named(tmp_path: Path) -> None:
    pq.write_table(pa.table({"plant": ["a"], "sex": ["f"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"plant": ["a"], "sex": [1]}), tmp_path / "b.parquet")
    with pytest.raises(UserProblem, match=r"“sex” holds text in a.parquet and whole numbers in b.parquet"):
        open_duckdb(tmp_path, {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON}, None, QUIET)


def test_that_auto_chooses_by_size_and_says_why(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["x"] * 1000}), tmp_path / "rows.parquet")
    path = tmp_path / "rows.parquet"
    roomy, narrow = choose(EngineParams(), path, free=4_000_000_000), choose(EngineParams(), path, free=800_000_000)
    assert roomy.kind is Kind.MEMORY
    assert roomy.sentence.startswith("1,000 rows take about 0.5 GB")
    assert narrow.kind is Kind.DUCKDB
    assert "more than half of the free memory" in narrow.sentence
    assert choose(EngineParams(remote="sc://host"), path).kind is Kind.SPARK
    assert choose(EngineParams(), tmp_path / "rows.csv").kind is Kind.MEMORY


@pytest.mark.parametrize("remote", ["http://host", "sc://", "sc://host/;token=abc", "sc://me:secret@host"])
def test_that_an_address_without_a_host_or_with_a_secret_is_refused(remote: str) -> None:
    assert EngineParams(kind=Kind.SPARK, remote=remote).check()
    assert not EngineParams(kind=Kind.SPARK, remote="sc://host:443/;use_ssl=true").check()


def test_that_the_spill_of_a_plain_duckdb_would_be_seen_by_these_tests(tmp_path: Path) -> None:
    """With a temporary folder DuckDB does write there: the tests above look for what really happens."""
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"SET temp_directory = '{tmp_path}'; SET memory_limit = '100MB'; SET threads = 1")
        connection.execute("CREATE TABLE t AS SELECT i::VARCHAR || repeat('x', 60) AS v FROM range(4000000) t(i)")
        assert any(tmp_path.iterdir())


def test_that_passes_follow_the_groups_that_are_known_and_what_did_not_fit_before() -> None:
    engine = DuckDbEngine(memory=1_000_000_000, rows=44_000_000)
    rows, units = Groups(44_000_000, 44_000_000), Groups(2_200_000, 44_000_000)
    assert engine.first_passes(("c0",), rows) == 4
    assert engine.first_passes(("c1",), units) == 1
    engine._too_large[("c1",), 20_000_000] = 8
    assert engine.first_passes(("c1",), units) == 8
    assert engine.first_passes(("c1",), Groups(2_200_000, 2_200_000)) == 1
    assert engine.first_passes(("c0",), rows) == 4
    engine.close()


def test_that_counts_of_all_rows_are_not_taken_for_those_of_some(tmp_path: Path) -> None:
    data = open_duckdb(written(tmp_path, 3000), MANY, None, QUIET)
    assert isinstance(data.elsewhere, Asked)
    relation = data.elsewhere.relation
    some = relation.chosen(f"SELECT * FROM {{rows}} AS r WHERE {relation.coded('sex')} = 'f'", split=("plant",))
    engine = data.elsewhere.engine
    everything, women = (facts.varying(engine, each, "plant", ("sex",), QUIET) for each in (relation, some))
    assert everything.varying["sex"].reveal() > 0
    assert women.varying["sex"].reveal() == 0
    assert women.units.reveal() < everything.units.reveal()
    assert women.most_rows.reveal() < everything.most_rows.reveal()


def test_that_blanks_around_codes_are_counted_at_opening_and_told_as_from_memory(tmp_path: Path) -> None:
    columns = {"plant": ["p", "p ", " q", "q", "r", None], "sex": ["f", "f\u00a0", "m", "m", "m", "f"]}
    (tmp_path / "rows").mkdir()
    pq.write_table(pa.table(columns), tmp_path / "rows" / "a.parquet")
    roles = {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON}
    data = open_duckdb(tmp_path / "rows", roles, None, QUIET)
    assert isinstance(data.elsewhere, Asked)
    counted = data.elsewhere.relation.counted
    assert {name: each.padded for name, each in counted.items()} == {"plant": 2, "sex": 1}
    assert [data.elsewhere.padded(name, QUIET) for name in roles] == [(2, 2), (1, 1)]

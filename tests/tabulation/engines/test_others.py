"""Files as other programs write them, in memory and in DuckDB; Spark is asked the same in tests/spark."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

from tests.tabulation.engines.others import ROLES, nearest, put, said, write
from workbench.core.errors import UserProblem
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.microdata.content import of_columns
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role, Roles
from workbench.microdata.shaping.params import Comparison, Recoding, RowRule, Shaping
from workbench.microdata.table import Microdata, numbers_of
from workbench.tabulation.aggregates import Count, Ranked
from workbench.tabulation.contract import Highest
from workbench.tabulation.door import rows_of
from workbench.tabulation.engines.asked import Asked
from workbench.tabulation.engines.in_duckdb import DuckDbEngine
from workbench.tabulation.engines.opening import open_duckdb
from workbench.tabulation.engines.server_paths import as_pattern, as_written, unlike_names
from workbench.tabulation.keys import Beyond, Key, Scale


def test_that_files_of_other_programs_are_read_the_same_by_memory_and_duckdb(tmp_path: Path) -> None:
    folder = write(tmp_path)
    loaded = load(folder, ReadOptions(), ROLES, None, QUIET)
    there = open_duckdb(folder, ROLES, None, QUIET)
    assert nearest(loaded)
    assert said(rows_of(loaded))[1] == ["a/b"]
    assert said(rows_of(there)) == said(rows_of(loaded))
    assert there.fingerprint.content == of_columns(loaded.columns, loaded.rows, QUIET)


def test_that_a_text_is_the_same_number_for_duckdb_as_in_memory(tmp_path: Path) -> None:
    """All texts of up to four of these characters."""
    texts = ["".join(each) for size in range(1, 5) for each in product("01+-.eE _x", repeat=size)]
    put(tmp_path / "a.parquet", {"plant": ["p"] * len(texts), "said": texts})
    roles: Roles = {"plant": Role.ESTABLISHMENT, "said": Role.PERSON}
    wanted = numbers_of(load(tmp_path, ReadOptions(), roles, None, QUIET).columns["said"])
    opened = engine_of(there := open_duckdb(tmp_path, roles, None, QUIET))
    assert isinstance(there.elsewhere, Asked)
    x = there.elsewhere.relation.number("said")
    query = (
        f"SELECT {there.elsewhere.relation.short['said']} AS t, {x} AS x FROM {there.elsewhere.relation.rows()} AS r"
    )
    found = opened.ask(query, QUIET, "reading").to_pydict()
    read = dict(zip(found["t"], found["x"], strict=True))
    for text, number in zip(texts, wanted.tolist(), strict=True):
        assert read.get(text) == (None if number != number else number), text


def engine_of(data: Microdata) -> DuckDbEngine:
    assert isinstance(data.elsewhere, Asked)
    assert isinstance(data.elsewhere.engine, DuckDbEngine)
    return data.elsewhere.engine


@pytest.mark.parametrize("name", ["_temporary/a.parquet", ".a.parquet", "year=1/_b.parquet"])
def test_that_hidden_files_are_told_since_a_cluster_would_leave_them_out(tmp_path: Path, name: str) -> None:
    put(tmp_path / "year=1" / "a.parquet", {"plant": ["p"], "sex": ["f"]})
    put(tmp_path / name, {"plant": ["q"], "sex": ["m"]})
    with pytest.raises(UserProblem, match="begins as hidden or unfinished files do"):
        open_duckdb(tmp_path, {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON}, None, QUIET)


def test_that_a_view_of_texts_is_text(tmp_path: Path) -> None:
    put(tmp_path / "a.parquet", {"plant": ["p", "q"], "sex": pa.array(["f", "m"], pa.string_view())})
    data = open_duckdb(tmp_path, {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON}, None, QUIET)
    assert rows_of(data).grouped([Key.met("sex")], {"n": Count()}, QUIET).column("n").tolist() == [1, 1]


def test_that_a_path_of_a_server_is_no_pattern_but_in_its_last_name() -> None:
    assert as_written("/jobs[12]/a{b}*?.parquet") == "/jobs\\[12\\]/a\\{b\\}\\*\\?.parquet"
    assert as_written("/jobs\\1") == "/jobs\\\\1"
    assert as_pattern("/jobs[12]/year-*.parquet") == "/jobs\\[12\\]/year-*.parquet"
    assert as_pattern("/jobs[12]/year=*/") == "/jobs\\[12\\]/year=*"


def test_that_names_that_a_cluster_would_read_otherwise_are_told() -> None:
    assert (
        unlike_names("/jobs", ["/jobs/place=a%2Fb/a.parquet", "/jobs/p%C3/a.parquet", "/jobs/place=é/%C3.parquet"])
        == []
    )
    (told,) = unlike_names("/jobs", ["/jobs/place=%C3%A9/a.parquet"])
    assert "beyond ASCII" in told.what


def test_that_all_quantiles_of_a_number_are_one_query_and_rows_are_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {"plant": ["p", "q", "p"], "sex": ["f", "m", "f"], "pay": [1.0, 2.0, 3.0]}
    put(tmp_path / "a.parquet", rows)
    roles: Roles = {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON, "pay": Role.EARNINGS}
    data = open_duckdb(tmp_path, roles, None, QUIET)
    asked: list[str] = []
    answered = DuckDbEngine._answer

    def noting(self: DuckDbEngine, query: str, context: object, sentence: str) -> object:
        asked.append(sentence)
        return answered(self, query, context, sentence)  # type: ignore[arg-type]

    monkeypatch.setattr(DuckDbEngine, "_answer", noting)
    pay = Scale(column="pay", lower=0, upper=10, beyond=Beyond.OWN)
    for _ in range(2):
        quantiles = {f"q{part}": Ranked(pay, part, 4) for part in (1, 2, 3)}
        found = rows_of(data).grouped([], quantiles, QUIET)
        assert [found.column(name).tolist() for name in quantiles] == [[1], [2], [3]]
    assert asked.count("finding the quantiles") == 2
    assert "counting rows" not in asked


def test_that_values_with_the_mark_between_them_are_told_apart(tmp_path: Path) -> None:
    rows = {"who": ["p", "p"], "a": ["x\x1fvy", "x"], "b": ["z", "y\x1fvz"], "pay": [1.0, 2.0]}
    put(tmp_path / "a.parquet", rows)
    roles: Roles = {"who": Role.PERSON_KEY, "a": Role.PERSON, "b": Role.PERSON, "pay": Role.EARNINGS}
    highest = Highest(Scale(column="pay", lower=0, upper=10, beyond=Beyond.OWN))
    for data in (load(tmp_path, ReadOptions(), roles, None, QUIET), open_duckdb(tmp_path, roles, None, QUIET)):
        assert rows_of(data).settled(("who",), ("a", "b"), highest, QUIET).count.reveal() == 1


@pytest.fixture
def logging_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a cluster, which gives no records and logs its queries."""
    monkeypatch.setattr(DuckDbEngine, "gives_records", False)


RECODE = {
    "prefix": Recoding(of="worker", prefix=2),
    "unit_year": Recoding(of="plant", keyed="year"),
    "again": Recoding(of="prefix", prefix=1),
}


@pytest.mark.parametrize(
    ("column", "value", "roles"),
    [
        ("worker", "w1", {"worker": Role.WORKER}),
        ("prefix", "w1", {"worker": Role.WORKER}),
        ("again", "w", {"worker": Role.WORKER}),
        ("plant", "p", {"unit_year": Role.ESTABLISHMENT}),
        ("unit_year", "2025·p", {"plant": Role.ESTABLISHMENT}),
    ],
)
def test_that_no_rule_names_units_where_queries_are_logged(
    tmp_path: Path, logging_engine: None, column: str, value: str, roles: Roles
) -> None:
    put(
        tmp_path / "a.parquet",
        {"worker": ["w1", "w2"], "plant": ["p", "q"], "year": ["2025", "2026"], "sex": ["f", "m"]},
    )
    rule = RowRule(column=column, comparison=Comparison.EQUAL, values=(value,))
    shaping = Shaping(keep=Rows({"r": rule}), recode=Rows(RECODE))
    with pytest.raises(UserProblem, match="would name units in the queries"):
        open_duckdb(tmp_path, {**roles, "sex": Role.PERSON}, None, QUIET, shaping=shaping)


def test_that_a_year_is_kept_although_units_are_keyed_with_it(tmp_path: Path, logging_engine: None) -> None:
    put(tmp_path / "a.parquet", {"plant": ["p", "q"], "year": ["2025", "2026"], "sex": ["f", "m"]})
    rule = RowRule(column="year", comparison=Comparison.EQUAL, values=("2025",))
    shaping = Shaping(keep=Rows({"r": rule}), recode=Rows({"unit_year": RECODE["unit_year"]}))
    roles: Roles = {"unit_year": Role.ESTABLISHMENT, "sex": Role.PERSON}
    assert open_duckdb(tmp_path, roles, None, QUIET, shaping=shaping).rows == 1


def test_that_identifiers_called_an_attribute_do_not_leave_a_cluster(tmp_path: Path, logging_engine: None) -> None:
    many = [str(number) for number in range(1_500)]
    put(tmp_path / "a.parquet", {"plant": many, "ssn": many, "sex": ["f", "m"] * 750})
    roles: Roles = {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON}
    with pytest.raises(UserProblem, match="“ssn” has more values than half the rows"):
        open_duckdb(tmp_path, {"plant": Role.ESTABLISHMENT, "ssn": Role.PERSON}, None, QUIET)
    assert open_duckdb(tmp_path, roles, None, QUIET).rows == 1_500

"""Linking, recoding, gaps and row rules where the rows lie: the digits, findings and sentences of the memory engine."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tabulation.engines.shapes import BROKEN, CASES, content, in_duckdb, in_memory, said, told, write
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role
from workbench.microdata.shaping.params import Comparison, RowRule, Shaping
from workbench.tabulation.engines.in_duckdb import DuckDbEngine
from workbench.tabulation.engines.opening import open_duckdb


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shapes")
    write(path)
    return path


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("case", CASES)
def test_that_duckdb_shapes_rows_as_memory_does(
    folder: Path, case: str, passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DuckDbEngine, "first_passes", lambda *_: passes)
    wanted, findings = in_memory(folder, CASES[case])
    found = in_duckdb(folder, CASES[case])
    assert found.elsewhere is not None
    assert found.elsewhere.shaped == findings
    assert said(found) == said(wanted)
    assert content(found) == content(wanted)


@pytest.mark.parametrize("case", BROKEN)
def test_that_what_cannot_be_done_is_told_in_the_same_words(folder: Path, case: str) -> None:
    wanted = told(lambda: in_memory(folder, BROKEN[case]))
    assert wanted
    assert told(lambda: in_duckdb(folder, BROKEN[case])) == wanted


@pytest.mark.parametrize("value", ["\0pass\0", "{rows}", "it's {rows} /*pass*/ {", "a\\' OR TRUE --"])
def test_that_a_value_of_a_rule_is_never_taken_for_a_part_of_the_query(tmp_path: Path, value: str) -> None:
    (tmp_path / "rows").mkdir()
    table = pa.table({"plant": ["p", "q", "r", "s"], "sex": [value, "TRUE", "f", value]})
    pq.write_table(table, tmp_path / "rows" / "a.parquet")
    roles = {"plant": Role.ESTABLISHMENT, "sex": Role.PERSON}
    rule = RowRule(column="sex", comparison=Comparison.EQUAL, values=(value,))
    found = open_duckdb(tmp_path / "rows", roles, None, QUIET, shaping=Shaping(keep=Rows({"r": rule})))
    assert found.rows == 2
    assert found.columns["sex"].values == (value,)  # type: ignore[union-attr]

"""Linking, recoding, gaps and row rules where the rows lie: the digits, findings and sentences of the memory engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tabulation.engines.shapes import BROKEN, CASES, content, in_duckdb, in_memory, said, told, write
from workbench.tabulation.engines.in_duckdb import DuckDbEngine


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

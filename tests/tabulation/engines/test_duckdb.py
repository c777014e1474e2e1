"""DuckDB says the same as the engine in memory, in one pass or in many, and writes nothing to disk."""

from __future__ import annotations

import pytest

from tests.tabulation.engines.questions import AGGREGATES, RECORDS, ROLES, with_plants, write_parquet
from tests.tabulation.frames import Frame, microdata, people, shuffled
from workbench.core.progress import QUIET
from workbench.tabulation.contract import Rows
from workbench.tabulation.door import rows_of
from workbench.tabulation.engines.in_duckdb import DuckDbEngine
from workbench.tabulation.engines.opening import open_duckdb
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

"""A Spark server says the same as the engine in memory, and gives nothing but aggregates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tabulation.engines import questions
from tests.tabulation.engines.questions import AGGREGATES, RECORDS, write_parquet
from tests.tabulation.frames import NUMBERS, Frame, microdata, shuffled
from workbench.core.confidential import Confidential
from workbench.core.errors import Refused
from workbench.core.progress import QUIET
from workbench.microdata.content import of_columns
from workbench.microdata.table import Microdata
from workbench.tabulation.door import rows_of
from workbench.tabulation.engines.in_spark import SparkEngine
from workbench.tabulation.engines.opening_spark import content_of
from workbench.tabulation.engines.relation import Relation
from workbench.tabulation.engines.source import expressions
from workbench.tabulation.factors import Factors, Shape
from workbench.tabulation.memory import Memory

_CELLS = 60  # the largest answer is the listing of pairs, far below the rows


@pytest.mark.parametrize("question", AGGREGATES)
def test_that_spark_answers_like_the_engine_in_memory(
    opened: Microdata, engine: SparkEngine, frame: Frame, key: bytes, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no answer on the way has more rows than there are cells."""
    factors = Factors(key=Confidential(key), least=0.05, most=0.15, shape=Shape.RAMP)
    monkeypatch.setattr(questions, "FACTORS", factors)
    ask, before = AGGREGATES[question], len(engine.results)
    assert ask(rows_of(opened)) == ask(Memory(microdata(frame)))
    assert max(engine.results[before:], default=0) <= _CELLS < len(frame["person"])


@pytest.mark.parametrize("question", RECORDS)
def test_that_single_records_stay_on_the_cluster(opened: Microdata, question: str) -> None:
    with pytest.raises(Refused, match=r"cannot leave the Spark cluster.*duckdb"):
        RECORDS[question](rows_of(opened))


@pytest.mark.parametrize(("order", "parts"), [(1, 1), (2, 3), (3, 2)])
def test_that_the_fingerprint_is_that_of_memory_in_any_order_and_split(
    engine: SparkEngine, opened: Microdata, frame: Frame, tmp_path: Path, order: int, parts: int
) -> None:
    made = write_parquet(shuffled(frame, order), tmp_path / "rows", parts=parts)
    holds = engine.one_layout(str(made), engine.files(str(made), QUIET), QUIET)
    numbers, names = frozenset(NUMBERS), tuple(opened.columns)
    again = Relation.of_source(
        "again",
        columns=expressions(engine.dialect, holds, numbers, names, "again"),
        numbers=numbers,
        source=engine.source(str(made)),
    )
    kinds = {name: "numbers" if name in numbers else "codes" for name in names}
    wanted = of_columns(microdata(frame).columns, opened.rows, QUIET)
    assert content_of(engine, again, kinds, opened.rows, QUIET) == wanted == opened.fingerprint.content

"""Rows linked, recoded and chosen on the cluster: the digits and findings of the engine in memory, no value sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tabulation.engines.shapes import BROKEN, CASES, DICTIONARY, Case, content, in_memory, said, told, write
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role
from workbench.microdata.shaping.params import Comparison, RowRule, Shaping
from workbench.microdata.table import Microdata
from workbench.tabulation.engines.choice import EngineParams
from workbench.tabulation.engines.in_spark import SparkEngine
from workbench.tabulation.engines.opening_spark import open_spark


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shapes")
    write(path)
    return path


def on_cluster(folder: Path, case: Case, params: EngineParams) -> Microdata:
    return open_spark(
        str(folder / "jobs"), case.roles, DICTIONARY, QUIET, params=params, shaping=case.shaping,
        linked={"register": str(folder / "register")}, missing=case.missing,
    )  # fmt: skip


def test_that_the_cluster_shapes_rows_as_memory_does(shapes: Path, one_session: EngineParams) -> None:
    wanted, findings = in_memory(shapes, CASES["all steps"])
    found = on_cluster(shapes, CASES["all steps"], one_session)
    assert found.elsewhere is not None
    told_there = [finding.values for finding in found.elsewhere.shaped]
    assert told_there == [finding.values for finding in findings]
    assert said(found) == said(wanted)
    assert content(found) == content(wanted)


def test_that_a_rule_that_names_a_unit_is_refused_where_queries_are_logged(
    shapes: Path, one_session: EngineParams
) -> None:
    rule = RowRule(column="worker", comparison=Comparison.NOT_EQUAL, values=("p001",))
    case = Case(Shaping(keep=Rows({"r": rule})), {"worker": Role.WORKER, "sex": Role.PERSON})
    said_there = told(lambda: on_cluster(shapes, case, one_session))
    assert "would name units in the queries, which a cluster logs" in said_there
    assert "duckdb" in said_there


def test_that_what_cannot_be_done_is_told_in_the_words_of_memory(shapes: Path, one_session: EngineParams) -> None:
    case = BROKEN["no number"]
    assert told(lambda: on_cluster(shapes, case, one_session)) == told(lambda: in_memory(shapes, case)) != ""


def test_that_a_value_is_never_taken_for_a_part_of_the_query(engine: SparkEngine) -> None:
    values = [
        "\0pass\0", "it's {rows} {", "a\\' OR TRUE --", "tab\tline\n`x` \\{rows} ${y}", "${env:HOME} ${spark.app.name}",
    ]  # fmt: skip
    listed = ", ".join(f"{engine.dialect.text(value)} AS v{number}" for number, value in enumerate(values))
    found = engine.ask(f"SELECT {listed}", QUIET, "counting")
    assert [found.column(f"v{number}")[0].as_py() for number in range(len(values))] == values

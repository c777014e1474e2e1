"""`dwb tabulate`: the same digest on every engine of this machine, and plans that name none keep theirs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tabulation.engines.sample import employment_sample
from workbench.cli.main import main
from workbench.review.plan.plan_text import from_text, read_plan, to_text


def asked(plan: Path, engine: str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["tabulate", str(plan), "--engine", engine, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_that_two_engines_print_the_same_rows_cells_fingerprint_and_digest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = employment_sample(tmp_path / "a")
    memory, duckdb = asked(plan, "memory", capsys), asked(plan, "duckdb", capsys)
    assert memory["rows"] == 20_000
    assert (memory.pop("engine"), duckdb.pop("engine")) == ("memory", "duckdb")
    assert memory.pop("reason") != duckdb.pop("reason")
    assert memory == duckdb
    shuffled = asked(employment_sample(tmp_path / "b", parts=3, order=2), "duckdb", capsys)
    assert (shuffled["digest"], shuffled["fingerprint"]) == (memory["digest"], memory["fingerprint"])


def test_that_a_plan_without_an_engine_keeps_its_text_and_digests(tmp_path: Path) -> None:
    plan = read_plan(employment_sample(tmp_path / "a"))
    assert "engine" not in plan.plain()
    named = replace(plan, engine=plan.engine.of_kind("duckdb"))
    assert from_text(to_text(named)) == named
    assert named.data_digest() != plan.data_digest()
    assert named.prepared_digest() != plan.prepared_digest()


def test_that_an_engine_that_nobody_knows_is_told_with_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = employment_sample(tmp_path / "a", engine='[engine]\nkind = "duckdbb"\n')
    assert main(["tabulate", str(plan)]) == 2
    assert "duckdb" in capsys.readouterr().err

"""Worker-level Laplace noise goes by `laplace`, under which it is stored, and by the source's `edge-laplace`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cli.said import dwb
from workbench.core.errors import UserProblem
from workbench.core.specs import find
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.product import SPEC as TABLES
from workbench.review.plan.plan import Choice, blank
from workbench.review.plan.plan_text import from_stored, from_text, run_text, to_text


def test_that_both_names_find_it() -> None:
    for name in ("edge-laplace", "laplace"):
        assert find(TABLES.mechanisms, name, "mechanism") is laplace.SPEC


def test_that_an_id_wins_over_another_ones_second_name() -> None:
    newcomer = replace(laplace.SPEC, id="edge-laplace", also_named=())
    assert find((laplace.SPEC, newcomer), "edge-laplace", "mechanism") is newcomer


def test_that_a_slip_in_the_second_name_is_pointed_out_too() -> None:
    with pytest.raises(UserProblem, match="edge-laplace"):
        find(TABLES.mechanisms, "edge-laplas", "mechanism")


def test_that_plans_may_use_either_name_and_always_store_the_id() -> None:
    plan = replace(blank(TABLES, title="a table"), mechanism=Choice.of(laplace.SPEC))
    other = to_text(plan).replace('id = "laplace"', 'id = "edge-laplace"')
    assert other != to_text(plan)
    assert from_text(other, draft=True) == plan
    stored = run_text(plan).replace('id = "laplace"', 'id = "edge-laplace"')
    assert from_stored(stored, {"release.title": "a table"}, "R1") == plan
    assert run_text(from_stored(stored, {"release.title": "a table"}, "R1")) == run_text(plan)


def test_that_the_command_line_lists_and_calibrates_both() -> None:
    listed = {row["id"]: row for row in dwb("list", "mechanisms", "--json").json}
    assert listed["edge-laplace"]["same_as"] == "laplace"
    assert listed["edge-laplace"]["params"] == listed["laplace"]["params"]
    assert "laplace or edge-laplace" in dwb("list", "mechanisms").out
    names = "edge-laplace", "laplace"
    told = [dwb("calibrate", name, "--set", "epsilon=1", "--json").json for name in names]
    assert told[0] == told[1]
    assert told[0]["spent_epsilon"] == pytest.approx(1.0)

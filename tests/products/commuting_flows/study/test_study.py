"""The study of the slides' findings, small: every part is there, and steps are left out one at a time."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.products.commuting_flows.study.run import run_study
from workbench.products.commuting_flows.study.steps import LEFT_OUT


@pytest.fixture(scope="module")
def studied() -> Any:
    return run_study({"flows": {"like": "sample", "jobs": 6000, "populations": 12}}, "flows.toml", QUIET)


def test_that_every_part_of_the_study_is_there(studied: Any) -> None:
    ids = [finding.id for finding in studied.findings]
    assert ids == [
        "flows-support-points", "flows-prior-support", "flows.steps", "flows.sentences", "flows.coarsening",
        "flows.chances", "flows.methods",
    ]  # fmt: skip
    for finding in studied.findings:
        assert finding.title in studied.page
        assert finding.does_not_prove


def test_that_steps_are_left_out_one_at_a_time_and_change_the_claim_where_they_pay(studied: Any) -> None:
    (table,) = next(finding for finding in studied.findings if finding.id == "flows.steps").tables
    rows = {row[0]: row for row in table.rows}
    assert list(rows) == list(LEFT_OUT)
    assert rows["pruning"][5] == 4.6
    assert rows["nothing (benchmark)"][5] > 8
    assert rows["elimination"][1] > rows["nothing (benchmark)"][1]
    assert rows["coarsening"][1] != rows["nothing (benchmark)"][1]


def test_that_each_sentence_is_judged_under_both_searches(studied: Any) -> None:
    (table,) = next(finding for finding in studied.findings if finding.id == "flows.sentences").tables
    assert len(table.rows) == 9
    assert {row[2] for row in table.rows} | {row[4] for row in table.rows} <= {"yes", "no"}


def test_that_an_unknown_section_is_refused() -> None:
    with pytest.raises(UserProblem, match="no section “twin”"):
        run_study({"twin": {}}, "flows.toml", QUIET)

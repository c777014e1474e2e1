"""Who may change what a data set may spend, and what a claim says of a list that comes from the data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.small import write_small
from tests.review.small_review import SMALL_PLAN, load, session_in, tabulate
from workbench.cli.main import main
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.employment_tables import product as employment_tables


def test_that_whoever_prepared_a_release_cannot_raise_its_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write_small(tmp_path)
    project = str(tmp_path / "review.dwb")
    assert main(["run", str(plan or tmp_path / "plan.toml"), "--project", project, "--preparer", "Ana"]) == 0
    change = ["budget", project, "R-0001", "--cap", "20", "--reason", "more is needed", "--by"]
    assert main([*change, "ANA"]) == 1
    assert "cannot change" in capsys.readouterr().err
    assert main([*change, "Head of unit", "--json"]) == 0
    assert '"cap_epsilon": 20' in capsys.readouterr().out


def test_that_nobody_raises_the_budget_of_their_own_release_through_another_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = str(write_small(tmp_path) or tmp_path / "plan.toml")
    project = str(tmp_path / "review.dwb")
    assert main(["run", plan, "--project", project, "--preparer", "Ana"]) == 0
    assert main(["run", plan, "--project", project, "--preparer", "Ben"]) == 0
    change = ["budget", project, "R-0002", "--cap", "20", "--reason", "more is needed", "--by", "Ana"]
    assert main(change) == 1
    assert "Ana prepared R-0001 and cannot change" in capsys.readouterr().err
    assert main(["decide", project, "R-0001", "--reject", "--reviewer", "Carla", "--comment", "no use"]) == 0
    assert main(change) == 1, "what was rejected can be drawn again"
    assert main(["decide", project, "R-0001", "--approve", "--reviewer", "Carla", "--comment", "useful"]) == 0
    assert main(change) == 0


@pytest.mark.parametrize("mechanism", employment_tables.SPEC.mechanisms, ids=lambda spec: spec.id)
def test_that_no_guarantee_is_called_proved_where_values_were_taken_from_the_data(
    tmp_path: Path, mechanism: AnyMechanism
) -> None:
    session = session_in(tmp_path, replace(SMALL_PLAN, data=replace(SMALL_PLAN.data, dictionary="")))
    load(session)
    tabulate(session)
    assert session.prepared is not None
    assert session.prepared.value.domain.from_data
    assert not mechanism.claim(session.prepared.value, mechanism.params()).formal

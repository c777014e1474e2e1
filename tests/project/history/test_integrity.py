"""Nobody signs, decides or publishes from a file that is not what was written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.project.history.test_verify import tampering
from tests.project.samples import finding, ready, run_of
from tests.project.signers import signer
from tests.project.tables.test_policies import WHY, profile
from workbench.core.errors import Refused
from workbench.core.findings import Status
from workbench.project.history import verify as verifying
from workbench.project.store import Project, open_project
from workbench.review.workspace import Workspace

VERA = signer("Vera")
CHANGED = "altered since it was written"

_ACTIONS: dict[str, Callable[[Project], object]] = {
    "vote": lambda project: project.vote("R-0002", vote="approve", reviewer="Vera"),
    "decide": lambda project: project.decide("R-0002", decision="approve", reviewer="Rita"),
    "policy": lambda project: project.set_policy(profile(), actor="Dana", reason=WHY),
    "cap": lambda project: project.set_cap(1, Decimal(99), actor="Dana", reason=WHY),
    "withdraw": lambda project: project.withdraw("R-0002", actor="Dana"),
}


@pytest.mark.parametrize("action", _ACTIONS)
def test_that_nothing_is_signed_or_decided_on_changed_evidence(copy: Path, action: str) -> None:
    """A failed check turned into a passed one by a line of SQL, and nothing else."""
    with open_project(copy) as project:
        project.add_run("R-0002", run_of(1), findings=(finding(Status.FAIL),))
    with tampering(copy) as connection:
        connection.execute("UPDATE finding SET status = 'pass', body = replace(body, '\"fail\"', '\"pass\"')")
    with open_project(copy) as project:
        before = project.journal()
        project.sign_as(VERA)
        with pytest.raises(Refused, match=CHANGED):
            _ACTIONS[action](project)
        assert project.journal() == before


def test_that_no_budget_is_set_beside_one_that_was_taken_away(copy: Path) -> None:
    """Without its cap a data set looks like one whose first cap comes with the plan."""
    with open_project(copy) as project:
        assert project.dataset(1).cap is not None
    with tampering(copy) as connection:
        connection.execute("DELETE FROM cap")
    with open_project(copy) as project:
        project.sign_as(VERA)
        with pytest.raises(Refused, match=r"since it was written|missing|gone"):
            _ACTIONS["cap"](project)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE published SET digest = upper(digest)",
        "UPDATE decision SET reviewer = 'Carla'",
        "UPDATE ledger SET epsilon = '0.01'",
        "UPDATE head SET entries = entries + 1",
        "DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)",
        "DROP TRIGGER vote_no_update",
    ],
)
def test_that_nothing_leaves_a_changed_file_under_an_approval(copy: Path, change: str) -> None:
    if change.startswith("DROP"):
        connection = sqlite3.connect(copy, isolation_level=None)
        connection.execute(change)
        connection.close()
    else:
        with tampering(copy) as connection:
            connection.execute(change)
    with open_project(copy) as project:
        workspace = Workspace(project)
        with pytest.raises(Refused, match=CHANGED):
            workspace.refuse_unless_approved("R-0001", "The bundle")


def test_that_a_decision_put_in_by_hand_publishes_nothing(copy: Path, tmp_path: Path) -> None:
    connection = sqlite3.connect(copy, isolation_level=None)
    names = [
        row[1] for row in connection.execute("PRAGMA table_info(decision)") if row[1] not in ("id", "release", "run")
    ]
    listed = ", ".join(names)
    connection.execute(
        f"INSERT INTO decision (id, release, run, {listed}) SELECT 9, 2, 2, {listed} FROM decision WHERE id = 1"
    )
    connection.execute("UPDATE release SET state = 'approved' WHERE id = 2")
    connection.close()
    for words in (
        ("bundle", copy, "R-0002", "-o", tmp_path / "b.zip"),
        ("export", copy, "R-0002", "-o", tmp_path / "t.csv"),
        ("report", copy, "R-0002", "--audience", "public", "-o", tmp_path / "r.json"),
    ):
        said = dwb(*words)
        assert (said.code, CHANGED in said.err) == (1, True), words
    assert sorted(path.name for path in tmp_path.iterdir()) == [copy.name]


def test_that_a_file_is_checked_once_for_each_state_and_again_when_somebody_else_wrote(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    checks = []
    real = verifying.examined
    monkeypatch.setattr(verifying, "examined", lambda connection: checks.append(1) or real(connection))
    with open_project(copy) as project:
        for number in range(3):
            second = ready(project)
            project.vote(second, vote="approve", reviewer="Vera")
            project.decide(second, decision="reject", reviewer=f"Rita {number}")
        assert len(checks) == 1, "what the program itself adds needs no second look"
        with pytest.raises(Refused, match="Paula prepared"):
            project.decide(second, decision="approve", reviewer="Paula")
        assert len(checks) == 1, "nor does a state to which a refused action went back"
        with tampering(copy) as connection:
            connection.execute("UPDATE cap SET epsilon = '1000'")
        with pytest.raises(Refused, match="the cap of data set"):
            project.vote(second, vote="approve", reviewer="Vera")
        assert len(checks) == 2

"""What came last is told by entries of the journal. A clock that is wrong decides nothing, and is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.project.samples import data, draft, ready, run_of
from tests.project.tables.test_policies import WHY, profile
from workbench.core.errors import Refused, UserProblem
from workbench.core.findings import Finding, Status
from workbench.core.states import Verdict
from workbench.policy.profile import Severity
from workbench.project.history.merge import merge
from workbench.project.history.verify import verify
from workbench.project.store import Project, open_project
from workbench.project.tables.releases import release_row
from workbench.project.tables.votes import latest_votes

Clock = Callable[[str], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Sets the time at which the next actions happen, on one day."""

    def put(time: str) -> None:
        monkeypatch.setattr("workbench.project.file.action.utc_now", lambda: f"2030-01-01T{time}:00.000000Z")

    return put


def standing(project: Project, release_id: str) -> dict[str, Verdict]:
    run = project.latest_run(release_id)
    assert run is not None
    return latest_votes(project._session, release_row(project._session, release_id), run)


def test_that_the_later_vote_counts_though_its_clock_was_slow(project: Project, clock: Clock) -> None:
    clock("12:00")
    project.set_policy(profile(review={"reviewers": 2, "unanimous": True}), actor="Dana", reason=WHY)
    release_id = ready(project)
    project.vote(release_id, vote="approve", reviewer="Carl")
    clock("11:56")
    project.vote(release_id, vote="reject", reviewer="Carl", comment="a cell is wrong")
    assert standing(project, release_id) == {"carl": Verdict.REJECT}
    clock("12:01")
    with pytest.raises(Refused, match="latest vote is against"):
        project.decide(release_id, decision="approve", reviewer="Dora")
    project.vote(release_id, vote="approve", reviewer="Carl")
    assert project.decide(release_id, decision="approve", reviewer="Dora").decision is Verdict.APPROVE


def test_that_an_approval_under_a_slow_clock_is_not_missed_by_differencing(project: Project, clock: Clock) -> None:
    clock("12:00")
    project.set_policy(profile(evidence={"differencing": Severity.REFUSE}), actor="Dana", reason=WHY)
    clean = Finding(id="differencing", title="D", status=Status.PASS, sentence="Clean.", stage="audit")
    key = project.save_dataset(data())
    first, second = draft(project), draft(project)
    for release in (first, second):
        project.add_run(release.id, run_of(key), findings=(clean,))
    clock("11:56")
    project.decide(second.id, decision="approve", reviewer="Ben")
    clock("12:01")
    with pytest.raises(Refused, match="approved since"):
        project.decide(first.id, decision="approve", reviewer="Ben")


def test_that_an_action_hours_before_the_last_entry_is_refused_and_leaves_nothing(
    project: Project, clock: Clock
) -> None:  # fmt: skip
    clock("12:00")
    release_id = ready(project)
    before = project.journal()
    clock("11:00")
    with pytest.raises(Refused, match="clock says 2030-01-01 11:00 UTC") as refused:
        project.vote(release_id, vote="reject", reviewer="Carl", comment="no")
    assert "dwb clock" in refused.value.problems[0].do
    assert project.journal() == before
    clock("11:56")
    project.vote(release_id, vote="reject", reviewer="Carl", comment="no")


def test_that_a_wrong_time_in_the_journal_is_noted_by_a_named_person_and_work_goes_on(
    project: Project, clock: Clock
) -> None:  # fmt: skip
    clock("23:00")
    draft(project)
    clock("10:00")
    with pytest.raises(UserProblem, match="reason"):
        project.note_clock(actor="Ann", reason=" ")
    project.note_clock(actor="Ann", reason="the clock of pc-17 was a day ahead")
    draft(project)
    assert [(each.actor, each.action) for each in project.journal()][-2:] == [
        ("Ann", "note the clock"),
        ("Paula", "save release"),
    ]
    assert verify(project.path).ok


@pytest.mark.parametrize(("here", "there"), [("approve", "reject"), ("reject", "approve")])
def test_that_of_votes_in_two_copies_the_one_against_counts_until_its_maker_votes_again(
    project: Project, tmp_path: Path, here: str, there: str
) -> None:
    release_id, other = ready(project), tmp_path / "other.dwb"
    path = project.path
    project.close()
    shutil.copy(path, other)
    for each, vote in ((other, there), (path, here)):
        with open_project(each) as opened:
            opened.vote(release_id, vote=vote, reviewer="Rita", comment="so I say")
    merge(path, other)
    with open_project(path) as opened:
        assert standing(opened, release_id) == {"rita": Verdict.REJECT}
        opened.vote(release_id, vote="approve", reviewer="Rita")
        assert standing(opened, release_id) == {"rita": Verdict.APPROVE}


def test_that_a_vote_in_a_copy_counts_before_an_earlier_one_that_both_copies_hold(
    project: Project, tmp_path: Path
) -> None:  # fmt: skip
    release_id, other = ready(project), tmp_path / "other.dwb"
    project.vote(release_id, vote="reject", reviewer="Rita", comment="not yet")
    path = project.path
    project.close()
    shutil.copy(path, other)
    with open_project(other) as opened:
        opened.vote(release_id, vote="approve", reviewer="Rita")
    merge(path, other)
    with open_project(path) as opened:
        assert standing(opened, release_id) == {"rita": Verdict.APPROVE}

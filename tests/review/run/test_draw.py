"""However a draw is asked for, it is audited, held against the other tables, anchored and stored as one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.small import write_small
from tests.contract.contexts import Listener
from tests.review.small_review import SMALL_PLAN
from workbench.core.errors import UserProblem
from workbench.core.findings import DIFFERENCING
from workbench.core.progress import QUIET
from workbench.core.states import ReleaseState
from workbench.project.store import Project
from workbench.review.plan.anchoring import anchored
from workbench.review.plan.outside import ALLOWED, allow, outside_paths
from workbench.review.run.draw import run_and_store
from workbench.review.run.paths import resolved
from workbench.review.run.waiting import draw_waiting
from workbench.review.workspace import Workspace


@pytest.fixture
def plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the plan and its data, apart from the project's."""
    monkeypatch.setenv(ALLOWED, str(tmp_path / "allowed.json"))
    (tmp_path / "plans").mkdir()
    write_small(tmp_path / "plans")
    return tmp_path / "plans"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "project").mkdir()
    made = Workspace()
    made.open(tmp_path / "project" / "p.dwb", create=True, person="Ana")
    yield made
    made.close()


def _judged(project: Project, release_id: str) -> None:
    run = project.latest_run(release_id)
    assert run is not None
    sources = {finding.source for finding in project.findings(run.id)}
    assert {check.id for check in run.specs if check.kind == "check"} <= sources
    assert DIFFERENCING in sources, "held against the project's other tables"
    assert run.offered and run.same_table and run.claim is not None
    assert project.published(run.id) is not None


def test_that_a_new_release_is_made_where_none_is_named(workspace: Workspace, plans: Path) -> None:
    listener = Listener()
    drawn = run_and_store(workspace, SMALL_PLAN, base=plans, actor="Ana", context=listener)
    _judged(workspace.project, drawn.release_id)
    review = workspace.open_release(drawn.release_id)
    assert review.state is ReleaseState.IN_REVIEW
    assert review.evidence is not None
    kept, told = ([(f.id, f.source, f.stage, f.status, f.sentence) for f in found]
                  for found in (review.evidence.findings, drawn.findings()))  # fmt: skip
    assert kept == told
    assert all(resolved(review.base, file.path).is_file() for file in review.plan.data.files())
    assert listener.fractions == sorted(listener.fractions), "one bar from the data file to the stored run"


def test_that_drawing_again_is_another_draw_of_the_same_release(workspace: Workspace, plans: Path) -> None:
    first = run_and_store(workspace, SMALL_PLAN, base=plans, actor="Ana", context=QUIET)
    again = run_and_store(
        workspace, SMALL_PLAN, base=plans, release_id=first.release_id, actor="Ana", context=QUIET
    )  # fmt: skip
    assert (again.release_id, first.stored.draws, again.stored.draws) == (first.release_id, 1, 2)
    assert not workspace.project.release(first.release_id).stale


def test_that_a_draw_that_cannot_be_stored_leaves_nothing_behind(
    workspace: Workspace, plans: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered: list[str] = []

    @contextmanager
    def storing() -> Iterator[None]:
        entered.append("in")
        try:
            yield
        finally:
            entered.append("out")

    def full(*_arguments: object, **_named: object) -> None:
        raise UserProblem("The disk is full")

    monkeypatch.setattr(Workspace, "store_run", full)
    with pytest.raises(UserProblem, match="full"):
        run_and_store(workspace, SMALL_PLAN, base=plans, actor="Ana", context=QUIET, storing=storing())
    assert workspace.project.releases() == ()
    assert entered == ["in", "out"]


def test_that_a_plan_that_is_refused_stores_nothing(workspace: Workspace, plans: Path) -> None:
    wrong = replace(SMALL_PLAN, data=replace(SMALL_PLAN.data, path="gone.csv"))
    with pytest.raises(UserProblem):
        run_and_store(workspace, wrong, base=plans, actor="Ana", context=QUIET)
    assert workspace.project.releases() == ()


def test_that_what_was_drawn_aside_is_stored_like_everything(workspace: Workspace, plans: Path) -> None:
    """As the demonstration does it: the draw needs no project, only storing does."""
    moved = anchored(SMALL_PLAN, old=plans, new=workspace.project.path.parent)
    allow(outside_paths(moved.data, workspace.project.path.parent))
    release_id = workspace.new_release(moved, "Ana").release_id
    assert draw_waiting(workspace, QUIET) == (release_id,)
    _judged(workspace.project, release_id)

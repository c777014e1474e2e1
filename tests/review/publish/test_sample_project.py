"""One project holds a release for every sample; what waits is drawn once, and approved where nothing is against it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.said import dwb
from workbench.core.progress import QUIET
from workbench.core.states import ReleaseState
from workbench.products.registry import FOLDERS
from workbench.review.publish import sample_project
from workbench.review.publish.sample_project import PREPARER, write_sample_project
from workbench.review.publish.samples import SAMPLES
from workbench.review.run.waiting import draw_waiting, store_waiting, waiting
from workbench.review.workspace import Workspace

SMALL = "employment_tables"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project with the one sample that is quickest to draw."""
    monkeypatch.setattr(sample_project, "SAMPLES", {SMALL: SAMPLES[SMALL]})
    made = Workspace()
    made.open(write_sample_project(tmp_path, QUIET), person=PREPARER)
    return made


def test_that_every_product_has_a_sample_and_every_sample_a_release(tmp_path: Path) -> None:
    assert list(SAMPLES)[: len(FOLDERS)] == list(FOLDERS)
    workspace = Workspace()
    workspace.open(write_sample_project(tmp_path, QUIET))
    assert {row.product for row in workspace.view().releases} == set(SAMPLES)
    assert {release.plan.product.id for release in waiting(workspace)} == set(SAMPLES)


def test_that_a_project_that_is_there_is_kept_and_what_it_lacks_is_added(tmp_path: Path, workspace: Workspace) -> None:
    workspace.close()
    sample_project.SAMPLES["commuting_flows"] = SAMPLES["commuting_flows"]
    workspace.open(write_sample_project(tmp_path, QUIET))
    assert sorted(row.product for row in workspace.view().releases) == ["commuting_flows", SMALL]
    workspace.close()
    workspace.open(write_sample_project(tmp_path, QUIET))
    assert len(workspace.view().releases) == 2


def test_that_what_waits_is_drawn_once_and_by_its_preparer(workspace: Workspace) -> None:
    assert draw_waiting(workspace, QUIET) == ("R-0001",)
    review = workspace.open_release("R-0001")
    assert review.state is ReleaseState.IN_REVIEW and review.evidence is not None and review.evidence.draws == 1
    assert waiting(workspace) == () == draw_waiting(workspace, QUIET)


def test_that_a_draw_is_dropped_where_somebody_was_faster(workspace: Workspace) -> None:
    (release,) = waiting(workspace)
    whole = release.run(QUIET)
    changed = replace(release.plan, release=replace(release.plan.release, period="2027"))
    workspace.save_plan(release.release_id, changed, PREPARER)
    assert store_waiting(workspace, release, whole, QUIET) is None
    workspace.save_plan(release.release_id, release.plan, PREPARER)
    assert store_waiting(workspace, release, whole, QUIET) is not None
    assert store_waiting(workspace, release, whole, QUIET) is None
    assert workspace.project.release(release.release_id).draws == 1


def test_that_a_plan_with_files_elsewhere_is_left_alone(workspace: Workspace) -> None:
    (release,) = waiting(workspace)
    data = replace(release.plan.data, path="/somewhere/else.csv")
    workspace.save_plan(release.release_id, replace(release.plan, data=data), PREPARER)
    assert waiting(workspace) == ()


def test_that_a_sample_can_be_left_reviewed_beside_its_plan(tmp_path: Path) -> None:
    said = dwb("sample", SMALL, "--out", tmp_path / "s", "--set", "jobs=400", "--project", "--json")
    assert said.code == 0, said.err
    assert said.json["state"] == "approved"
    project = tmp_path / "s" / "review.dwb"
    assert dwb("verify", project).code == 0
    (row,) = dwb("releases", project, "--json").json
    assert row["state"] == "approved"
    again = dwb("sample", SMALL, "--out", tmp_path / "s", "--project")
    assert again.code == 2 and "There is a project already" in again.err


def test_that_a_twin_is_asked_for_by_its_own_settings(tmp_path: Path) -> None:
    both = [
        dwb("sample", SMALL, "--out", tmp_path / name, *words)
        for name, words in (("a", ("--jobs", "300")), ("b", ("--set", "jobs=300")))
    ]
    assert [said.code for said in both] == [0, 0]
    assert (tmp_path / "a" / "jobs.csv").read_bytes() == (tmp_path / "b" / "jobs.csv").read_bytes()
    assert "“jbs” is not a known setting" in dwb("sample", SMALL, "--out", tmp_path / "c", "--set", "jbs=3").err

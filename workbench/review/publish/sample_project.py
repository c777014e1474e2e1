"""One project with a release for every sample: what `make run` shows, and `dwb sample NAME --project` leaves behind."""

from __future__ import annotations

from pathlib import Path

from workbench.core.errors import Refused
from workbench.core.progress import Context, Part
from workbench.core.states import Verdict
from workbench.review.plan.anchoring import anchored
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import SAMPLES, write_sample
from workbench.review.run.waiting import draw_waiting
from workbench.review.workspace import Workspace

PREPARER, REVIEWER = "Sample preparer", "Sample reviewer"
PROJECT = "review.dwb"


def write_sample_project(folder: Path, context: Context) -> Path:
    """Every sample in a folder of its own and one project beside them, with a release for each that is not drawn yet.

    A project that is there already is kept, with all that was done in it; samples it does not hold are added.
    """
    project = folder / PROJECT
    folder.mkdir(parents=True, exist_ok=True)
    workspace = Workspace()
    workspace.open(project, create=not project.exists(), person=PREPARER)
    try:
        held = {row.product for row in workspace.view().releases}
        absent = [name for name in SAMPLES if name not in held]
        for i, name in enumerate(absent):
            part = Part(context, i / len(absent), (i + 1) / len(absent))
            write_sample(name, folder / name, context=part, overwrite=True)
            add_sample(workspace, folder / name)
    finally:
        workspace.close()
    return project


def add_sample(workspace: Workspace, folder: Path) -> str:
    """A release with the plan of a sample that was written into the folder."""
    plan = anchored(read_plan(folder / "plan.toml"), old=folder, new=workspace.project.path.parent)
    return workspace.new_release(plan, PREPARER).release_id


def review_samples(workspace: Workspace, context: Context) -> tuple[tuple[str, str], ...]:
    """Draw what is not drawn yet and approve what nothing stands against. Returns (release, where it stands)."""
    reviewed = []
    for release_id in draw_waiting(workspace, context):
        try:
            workspace.decide(release_id, decision=Verdict.APPROVE.value, reviewer=REVIEWER, comment="")
        except Refused as refused:
            reviewed.append((release_id, f"not approved: {refused.problems[0].sentence()}"))
        else:
            reviewed.append((release_id, workspace.open_release(release_id).state.value))
    return tuple(reviewed)

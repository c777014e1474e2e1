"""Releases that wait for their first draw, drawn one after the other without anybody at the form.

The work between reading a plan and storing a draw needs no project, so it can be done aside; the draw is stored only
where the release still waits with the same plan. A draw that is dropped was never seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.progress import Context, Part
from workbench.core.states import ReleaseState
from workbench.review.plan.outside import files_in_settings, outside_paths
from workbench.review.plan.plan import RELEASE
from workbench.review.run.draw import store_drawn
from workbench.review.run.run import WholeRun, run_plan

if TYPE_CHECKING:
    from workbench.review.plan.plan import Plan
    from workbench.review.views import OpenedReview
    from workbench.review.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A release without a draw; its preparer is who draws."""

    release_id: str
    title: str
    preparer: str
    plan: Plan
    base: Path

    def run(self, context: Context) -> WholeRun:
        return run_plan(self.plan, base=self.base, context=context)


def waiting(workspace: Workspace) -> tuple[Waiting, ...]:
    """Drafts without a draw, oldest first.

    One that names files a person has to be asked about, or a release of the project, is left alone.
    """
    drafts = [row for row in workspace.view().releases if row.draws == 0 and row.state is ReleaseState.DRAFT]
    found = []
    for row in sorted(drafts, key=lambda row: row.id):
        review = workspace.open_release(row.id)
        plan = review.plan
        of_project = any(path.startswith(RELEASE) for path in plan.data.companions.values())
        outside = outside_paths(plan.here, review.base, settings=files_in_settings(plan))
        if plan.data.path and not outside and not of_project:
            found.append(
                Waiting(release_id=row.id, title=row.title, preparer=row.preparer, plan=review.plan, base=review.base)
            )
    return tuple(found)


def store_waiting(workspace: Workspace, release: Waiting, whole: WholeRun, context: Context) -> OpenedReview | None:
    """Store the draw. None where somebody drew or changed the release meanwhile: theirs stands."""
    review = workspace.open_release(release.release_id)
    if review.evidence is not None or review.plan != release.plan or review.state is not ReleaseState.DRAFT:
        return None
    store_drawn(
        workspace,
        release.plan,
        whole,
        base=release.base,
        release_id=release.release_id,
        actor=release.preparer,
        context=context,
    )
    return workspace.open_release(release.release_id)


def draw_waiting(workspace: Workspace, context: Context) -> tuple[str, ...]:
    """Draw and store every release that waits, here and now. Returns their ids."""
    releases = waiting(workspace)
    for i, release in enumerate(releases):
        part = Part(context, i / len(releases), (i + 1) / len(releases))
        store_waiting(workspace, release, release.run(Part(part, 0.0, 0.95)), Part(part, 0.95, 1.0))
    return tuple(release.release_id for release in releases)

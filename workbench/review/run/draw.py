"""Draw and store: the one way in which values are drawn for a project, from window, command line and demonstration."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.progress import Context, Part
from workbench.review.plan.anchoring import anchored
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import LoadedData, load_data
from workbench.review.run.prepare import PreparedTable, prepare
from workbench.review.run.released import released_by
from workbench.review.run.run import WholeRun, draw_and_judge

if TYPE_CHECKING:
    from workbench.review.views import StoredDraw
    from workbench.review.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn(WholeRun):
    """A draw as it was stored: under which release, and what that did to draws and budget."""

    release_id: str
    stored: StoredDraw


def draw_and_store(
    workspace: Workspace,
    plan: Plan,
    *,
    loaded: LoadedData,
    prepared: PreparedTable,
    base: Path,
    release_id: str = "",
    actor: str,
    context: Context,
    storing: AbstractContextManager[object] | None = None,
) -> Drawn:
    """Draw the release, audit and compare it, hold it against the project's other tables, and store all of it at once.

    Without a `release_id` a new release is made. `base` is the folder that the plan's paths start from; in the project
    they start from the project's own. Nothing is stored unless everything is: `storing` is entered around it, for
    whoever must not be interrupted then.
    """
    outcome = draw_and_judge(loaded, prepared, plan, Part(context, 0.0, 0.95))
    whole = WholeRun(loaded=loaded, prepared=prepared, outcome=outcome)
    last = Part(context, 0.95, 1.0)
    return store_drawn(
        workspace, plan, whole, base=base, release_id=release_id, actor=actor, context=last, storing=storing
    )


def store_drawn(
    workspace: Workspace,
    plan: Plan,
    whole: WholeRun,
    *,
    base: Path,
    release_id: str = "",
    actor: str,
    context: Context,
    storing: AbstractContextManager[object] | None = None,
) -> Drawn:
    """The second half of `draw_and_store`, for a draw that was made aside, without the project."""
    from workbench.review.run.differencing import with_differencing
    from workbench.review.run.reuse import with_reuse

    project, loaded, prepared = workspace.project, whole.loaded, whole.prepared
    kept = anchored(plan, old=base, new=project.path.parent)
    outcome = with_differencing(
        whole.outcome, project, release_id=release_id, loaded=loaded, prepared=prepared, plan=kept, context=context
    )
    outcome = with_reuse(outcome, project, plan, loaded=loaded, prepared=prepared, context=context)
    context.step(1.0, "Storing the run")
    with storing or nullcontext(), project.together():
        release = release_id or workspace.new_release(kept, actor).release_id
        stored = workspace.store_run(release, kept, loaded=loaded, prepared=prepared, outcome=outcome, actor=actor)
    return Drawn(release_id=release, loaded=loaded, prepared=prepared, outcome=outcome, stored=stored)


def drawn_before(workspace: Workspace, plan: Plan, *, base: Path) -> str:
    """The release of this project that was drawn from a plan that asks for the same; empty where there is none."""
    from workbench.review.plan.plan_text import from_stored

    project = workspace.project
    own = anchored(plan, old=base, new=project.path.parent).run_digest()
    for record in project.releases():
        if record.draws and from_stored(record.plan_text, record.context, record.id).run_digest() == own:
            return record.id
    return ""


def run_and_store(
    workspace: Workspace,
    plan: Plan,
    *,
    base: Path,
    release_id: str = "",
    actor: str,
    context: Context,
    storing: AbstractContextManager[object] | None = None,
) -> Drawn:
    """The whole plan once, from the data file on, and its draw stored."""
    released = released_by(workspace.project)
    loaded = load_data(plan, base=base, context=Part(context, 0.0, 0.25), released=released)
    prepared = prepare(loaded, plan, Part(context, 0.25, 0.4))
    return draw_and_store(
        workspace,
        plan,
        loaded=loaded,
        prepared=prepared,
        base=base,
        release_id=release_id,
        actor=actor,
        context=Part(context, 0.4, 1.0),
        storing=storing,
    )

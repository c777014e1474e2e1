"""`make run`: the window on the sample project or, without a display, the same review offscreen into out/."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from workbench.cli.commands.window import has_display
from workbench.cli.output import Terminal
from workbench.core.errors import UserProblem
from workbench.core.progress import Context
from workbench.review.plan.anchoring import anchored
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import write_sample
from workbench.review.run.run import run_plan
from workbench.review.workspace import Workspace

PREPARER, REVIEWER = "Sample preparer", "Sample reviewer"
_SAMPLE = "employment_tables"


def sample_project(folder: Path, context: Context) -> Path:
    """The sample written out and run once, ready to be reviewed. An earlier one is used as it is."""
    project = folder / "review.dwb"
    if project.exists():
        return project
    write_sample(_SAMPLE, folder, jobs=None, seed=1, context=context, overwrite=True)
    plan = read_plan(folder / "plan.toml")
    whole = run_plan(plan, base=folder, context=context)
    workspace = Workspace()
    workspace.open(project, create=True, person=PREPARER)
    try:
        kept = anchored(plan, old=folder, new=project.parent)
        release_id = workspace.new_release(kept, PREPARER).release_id
        workspace.store_run(
            release_id, kept, loaded=whole.loaded, prepared=whole.prepared, outcome=whole.outcome, actor=PREPARER
        )
    finally:
        workspace.close()
    return project


def main() -> int:
    """Exit code as for every command."""
    out = Path("out")
    try:
        if has_display() and os.environ.get("QT_QPA_PLATFORM") not in ("offscreen", "minimal"):
            return _window(out / "sample")
        return _offscreen(out)
    except UserProblem as wrong:
        for problem in wrong.problems:
            print(problem.sentence(), file=sys.stderr)
        return 2


def _window(folder: Path) -> int:
    from workbench.ui.app import run_window

    terminal = Terminal()
    project = sample_project(folder, terminal)
    terminal.done()
    print(f"Opening {project}")
    return run_window(project, REVIEWER)


def _offscreen(out: Path) -> int:
    os.environ["QT_QPA_PLATFORM"] = os.environ.get("QT_QPA_PLATFORM") or "offscreen"
    from workbench.ui.tour import tour

    print("There is no display: reviewing the sample offscreen.")
    for what, path in tour(out):
        print(f"{what:<24} {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`make run`: the window on a project with every sample or, without a display, the same reviews offscreen into out/."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from workbench.cli.commands.window import has_display
from workbench.cli.output import Terminal
from workbench.core.errors import UserProblem
from workbench.review.publish.sample_project import REVIEWER, write_sample_project


def main() -> int:
    """Exit code as for every command."""
    out = Path("out")
    try:
        if has_display() and os.environ.get("QT_QPA_PLATFORM") not in ("offscreen", "minimal"):
            return _window(out / "samples")
        return _offscreen(out)
    except UserProblem as wrong:
        for problem in wrong.problems:
            print(problem.sentence(), file=sys.stderr)
        return 2


def _window(folder: Path) -> int:
    from workbench.ui.app import run_window

    terminal = Terminal()
    project = write_sample_project(folder, terminal)
    terminal.done()
    print(f"Opening {project}; releases not drawn yet are drawn in the background.")
    return run_window(project, REVIEWER, draw_waiting=True)


def _offscreen(out: Path) -> int:
    os.environ["QT_QPA_PLATFORM"] = os.environ.get("QT_QPA_PLATFORM") or "offscreen"
    from workbench.ui.tour import tour

    print("There is no display: reviewing the samples offscreen.")
    began = time.monotonic()
    for visited in tour(out):
        now = time.monotonic()
        print(
            f"{visited.release_id} {visited.title}: {visited.state}; {visited.pictures} pictures and {visited.reports} "
            f"reports in {visited.folder} ({now - began:.0f} s)",
            flush=True,
        )
        began = now
    print(f"Project file: {out / 'samples' / 'review.dwb'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Run by the test of sudden death: works on a project without pause and says after each action that it was done."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import sqlite_utils  # noqa: F401 - imported late by the program; here, so that all the time goes into writing

from tests.project.samples import PLAN, data, draft, finding, run_of, table
from workbench.project.store import open_project


def main(path: Path) -> None:
    with open_project(path, person="Worker") as project:
        assert not project.read_only, project.read_only_reason
        key = project.save_dataset(data())
        said("ready")
        for number in itertools.count():
            release = draft(project, title=f"release {number}")
            said(f"release {release.id}")
            run = project.add_run(release.id, run_of(key), findings=(finding(),) * 5, published=table(600))
            said(f"run {run.id}")
            project.update_release_plan(release.id, PLAN + f"# {number}\n" * 500)
            said(f"revised {release.id}")
            project.add_run(release.id, run_of(key), published=table())
            made = project.decide(release.id, decision="approve", reviewer="Rita", comment=f"decision {number}")
            said(f"decision {made.id}")


def said(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

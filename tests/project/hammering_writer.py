"""Run by the test of several writers: writes wherever it gets the chance, and says what it did.

With "unlocked" the lock beside the file is not asked at all, as on a network drive that has none.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.project.samples import draft
from workbench.core.errors import UserProblem
from workbench.project.file import opening
from workbench.project.store import open_project


class NoLock:
    """Everybody gets it."""

    @classmethod
    def take(cls, *_: object) -> NoLock:
        return cls()

    def release(self) -> None:
        pass


def main(path: Path, name: str, wanted: int, unlocked: bool) -> None:
    if unlocked:
        opening.ProjectLock = NoLock  # type: ignore[assignment,misc]
    done = 0
    end = time.monotonic() + 60
    while done < wanted and time.monotonic() < end:
        with open_project(path, person=name) as project:
            if project.read_only:
                sys.stdout.write(f"kept out: {project.read_only_reason}\n")
                time.sleep(0.005)
                continue
            for _ in range(2):
                try:
                    release = draft(project, title=f"{name} {done}")
                except UserProblem as busy:
                    assert "busy" in str(busy), busy
                    continue
                done += 1
                sys.stdout.write(f"release {release.id} {name} {done - 1}\n")
    assert done >= wanted


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] == "unlocked")

"""Killing the program at any instant loses at most the unfinished action."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.core.states import ReleaseState
from workbench.project.history.verify import verify
from workbench.project.store import create, open_project

_ROOT = Path(__file__).resolve().parent.parent.parent.parent
_KILLS = 15


def _work_and_die(path: Path, instants: random.Random) -> list[str]:
    """Start a writer, kill it at a random instant of a random action, and return what it had acknowledged."""
    command = [sys.executable, "-m", "tests.project.file.killed_writer", str(path)]
    writer = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    assert writer.stdout is not None
    assert writer.stdout.readline().strip() == "ready"
    said = [writer.stdout.readline().strip() for _ in range(instants.randrange(1, 7))]
    time.sleep(instants.uniform(0.0, 0.02))
    writer.kill()
    said += writer.stdout.read().splitlines()
    writer.stdout.close()
    writer.wait()
    return said


@pytest.mark.heavy
def test_that_every_acknowledged_action_survives_sudden_death(tmp_path: Path) -> None:
    path = tmp_path / "review.dwb"
    create(path).close()
    acknowledged: list[str] = []
    instants = random.Random(20261105)
    for _ in range(_KILLS):
        acknowledged += _work_and_die(path, instants)
        result = verify(path)
        assert result.problems == ()
    with open_project(path) as project:
        assert not project.read_only
        releases = {release.id: release for release in project.releases()}
        runs = {run.id for code in releases for run in project.runs(code)}
        decisions = {made.id: made for code in releases for made in project.decisions(code)}
        entries = {entry.release_id for entry in project.ledger()}
    for words in acknowledged:
        kind, name = words.split()
        match kind:
            case "release":
                assert name in releases
            case "run":
                assert int(name) in runs
            case "revised":
                assert releases[name].revision == 2
            case "decision":
                made = decisions[int(name)]
                assert releases[made.release_id].state is ReleaseState.APPROVED
                assert made.release_id in entries
    assert len(entries) == len(decisions), "an approval and its ledger entry are one action"


def test_that_a_killed_creation_leaves_no_half_a_project(tmp_path: Path) -> None:
    """The file is made under another name; dying before the move leaves nothing under the wanted one."""
    path = tmp_path / "new.dwb"
    script = (
        "import os, sys; from pathlib import Path; from workbench.project.file import opening\n"
        "from workbench.project import store\n"
        "opening.Action.enter = lambda *a, **k: os._exit(9)\n"
        "store.create(Path(sys.argv[1]))"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)], cwd=_ROOT, check=False).returncode == 9
    assert not path.exists()
    with create(path) as project:
        assert not project.read_only
    assert verify(path).ok

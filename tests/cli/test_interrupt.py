"""Ctrl-C: heard even where a library swallows it, and never with a wrong word on what was stored."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.said import dwb
from tests.cli.small import write_small
from workbench.cli.commands import run as run_command
from workbench.project.store import open_project
from workbench.review.workspace import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent the POSIX way")


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def releases_in(project: Path) -> int:
    if not project.exists():
        return 0
    with open_project(project, person="Ana") as opened:
        return len(opened.releases())


@pytest.mark.parametrize("becomes", ["nothing", "an error"])
def test_that_a_library_cannot_swallow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, becomes: str
) -> None:  # fmt: skip
    plan, real = write_small(tmp_path), run_command.run_and_store

    def with_greedy_library(*arguments: Any, **named: Any) -> Any:
        with contextlib.suppress(KeyboardInterrupt):
            press()
        if becomes == "an error":
            raise TypeError("half imported")
        return real(*arguments, **named)

    monkeypatch.setattr(run_command, "run_and_store", with_greedy_library)
    said = dwb("run", plan, "--project", tmp_path / "p.dwb", "--preparer", "Ana")
    assert (said.code, said.problems) == (130, ["Cancelled; nothing was stored."])
    assert releases_in(tmp_path / "p.dwb") == 0


def test_that_a_cancel_while_storing_says_that_it_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, real = write_small(tmp_path), Workspace.store_run

    def pressed_meanwhile(*arguments: Any, **named: Any) -> Any:
        press()
        return real(*arguments, **named)

    monkeypatch.setattr(Workspace, "store_run", pressed_meanwhile)
    said = dwb("run", plan, "--project", tmp_path / "p.dwb", "--preparer", "Ana")
    assert (said.code, said.problems) == (130, ["Cancelled; the release is stored: see `dwb releases`."])
    assert releases_in(tmp_path / "p.dwb") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("words", [("list", "mechanisms"), ("list", "mechanisms", "--json")])
def test_that_output_to_a_full_disk_is_told_as_such(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "workbench", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (
        2, "The output cannot be written, as the disk is full. Make room.\n"
    )  # fmt: skip


def test_that_a_closed_output_is_no_defect() -> None:
    done = subprocess.run(
        f'"{sys.executable}" -m workbench list products >&-', shell=True, stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")

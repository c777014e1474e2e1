"""One small review, run once for all tests; each test works on its own copy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.cli.small import write_small

COMMENT = "Zebra-striped wording is plain to everybody."


@pytest.fixture(scope="session")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, plan and a project that holds one release, run and not decided."""
    folder = tmp_path_factory.mktemp("run")
    plan = write_small(folder)
    said = dwb("run", plan, "--project", folder / "review.dwb", "--preparer", "Ana", "--json")
    assert said.code == 0, said.err
    return folder


@pytest.fixture
def waiting(run_once: Path, tmp_path: Path) -> Path:
    """A copy of that project, for one test."""
    return Path(shutil.copytree(run_once, tmp_path / "waiting")) / "review.dwb"


@pytest.fixture
def approved(waiting: Path) -> Path:
    said = dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Ben", "--comment", COMMENT)
    assert said.code == 0, said.err
    return waiting

"""A new project for every test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.samples import reviewed
from workbench.project.store import Project, create


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create(tmp_path / "review.dwb", person="Ann") as made:
        yield made


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a finished project file, to be copied and tampered with."""
    return reviewed(tmp_path_factory.mktemp("finished") / "review.dwb").read_bytes()


@pytest.fixture
def copy(finished: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "copy.dwb"
    path.write_bytes(finished)
    return path

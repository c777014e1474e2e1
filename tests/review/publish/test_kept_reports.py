"""A report that was exported by an earlier version of the program is still what its project holds, byte for byte."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.cli.said import dwb

_KEPT = Path(__file__).parent / "kept"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an approved release, built again from the SQL text that was kept of it (file version 3)."""
    path = tmp_path / "review.dwb"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript((_KEPT / "review.sql").read_text(encoding="utf-8"))
    connection.close()
    return path


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_that_a_report_exported_before_still_verifies(project: Path, audience: str) -> None:
    assert dwb("verify", project).code == 0
    said = dwb("verify-report", _KEPT / f"{audience}.json", "--project", project, "--json")
    assert said.json["differences"] == []
    assert said.json["identical"] is True
    assert said.code == 0

"""A disk that fills up in the middle: one sentence, and every file is whole, old or new."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from tests.cli.said import dwb, files_in, one_sentence
from tests.cli.small import write_small


def _no_space(*given: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("command", ["report", "export"])
def test_that_a_full_disk_leaves_the_old_report_in_place(
    command: str, approved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = approved.parent / "out.html"
    file.write_text("the report of last year", encoding="utf-8")
    before = files_in(approved.parent)
    monkeypatch.setattr(os, "fsync", _no_space)
    one_sentence(dwb(command, approved, "R-0001", "-o", file), "out.html", "the disk is full")
    after = files_in(approved.parent)
    assert after.pop(approved.name) != before.pop(approved.name), "the journal says what was meant and not written"
    assert after == before


def test_that_a_full_disk_leaves_no_half_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", _no_space)
    one_sentence(dwb("sample", "employment_tables", "--out", tmp_path / "s"), "the disk is full")
    assert files_in(tmp_path) == {}


def _no_room(monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    """Every connection from now on may grow its file by so many pages; SQLite then answers as on a full disk."""
    from workbench.project.file import files

    prepare = files.prepare

    def cramped(connection: sqlite3.Connection) -> None:
        prepare(connection)
        now = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {now + pages}")

    monkeypatch.setattr(files, "prepare", cramped)


def test_that_a_full_disk_stores_no_decision(waiting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comment longer than the room that is left: nothing of the decision, its ledger entry or its journal entry."""
    with monkeypatch.context() as full:
        _no_room(full, 2)
        said = dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "long " * 20_000)
        one_sentence(said, "review.dwb", "the disk is full")
    assert dwb("verify", waiting).code == 0
    assert dwb("releases", waiting, "--json").json[0]["state"] == "in review"
    assert dwb("ledger", waiting, "--json").json["entries"] == []
    assert dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Ben").code == 0, "with room it works again"


@pytest.mark.parametrize("pages", [0, 1, 2, 4, 8])
def test_that_a_full_disk_leaves_a_project_that_verifies(
    pages: int, waiting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the room ends while a run is stored: what was there stays whole, and no draw is there by half."""
    with monkeypatch.context() as full:
        _no_room(full, pages)
        said = dwb("run", waiting.parent / "plan.toml", "--project", waiting, "--preparer", "Ana")
        assert said.code in (0, 2)
        if said.code:
            one_sentence(said, "review.dwb", "the disk is full")
    assert dwb("verify", waiting).code == 0
    rows = {row["release_id"]: row for row in dwb("releases", waiting, "--json").json}
    assert [row["draws"] for row in rows.values()] == ([1, 1] if said.code == 0 else [1]), "no release without its run"


def test_that_a_full_disk_leaves_no_new_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = write_small(tmp_path)
    before = files_in(tmp_path)
    with monkeypatch.context() as full:
        _no_room(full, 1)
        one_sentence(dwb("run", plan, "--project", tmp_path / "p.dwb", "--preparer", "Ana"), "the disk is full")
    assert files_in(tmp_path) == before

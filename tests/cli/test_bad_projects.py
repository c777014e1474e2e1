"""Project files that cannot be used as they are: one sentence, exit code 2, and the file stays as it was."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.said import Said, dwb, dwb_program, files_in, one_sentence
from workbench.project.store import open_project


def _of_another_program(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE notes (words TEXT)")
    connection.close()


def _newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


UNUSABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (_cut, "damaged or cut short"),
    "cut inside its header": (lambda path: path.write_bytes(path.read_bytes()[:60]), "damaged or cut short"),
    "empty": (lambda path: path.write_bytes(b""), "is empty"),
    "of another program": (_of_another_program, "belongs to another program"),
    "no database": (lambda path: path.write_bytes(b"PK\x03\x04" + bytes(400)), "not a project file"),
    "of a newer version": (_newer, "newer version"),
}


def _commands(project: Path) -> dict[str, tuple[object, ...]]:
    folder = project.parent
    return {
        "run": ("run", folder / "plan.toml", "--project", project, "--preparer", "Ana"),
        "decide": ("decide", project, "R-0001", "--approve", "--reviewer", "Ben"),
        "report": ("report", project, "R-0001", "-o", folder / "r.html"),
        "export": ("export", project, "R-0001", "-o", folder / "t.csv"),
        "ledger": ("ledger", project),
        "releases": ("releases", project),
    }


@pytest.mark.parametrize("command", ["run", "decide", "report", "export", "ledger", "releases"])
@pytest.mark.parametrize("what", UNUSABLE)
def test_that_an_unusable_project_is_one_sentence_and_stays_as_it_was(
    what: str, command: str, waiting: Path
) -> None:  # fmt: skip
    spoil, words = UNUSABLE[what]
    spoil(waiting)
    before = files_in(waiting.parent)
    one_sentence(dwb(*_commands(waiting)[command]), "review.dwb", words)
    assert files_in(waiting.parent) == before


@pytest.mark.parametrize("what", UNUSABLE)
def test_that_verify_never_calls_an_unusable_project_well(what: str, waiting: Path) -> None:
    spoil, _ = UNUSABLE[what]
    spoil(waiting)
    said = dwb("verify", waiting, "--json")
    assert said.code in (1, 2)
    assert said.problems or said.json["problems"]


def test_that_a_folder_is_no_project(tmp_path: Path) -> None:
    one_sentence(dwb("ledger", tmp_path), "folder, not a project file")


def _read_only_answers(project: Path, words: str) -> None:
    before = files_in(project.parent)
    for command in ("run", "decide"):
        one_sentence(dwb(*_commands(project)[command]), "review.dwb", "is read-only", words)
    assert files_in(project.parent) == before
    assert dwb("ledger", project).code == 0
    assert dwb("releases", project, "--json").json[0]["release_id"] == "R-0001"
    assert dwb("verify", project).code == 0


@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="the superuser may write anywhere")
def test_that_a_write_protected_project_is_read_but_not_changed(waiting: Path) -> None:
    waiting.chmod(0o444)
    _read_only_answers(waiting, "write-protected")


def test_that_a_project_that_may_not_be_written_is_read_but_not_changed(
    waiting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same where the operating system refuses for any other reason."""
    monkeypatch.setattr("workbench.project.file.opening._may_write", lambda _: False)
    _read_only_answers(waiting, "write-protected")


def test_that_a_read_only_project_can_still_be_reported(waiting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.project.file.opening._may_write", lambda _: False)
    assert dwb("report", waiting, "R-0001", "--format", "json", "-o", waiting.parent / "r.json").code == 0


def test_that_the_name_of_a_report_says_its_format_where_nothing_else_does(waiting: Path) -> None:
    assert dwb("report", waiting, "R-0001", "-o", waiting.parent / "by_name.json", "--json").json["format"] == "json"
    assert dwb("report", waiting, "R-0001", "-o", waiting.parent / "r.docx").code == 2
    assert not (waiting.parent / "r.docx").exists()


def _elsewhere(project: Path, *words: object) -> Said:
    with open_project(project, person="Dora at the next desk"):
        return dwb_program(*words)


def test_that_a_project_open_elsewhere_names_who_has_it_and_is_not_changed(waiting: Path) -> None:
    before = waiting.read_bytes()
    said = _elsewhere(waiting, *_commands(waiting)["decide"])
    one_sentence(said, "review.dwb", "is read-only", "Dora at the next desk")
    assert waiting.read_bytes() == before
    assert not list(waiting.parent.glob("*.lock*")), "no lock is left"
    assert dwb(*_commands(waiting)["decide"]).code == 0, "afterwards it can be written again"


def test_that_a_project_open_elsewhere_can_be_read(waiting: Path) -> None:
    said = _elsewhere(waiting, "ledger", waiting, "--json")
    assert said.code == 0
    assert said.json["entries"] == []

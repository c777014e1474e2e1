"""Nothing public is written that the journal does not know of beforehand; what is internal is private."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.said import dwb, one_sentence
from tests.cli.small import write_small
from workbench.core.errors import UserProblem
from workbench.project.store import open_project
from workbench.review.publish import export as exporting

PUBLIC = (
    ("export", "-o", "t.csv"), ("report", "--audience", "public", "-o", "r.json"), ("bundle", "-o", "b.zip"),
    ("bundle", "-o", "folder"),
)  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("approved")
    project = folder / "review.dwb"
    assert dwb("run", write_small(folder), "--project", project, "--preparer", "Ana").code == 0
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "Agreed").code == 0
    return project.read_bytes()


@pytest.fixture
def project(kept: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "review.dwb"
    path.write_bytes(kept)
    return path


def command(project: Path, words: tuple[str, ...]) -> tuple[object, ...]:
    verb, *more, output = words
    return (verb, project, "R-0001", *more, project.parent / output)


@pytest.mark.parametrize("words", PUBLIC)
def test_that_public_files_are_refused_while_somebody_else_holds_the_project(
    project: Path, words: tuple[str, ...]
) -> None:  # fmt: skip
    with open_project(project, person="Rita") as held:
        before = held.journal()
        one_sentence(dwb(*command(project, words)), "cannot be recorded in the journal", "Rita", code=1)
        assert held.journal() == before
    assert not (project.parent / words[-1]).exists()


def test_that_an_internal_report_can_still_be_read_out_and_is_private(project: Path) -> None:
    with open_project(project, person="Rita"):
        assert dwb("report", project, "R-0001", "-o", project.parent / "i.json").code == 0
    if os.name == "posix":
        assert (project.parent / "i.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("words", PUBLIC)
def test_that_the_journal_knows_before_a_file_is_there_and_that_it_was_not_written(
    project: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full, or the program is killed: the entry stands, the file does not."""
    known = []

    def full(path: Path, _content: bytes, **_how: bool) -> None:
        with open_project(project, read_only=True) as seen:
            known.append(path.name in seen.exports("R-0001")[-1].files)
        raise UserProblem("The disk is full; nothing was written", str(path))

    monkeypatch.setattr(exporting, "write_bytes", full)
    assert dwb(*command(project, words)).code == 2
    assert known == [True]
    assert not (project.parent / words[-1]).exists(), "not even an empty folder"
    with open_project(project) as after:
        assert [entry.action for entry in after.journal()][-2:] == ["export", "export not finished"]
    monkeypatch.undo()
    assert dwb(*command(project, words)).code == 0, "the next try is not in the way of the last"

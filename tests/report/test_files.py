"""A file is written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.report.sample import sample_report
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience
from workbench.report.render import Format, to_html, to_json, write


def test_that_each_format_lands_in_a_path_with_accents_and_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "Prüfung n° 7"
    folder.mkdir()
    for kind in Format:
        write(sample_report(), Audience.PUBLIC, format=kind, path=folder / f"report.{kind.value}")
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "report.json", "report.pdf"]
    assert (folder / "report.html").read_text(encoding="utf-8") == to_html(sample_report(), Audience.PUBLIC)
    assert (folder / "report.json").read_text(encoding="utf-8") == to_json(sample_report(), Audience.PUBLIC)
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.ENOSPC, "disk is full"), (errno.EACCES, "may not write here"), (errno.EROFS, "read-only")],
)
def test_that_a_failure_keeps_the_old_file_and_leaves_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    path = tmp_path / "report.json"
    path.write_text("the old one", encoding="utf-8")

    def fails(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(UserProblem, match=words):
        write(sample_report(), Audience.PUBLIC, format=Format.JSON, path=path)
    assert path.read_text(encoding="utf-8") == "the old one"
    assert [each.name for each in tmp_path.iterdir()] == ["report.json"]


def test_that_a_folder_that_is_missing_or_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="folder does not exist"):
        write(sample_report(), Audience.PUBLIC, format=Format.JSON, path=tmp_path / "nowhere" / "report.json")
    with pytest.raises(UserProblem, match="a folder, not a file"):
        write(sample_report(), Audience.PUBLIC, format=Format.JSON, path=tmp_path)

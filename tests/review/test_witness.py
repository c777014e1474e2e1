"""Heads of the journal that are kept elsewhere: a project that was rewritten or cut off does not agree with them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.said import dwb, one_sentence
from tests.project.samples import draft, reviewed
from workbench.project.history.verify import verify
from workbench.project.store import open_project

OFFICE = "Records Office"


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was ever seen by this person: only what is kept elsewhere can tell."""
    monkeypatch.setenv("DWB_KEYS", str(tmp_path / "keys"))
    monkeypatch.setenv("DWB_KEY_PASSPHRASE", "correct horse battery staple")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return reviewed(tmp_path / "review.dwb")


@pytest.fixture
def log(project: Path, tmp_path: Path) -> Path:
    """One line, then another entry in the project, then another line."""
    file = tmp_path / "heads.log"
    shutil.copy(project, tmp_path / "older.dwb")
    assert dwb("witness", project, "--log", file, "--as", OFFICE).code == 0
    with open_project(project) as opened:
        draft(opened)
    assert dwb("witness", project, "--log", file, "--as", OFFICE).code == 0
    return file


@pytest.fixture
def nothing_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DWB_SEEN", str(tmp_path / "nobody.json"))


def _against(project: Path, log: Path, *more: object) -> tuple[int, str]:
    said = dwb("verify", project, "--against", log, *more)
    return said.code, said.out + said.err


def test_that_a_project_agrees_with_what_was_written_down_about_it(project: Path, log: Path) -> None:
    code, out = _against(project, log, "--younger", 1)
    assert code == 0, out
    assert "Compared with 2 heads in heads.log" in out and OFFICE in out


@pytest.mark.usefixtures("nothing_seen")
def test_that_an_older_copy_is_told_to_somebody_who_never_saw_the_project(log: Path, tmp_path: Path) -> None:
    older = tmp_path / "older.dwb"
    assert verify(older).ok, "nothing inside the file shows it"
    code, out = _against(older, log)
    assert code == 1
    assert f"{OFFICE} saw entry" in out and "rewritten or cut off" in out
    refused = dwb("witness", older, "--log", log, "--as", OFFICE)
    one_sentence(refused, "do not agree", code=1)


@pytest.mark.parametrize("change", ["hash", "entry", "at", "name", "project"])
def test_that_a_changed_line_is_told(project: Path, log: Path, change: str) -> None:
    lines = log.read_text(encoding="utf-8").splitlines()
    head = json.loads(lines[0])
    head[change] = head["entry"] + 1 if change == "entry" else head[change][::-1]
    log.write_text("\n".join([json.dumps(head), lines[1]]), encoding="utf-8")
    code, out = _against(project, log)
    assert code == 1
    assert "line 1 of the log is not as it was signed" in out
    assert "has been altered" not in out, "the project is whole: it is the log that was changed"


def test_that_a_line_that_was_taken_out_is_missed(project: Path, log: Path) -> None:
    log.write_text(log.read_text(encoding="utf-8").splitlines()[1] + "\n", encoding="utf-8")
    code, out = _against(project, log)
    assert code == 1 and "was taken out or changed" in out


def test_that_an_old_log_and_a_log_of_another_project_do_not_do(project: Path, log: Path, tmp_path: Path) -> None:
    assert _against(project, log, "--younger", 0)[0] == 1
    other = reviewed(tmp_path / "other.dwb")
    code, out = _against(other, log)
    assert code == 1 and "no line about this project" in out


@pytest.mark.usefixtures("nothing_seen")
def test_that_a_report_tells_an_older_copy_too(project: Path, tmp_path: Path) -> None:
    older = Path(shutil.copy(project, tmp_path / "older.dwb"))
    with open_project(project) as opened:
        last = opened.journal()[-1]
        draft(opened)
        newest = opened.journal()[-1]
    for entry, fits in ((last, True), (newest, False)):
        report = tmp_path / "report.json"
        cited = {"name": f"journal, entry {entry.seq}", "sha256": entry.hash}
        report.write_text(json.dumps({"hashes": [cited]}), encoding="utf-8")
        assert _against(project, report)[0] == 0
        assert _against(older, report)[0] == (0 if fits else 1)


@pytest.mark.parametrize("text", ["", "{}", "[]", "[" * 100_000, '{"hashes": 3}', '{"entry": 1}\n', "\x00"])
def test_that_any_other_file_gives_a_sentence(project: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.txt"
    file.write_text(text, encoding="utf-8")
    said = dwb("verify", project, "--against", file)
    assert said.code == 2
    one_sentence(said, "a log of heads or a report in JSON")


def test_that_days_are_asked_of_a_log_only(project: Path) -> None:
    one_sentence(dwb("verify", project, "--younger", 3), "--younger needs a log")

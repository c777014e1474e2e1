"""One flipped byte in a decision, wherever it is, and `dwb verify` says which entry was touched."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import COMMENT
from tests.cli.said import dwb

REVIEWER = "Benedikta-Wilhelmina"


@pytest.fixture
def decided(waiting: Path) -> Path:
    words = ("--approve", "--reviewer", REVIEWER, "--comment", COMMENT, "--public-comment", "Plain-public-words")
    assert dwb("decide", waiting, "R-0001", *words).code == 0
    assert dwb("verify", waiting).code == 0
    return waiting


def _decision(project: Path) -> dict[str, object]:
    connection = sqlite3.connect(project)
    try:
        cursor = connection.execute("SELECT * FROM decision")
        return dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
    finally:
        connection.close()


def _row_bytes(project: Path) -> tuple[bytearray, int]:
    """The file, and where in it the decision's comment stands; the other texts of the row are around it."""
    content = bytearray(project.read_bytes())
    assert content.count(COMMENT.encode()) == 1
    return content, content.index(COMMENT.encode())


def _told_on(project: Path, *, entry: str = "decision 1 of R-0001") -> str:
    said = dwb("verify", project, "--json")
    assert said.code == 1, said
    assert said.json["ok"] is False
    assert any(entry in problem and "journal entry" in problem for problem in said.json["problems"]), said.json
    in_words = dwb("verify", project)
    assert in_words.code == 1
    assert entry in in_words.out
    return "\n".join(said.json["problems"])


@pytest.mark.parametrize("offset", [0, 7, len(COMMENT) - 1])
@pytest.mark.parametrize("bit", [0x01, 0x20, 0x80])
def test_that_one_bit_of_the_comment_is_found_out(decided: Path, offset: int, bit: int) -> None:
    content, at = _row_bytes(decided)
    content[at + offset] ^= bit
    decided.write_bytes(content)
    problems = _told_on(decided)
    assert "was changed" in problems
    assert COMMENT[:offset] not in problems or offset == 0, "what somebody wrote is not repeated"


@pytest.mark.parametrize("column", ["reviewer", "public_comment", "decision", "decided_at", "plan_digest"])
def test_that_one_byte_of_any_text_of_the_decision_is_found_out(decided: Path, column: str) -> None:
    text = str(_decision(decided)[column]).encode()
    content, at = _row_bytes(decided)
    start = content.rfind(text, max(at - 400, 0), at)
    start = start if start >= 0 else content.find(text, at, at + 400)
    assert start >= 0, f"the {column} is not beside the comment"
    content[start + len(text) // 2] ^= 0x01
    decided.write_bytes(content)
    _told_on(decided)


def test_that_a_changed_decision_is_found_out_even_when_triggers_were_dropped(decided: Path) -> None:
    connection = sqlite3.connect(decided)
    with connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("UPDATE decision SET reviewer = 'Somebody else'")
    connection.close()
    _told_on(decided)


def test_that_a_removed_decision_is_found_out(decided: Path) -> None:
    connection = sqlite3.connect(decided)
    with connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM decision")
    connection.close()
    assert "was removed" in _told_on(decided)


def test_that_verify_changes_nothing(decided: Path) -> None:
    before = decided.read_bytes()
    names = sorted(path.name for path in decided.parent.iterdir())
    assert dwb("verify", decided).code == 0
    assert decided.read_bytes() == before
    assert sorted(path.name for path in decided.parent.iterdir()) == names


def test_that_a_clock_that_went_back_is_told_but_not_held_against_the_file(
    waiting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.project.file.action.utc_now", lambda: "2001-01-01T00:00:00.000000Z")
    late = dwb("decide", waiting, "R-0001", "--reject", "--reviewer", "Ben")
    assert (late.code, "clock" in late.err) == (1, True)
    noted = dwb("clock", waiting, "--reason", "the battery is flat", "--by", "Ann", "--json")
    assert (noted.code, noted.json["actor"]) == (0, "Ann")
    assert dwb("decide", waiting, "R-0001", "--reject", "--reviewer", "Ben").code == 0
    said = dwb("verify", waiting, "--json")
    assert (said.code, said.json["ok"], said.json["problems"]) == (0, True, [])
    assert len(said.json["warnings"]) == 1
    assert said.json["warnings"][0] in dwb("verify", waiting).out


def test_that_the_head_of_the_journal_is_told_and_moves_with_every_action(waiting: Path) -> None:
    """Kept in a letter, it shows that a whole file was replaced, which nothing inside the file can show."""
    before = dwb("verify", waiting, "--json").json
    assert before["head"] in dwb("verify", waiting).out
    assert dwb("decide", waiting, "R-0001", "--reject", "--reviewer", "Ben").code == 0
    after = dwb("verify", waiting, "--json").json
    assert after["head"] != before["head"]
    assert after["entries"] == before["entries"] + 1

"""A project file made to do harm gives a sentence in every command: no crash, no hang, no defect."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.project.file.test_migrations import kept_file
from tests.project.signers import tampered

DEEP = "[" * 100_000 + "]" * 100_000

CASES = {
    "journal": ("UPDATE journal SET payload = ? WHERE seq = 3", f'{{"rows": {DEEP}}}'),
    "finding": ("UPDATE finding SET body = ?", DEEP),
    "claim": ("UPDATE run SET claim = ?", DEEP),
    "context": ("UPDATE release SET context = ?", DEEP),
    "length": ("UPDATE published SET length = ?", 2**63 - 1),
    "cap": ("UPDATE cap SET epsilon = ?", "sNaN"),
    "a large cap": ("UPDATE cap SET epsilon = ?", "1e999999999"),
    "no number": ("UPDATE run SET claim = replace(claim, '\"epsilon\":', ?)", '"epsilon":"NaN","x":'),
    "time": ("UPDATE release SET changed_at = ?", "<script>"),
    "title": ("UPDATE release SET title = ?", "long " * 1_000_000),
    "long context": ("UPDATE release SET context = ?", '{"purpose": "' + "long " * 1_000_000 + '"}'),
}


def commands(project: Path) -> tuple[tuple[object, ...], ...]:
    return (
        ("releases", project), ("verify", project), ("ledger", project), ("keys", "list", project),
        ("decide", project, "R-0001", "--reject", "--reviewer", "Ben"),
        ("report", project, "R-0001", "-o", project.parent / "r.json"),
    )  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_that_stored_text_that_nobody_wrote_is_a_sentence(waiting: Path, case: str) -> None:
    """`dwb` itself asserts that no command ends with a defect."""
    change, value = CASES[case]
    connection = sqlite3.connect(waiting, isolation_level=None)
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f'DROP TRIGGER "{name}"')
    connection.execute(change, (value,))
    for _, sql in triggers:
        connection.execute(sql)
    connection.close()
    codes = {str(words[0]): dwb(*words).code for words in commands(waiting)}
    assert codes["verify"] == 1
    assert codes["decide"] in (1, 2)


def test_that_a_view_in_place_of_a_table_keeps_nobody_busy(waiting: Path) -> None:
    connection = sqlite3.connect(waiting, isolation_level=None)
    connection.execute("DROP TABLE head")
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1 AS id, i AS entries, i AS hash FROM n"
    )
    connection.execute(f"CREATE VIEW head AS {endless}")
    connection.close()
    for words in commands(waiting):
        assert dwb(*words).code in (1, 2)
    assert "the view “head” was added" in dwb("verify", waiting).out


def test_that_a_file_that_says_another_version_is_a_sentence(tmp_path: Path) -> None:
    path = kept_file(5, tmp_path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    for words in commands(path):
        assert dwb(*words).code in (1, 2)


def test_that_a_rewritten_number_that_is_none_is_a_sentence(waiting: Path) -> None:
    tampered(waiting, lambda connection: connection.execute("UPDATE cap SET epsilon = 'NaN'"))
    for words in commands(waiting):
        dwb(*words)

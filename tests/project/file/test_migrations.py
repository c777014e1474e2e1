"""Older files are brought up to date after a backup, entirely or not at all; fossils stay as they are."""

from __future__ import annotations

import ast
import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.project.samples import draft
from workbench.core.errors import UserProblem
from workbench.outputs.csv_file import csv_bytes
from workbench.project.file import migrations as package
from workbench.project.file.migrations import MIGRATIONS, Migration
from workbench.project.file.opening import create_session, open_session
from workbench.project.history.verify import verify
from workbench.project.store import Project, open_project

_FOSSILS = Path(package.__file__).parent
_KEPT = Path(__file__).parent / "kept"

# A migration that was ever shipped must never change: files in the field were made by it.
_SHIPPED = {
    "m0001_first_tables.py": "b9219012313e8fb7e78d1fde6312996f2008d7ab2464ffc6ae4f4462874c744e",
    "m0002_policies_and_exceptions.py": "45bae8cd3f547a33f90e3a747fe9b2df05fa83a67153fb597aee9d8552640f55",
    "m0003_keys_and_signatures.py": "2a22d38b9cf09829d7a6d6382062bb5f9213a6e0a6310d0f734b1b6474e58d8a",
    "m0004_value_layout.py": "26017998b81b2985c67e4932feb8d69bc42a3c37e8ea84f7a22d7692181538ae",
    "m0005_words_judged.py": "9b6f366d06ebfbae36b3ea92ded93032e2ad171af052497e884125cd46bad86d",
    "m0006_columns_and_parts.py": "04b02c61ba955742385f2e002f8f5cc17e7bb1c20fd0e031bd3cb4ff1aa376a6",
    "m0007_people_and_programmes.py": "c1f4cfea5c21731a3d3982b412d616b8987cdfd4ad92af19296a14f2ef383aea",
    "m0008_signed_actions.py": "e8c80a30f2dba5f2238194442f56b1c04bf5517567c74111c27912f48a2d3d79",
}
_BACKUP = f"copy.dwb.backup-v{len(MIGRATIONS)}"


def later(db: Any) -> None:
    """A made-up next version: a new table, a new column that may be empty, and every comment rewritten."""
    db.execute("CREATE TABLE reminder (id INTEGER NOT NULL PRIMARY KEY, words TEXT NOT NULL) STRICT, WITHOUT ROWID")
    db.execute("ALTER TABLE decision ADD COLUMN mood TEXT")
    db.execute("DROP TRIGGER vote_no_update")
    db.execute("UPDATE vote SET comment = comment || ' (rewritten)'")
    db.execute(
        "CREATE TRIGGER vote_no_update BEFORE UPDATE ON vote "
        "BEGIN SELECT RAISE(ABORT, 'vote rows are never changed or erased'); END"
    )


def failing(db: Any) -> None:
    db.execute("CREATE TABLE half (id INTEGER)")
    raise OSError(28, "No space left on device")


NEXT: Sequence[Migration] = (*MIGRATIONS, later)


def test_that_fossils_import_no_application_code() -> None:
    for fossil in sorted(_FOSSILS.glob("m*.py")):
        for node in ast.walk(ast.parse(fossil.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.startswith("workbench") for name in names), fossil.name


def test_that_shipped_fossils_were_not_edited() -> None:
    found = {
        fossil.name: hashlib.sha256(fossil.read_text(encoding="utf-8").encode()).hexdigest()
        for fossil in sorted(_FOSSILS.glob("m*.py"))
    }
    assert found == _SHIPPED
    assert len(MIGRATIONS) == len(_SHIPPED)


def kept_file(version: int | str, folder: Path) -> Path:
    """A file of an old version, built again from the SQL text that was kept of it."""
    path = folder / f"version {version}.dwb"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript((_KEPT / f"v{version}.sql").read_text(encoding="utf-8"))
    connection.close()
    return path


_PLACES = ((0, -(2**62)), (1, -1), (2, 0), (3, 1), (4, 7), (5, 2**62))
_COUNTS = "place,sector,jobs\r\n" + "".join(f"place {i},sector é,{jobs}\r\n" for i, jobs in _PLACES)
_MEASURED = "place,jobs,mean pay\r\nplace é,3,1250.50\r\nB,0,\r\nB,-1,-0.05\r\n"


def _as_published(project: Project, run: int) -> str:
    """The bytes that readers got of it when the file was written, whatever version reads it now."""
    table = project.published(run)
    assert table is not None
    return csv_bytes(table).decode("utf-8")


@pytest.mark.parametrize("version", range(1, len(_SHIPPED) + 1))
def test_that_a_kept_file_of_every_version_opens_verifies_and_can_be_worked_in(version: int, tmp_path: Path) -> None:
    path = kept_file(version, tmp_path)
    assert verify(path).ok
    with open_project(path) as project:
        assert [release.id for release in project.releases()] == ["R-0001", "R-0002"]
        assert project.decisions("R-0001")[0].comment == "approved with care"
        assert len(project.findings(1)) == 1
        assert [_as_published(project, run) for run in (1, 2)] == [_COUNTS, _MEASURED if version >= 4 else _COUNTS]
        assert len(project.ledger("c" * 64)) == 1
        draft(project)
    assert verify(path).ok


def test_that_an_older_file_is_backed_up_and_brought_up_to_date(copy: Path, finished: bytes) -> None:
    with Project(open_session(copy, "Ann", migrations=NEXT)) as project:
        assert project.votes("R-0001")[0].comment == "fine (rewritten)"
        assert project.journal()[-1].action == "migrate"
        draft(project)
    result = verify(copy, NEXT)
    assert result.problems == ()
    backup = copy.with_name(_BACKUP)
    assert verify(backup, MIGRATIONS).ok
    with open_project(backup, read_only=True) as old:
        assert old.votes("R-0001")[0].comment == "fine"
    assert sorted(item.name for item in copy.parent.iterdir()) == ["copy.dwb", _BACKUP]
    with pytest.raises(UserProblem, match="newer version"):
        open_project(copy)


def test_that_a_second_opening_migrates_nothing(copy: Path) -> None:
    for _ in range(2):
        with Project(open_session(copy, "Ann", migrations=NEXT)) as project:
            assert [entry.action for entry in project.journal()].count("migrate") == 1
    assert len(list(copy.parent.glob("*.backup-*"))) == 1


def test_that_an_earlier_backup_is_never_overwritten(copy: Path) -> None:
    precious = copy.with_name(_BACKUP)
    precious.write_text("precious", encoding="utf-8")
    open_session(copy, "Ann", migrations=NEXT).close()
    assert precious.read_text(encoding="utf-8") == "precious"
    assert verify(copy.with_name(f"{_BACKUP}-2")).ok


def test_that_a_migration_that_fails_leaves_the_file_as_it_was(copy: Path, finished: bytes) -> None:
    with pytest.raises(UserProblem, match="disk is full"):
        open_session(copy, "Ann", migrations=(*NEXT, failing))
    assert copy.read_bytes() == finished
    with open_project(copy) as project:
        assert not project.read_only


def test_that_a_migration_does_not_launder_a_changed_row(copy: Path) -> None:
    connection = sqlite3.connect(copy)
    connection.execute("DROP TRIGGER vote_no_update")
    connection.execute("UPDATE vote SET comment = 'tampered'")
    connection.commit()
    connection.execute(
        "CREATE TRIGGER vote_no_update BEFORE UPDATE ON vote "
        "BEGIN SELECT RAISE(ABORT, 'vote rows are never changed or erased'); END"
    )
    connection.close()
    open_session(copy, "Ann", migrations=NEXT).close()
    (problem,) = verify(copy, NEXT).problems
    assert problem.startswith("a vote on R-0001 (journal entry ")


def test_that_an_old_file_that_may_not_be_written_is_upgraded_in_memory_only(copy: Path, finished: bytes) -> None:
    with Project(open_session(copy, "Ann", read_only=True, migrations=NEXT)) as project:
        assert project.read_only
        assert project.votes("R-0001")[0].comment == "fine (rewritten)"
    assert copy.read_bytes() == finished
    assert [item.name for item in copy.parent.iterdir()] == ["copy.dwb"]


def test_that_a_new_file_has_the_newest_version(tmp_path: Path) -> None:
    path = tmp_path / "new.dwb"
    create_session(path, "Ann", NEXT).close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == len(NEXT)
    connection.close()
    assert verify(path, NEXT).ok

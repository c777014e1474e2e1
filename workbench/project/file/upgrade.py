"""From an older file format to today's: a backup first, then all steps in one transaction, journalled."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.files import create_private
from workbench.core.passphrase import Passphrase
from workbench.project.file.action import Action
from workbench.project.file.encryption import new_database
from workbench.project.file.files import APPLICATION_ID, same_readers, version_of
from workbench.project.file.migrations import Migration
from workbench.project.history.journal import BEGINNING, row_digest
from workbench.project.history.seals import protected_rows, recorded

if TYPE_CHECKING:
    from sqlite_utils import Database


def database(connection: sqlite3.Connection) -> Database:
    """The connection as sqlite-utils sees it. Imported late (half a second); its plug-ins have no business here."""
    from sqlite_utils import Database

    return Database(connection, execute_plugins=False)


def build(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """Make an empty database a project file of the newest version, without any journal entry yet."""
    db = database(connection)
    for migration in migrations:
        migration(db)
    db.table("head").insert({"id": 1, "entries": 0, "hash": BEGINNING})
    connection.execute(f"PRAGMA user_version = {len(migrations)}")


def mark(connection: sqlite3.Connection) -> None:
    """Sign the file as ours. Outside a transaction: SQLite ignores nothing here, but it must precede the first one."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def upgrade(connection: sqlite3.Connection, migrations: Sequence[Migration], *, actor: str) -> None:
    """Run every pending migration in one transaction: a file is of the old version or of the new, never between.

    Rows a migration rewrites are sealed again in the journal, but only those that were intact before: changed rows
    stay visible to `verify`.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        before = version_of(connection)
        intact = _intact(connection)
        db = database(connection)
        for migration in migrations[before:]:
            migration(db)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        action = Action(db)
        action.note = {"from": before, "to": len(migrations)}
        for (table, key), row in protected_rows(connection):
            label = intact.get((table, key), ("", ""))
            if label[0] and row_digest(table, row) != label[0]:
                action.seal(table, row, label[1])
        action.enter(actor=actor, action="migrate", subject=f"version {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _intact(connection: sqlite3.Connection) -> dict[tuple[str, int], tuple[str, str]]:
    """Digest and words of every row that still is what the journal recorded."""
    known = recorded(connection)
    return {
        at: (known[at].digest, known[at].label)
        for at, row in protected_rows(connection)
        if at in known and row_digest(at[0], row) == known[at].digest
    }


def back_up(connection: sqlite3.Connection, path: Path, passphrase: Passphrase | None = None) -> Path:
    """A copy beside the file, named after its version. An earlier backup is kept and the new one numbered.

    The copy of an encrypted file is encrypted under the same passphrase.
    """
    version = version_of(connection)
    copy = _free_name(path, f"{path.name}.backup-v{version}")
    unfinished = copy.with_name(copy.name + ".unfinished")
    unfinished.unlink(missing_ok=True)  # of a program that was killed here before
    create_private(unfinished)
    target = new_database(unfinished, passphrase)
    try:
        connection.backup(target)
    except BaseException:
        target.close()
        unfinished.unlink(missing_ok=True)
        raise
    target.close()
    same_readers(unfinished, as_of=path)
    unfinished.replace(copy)
    return copy


def _free_name(path: Path, name: str) -> Path:
    copy, number = path.with_name(name), 1
    while copy.exists():
        number += 1
        copy = path.with_name(f"{name}-{number}")
    return copy

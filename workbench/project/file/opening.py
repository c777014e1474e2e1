"""Create and open project files, with one sentence for everything that can be wrong with one."""

from __future__ import annotations

import secrets
import sqlite3
import uuid
from collections.abc import Sequence
from pathlib import Path

from workbench import __version__
from workbench.core.errors import UserProblem
from workbench.core.files import create_private
from workbench.core.passphrase import Passphrase
from workbench.project.file.action import Action
from workbench.project.file.encryption import is_encrypted, new_database
from workbench.project.file.failures import FAILURES, NOT_OURS, OPERATIONAL, damaged, explained
from workbench.project.file.files import check, check_version, check_whole, connect, prepare, version_of
from workbench.project.file.inspection import traps
from workbench.project.file.leftovers import clear_away
from workbench.project.file.lock import HeldElsewhere, ProjectLock, holder_of, person_here
from workbench.project.file.migrations import MIGRATIONS, Migration
from workbench.project.file.session import Session
from workbench.project.file.upgrade import back_up, build, database, mark, upgrade

_UNDO = "Open it once where it can be written; the file beside it that ends in -journal must come along"


def create_session(
    path: Path, person: str, migrations: Sequence[Migration] = MIGRATIONS, *, passphrase: Passphrase | None = None
) -> Session:  # fmt: skip
    """A new file. It is made under another name and moved into place, so a killed program leaves no half a project."""
    path, person = path.resolve(), person or person_here()
    if path.exists():
        raise UserProblem("There is already a file of this name", str(path), "Open it, or choose another name")
    if not path.parent.is_dir():  # a lock file would make the folder, and a typing mistake with it
        raise UserProblem("There is no such folder", str(path.parent), "Create it first, or choose another")
    try:
        lock = ProjectLock.take(path, person)
    except HeldElsewhere as held:
        raise UserProblem(f"This project is being created by {held.holder.words()}", str(path)) from None
    except OSError as error:
        raise explained(error, path) from error
    try:
        _make(path, person, migrations, passphrase)
        connection = connect(path, writable=True, passphrase=passphrase)
        return Session(path=path, connection=connection, person=person, lock=lock)
    except BaseException as wrong:
        lock.release()
        if isinstance(wrong, FAILURES):
            raise explained(wrong, path) from wrong
        raise


def _make(path: Path, person: str, migrations: Sequence[Migration], passphrase: Passphrase | None) -> None:
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        create_private(unfinished)
        connection = new_database(unfinished, passphrase)
        try:
            prepare(connection)
            mark(connection)
            connection.execute("BEGIN IMMEDIATE")
            build(connection, migrations)
            action = Action(database(connection))
            meta = {"project": str(uuid.uuid4()), "program": __version__, "created_at": action.at}
            action.insert("meta", meta, "the project")
            action.enter(actor=person, action="create", subject="project")
            connection.execute("COMMIT")
        finally:
            connection.close()
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def open_session(
    path: Path, person: str, *, read_only: bool = False, migrations: Sequence[Migration] = MIGRATIONS,
    passphrase: Passphrase | None = None,
) -> Session:  # fmt: skip
    """Open an existing file: for writing where possible, otherwise for reading, with the reason in words."""
    path, person = path.resolve(), person or person_here()
    check(path)
    secret = passphrase if is_encrypted(path) else None
    lock, why = (None, "it was opened that way.") if read_only else _claim(path, person)
    try:
        removed = () if why else clear_away(path)
        connection = _connected(path, person, migrations, writable=not why, passphrase=secret)
        session = Session(path=path, connection=connection, person=person, lock=lock, why_read_only=why)
        session.removed = removed
        return session
    except BaseException as wrong:
        if lock is not None:
            lock.release()
        if why and isinstance(wrong, OPERATIONAL) and _unfinished_action(path):
            if held_by := holder_of(path):
                said = f"{held_by.words()} is storing something in the project"
                raise UserProblem(said, str(path), "Try again in a moment") from wrong
            raise UserProblem(
                "An action was cut off and has to be undone, but the project cannot be written", str(path), _UNDO
            ) from wrong
        if isinstance(wrong, FAILURES):
            raise explained(wrong, path) from wrong
        raise


def _unfinished_action(path: Path) -> bool:
    """SQLite's rollback journal lies beside the file: the last writer was killed in the middle of an action."""
    return path.with_name(path.name + "-journal").exists()


def _claim(path: Path, person: str) -> tuple[ProjectLock | None, str]:
    """The lock, or why there is none: the file or folder cannot be written, or somebody else has it open."""
    if not _may_write(path):
        return None, "the file is write-protected. Copy it elsewhere to change it."
    try:
        return ProjectLock.take(path, person), ""
    except HeldElsewhere as held:
        return None, f"{held.holder.words()} has it open. Open it again once they have closed it."
    except OSError:
        return None, "its folder is write-protected. Copy the file elsewhere to change it."


def _may_write(path: Path) -> bool:
    """Asking by doing: permission bits say little on Windows and on network drives."""
    try:
        with path.open("r+b"):
            return True
    except OSError:
        return False


def _connected(
    path: Path, person: str, migrations: Sequence[Migration], *, writable: bool, passphrase: Passphrase | None
) -> sqlite3.Connection:  # fmt: skip
    connection = connect(path, writable=writable, passphrase=passphrase)
    try:
        version = version_of(connection)
        check_version(version, len(migrations), path)
        if list(traps(connection)):  # before the first query of ours, which one of them could keep busy for ever
            raise damaged(path)
        check_whole(connection, path)
        if version == len(migrations):
            return connection
        return _brought_up_to_date(connection, path, person, migrations, writable=writable, passphrase=passphrase)
    except BaseException:
        connection.close()
        raise


def _brought_up_to_date(
    connection: sqlite3.Connection, path: Path, person: str, migrations: Sequence[Migration], *, writable: bool,
    passphrase: Passphrase | None,
) -> sqlite3.Connection:  # fmt: skip
    """A file that is not of the version that it says makes a migration stumble: nobody but its forger can mend that."""
    try:
        if not writable:
            return _upgraded_copy(connection, person, migrations, passphrase)
        back_up(connection, path, passphrase)
        upgrade(connection, migrations, actor=person)
        return connection
    except (*OPERATIONAL, *NOT_OURS) as error:
        if isinstance(error, NOT_OURS) or getattr(error, "sqlite_errorname", "") == "SQLITE_ERROR":
            raise damaged(path) from error
        raise


def _upgraded_copy(
    connection: sqlite3.Connection, person: str, migrations: Sequence[Migration], passphrase: Passphrase | None
) -> sqlite3.Connection:  # fmt: skip
    """An old file that may not be written is brought up to date in memory only, to be read."""
    memory = new_database(":memory:", passphrase)
    try:
        connection.backup(memory)
        prepare(memory)
        upgrade(memory, migrations, actor=person)
    except BaseException:
        memory.close()
        raise
    connection.close()
    return memory

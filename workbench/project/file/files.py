"""The file itself: what makes it ours, how it is connected to, what can be wrong with it before any query."""

from __future__ import annotations

import sqlite3
import urllib.parse
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.files import PRIVATE, require_regular
from workbench.core.passphrase import Passphrase
from workbench.project.file.encryption import MARK, is_encrypted, unlocked
from workbench.project.file.failures import damaged, explained

APPLICATION_ID = 0x44574250  # "DWBP": the mark by which a SQLite file is known to be a project file
_MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_BUSY_SECONDS = 3.0


def check(path: Path) -> None:
    """Raise the one sentence that says why this cannot be a project file; return where it may be one."""
    where = str(path)
    if path.is_dir():
        raise UserProblem("This is a folder, not a project file", where, "Choose a file that ends in .dwb")
    require_regular(path, "a project file")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except FileNotFoundError:
        raise UserProblem("There is no such project file", where, "Check the name, or create a new project") from None
    except PermissionError:
        raise UserProblem("You may not read this project file", where, "Ask its owner for access") from None
    except OSError as error:
        raise explained(error, path) from error
    if not header:
        raise UserProblem(
            "The project file is empty", where, "Restore a backup copy, or delete it and create a new one"
        )
    if header.startswith(MARK):  # what is inside shows once it is unlocked
        if len(header) < _HEADER:
            raise damaged(path)
        return
    if not header.startswith(_MAGIC[: len(header)]):
        raise UserProblem("This is not a project file", where, "Choose a project file of this program")
    if len(header) < _HEADER:
        raise damaged(path)
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise _another_program(path)


def _another_program(path: Path) -> UserProblem:
    return UserProblem("This file belongs to another program", str(path), "Choose a project file of this program")


def connect(path: Path, *, writable: bool, passphrase: Passphrase | None = None) -> sqlite3.Connection:
    """A connection that never creates the file, waits a moment for others, and syncs every commit to the disk.

    The rollback journal (not the write-ahead log) keeps a project one file that can be copied and mailed, and works
    on network drives.
    """
    uri, secret = _uri(path, "rw" if writable else "ro"), is_encrypted(path)
    if secret:
        connection = unlocked(uri, path, passphrase=passphrase, timeout=_BUSY_SECONDS)
    else:
        connection = sqlite3.connect(
            uri, uri=True, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS
        )  # fmt: skip
    try:
        prepare(connection)
        if writable:
            _one_file(connection, path)
        if secret and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise _another_program(path)
    except BaseException:
        connection.close()
        raise
    return connection


def _one_file(connection: sqlite3.Connection, path: Path) -> None:
    """End a write-ahead log that another tool began: a vote that lies in a second file is lost with the next copy."""
    if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "wal":
        raise UserProblem(
            "Another program keeps the latest actions of this project in a second file (-wal)",
            str(path),
            "Close that program, then open the project again",
        )


def prepare(connection: sqlite3.Connection) -> None:
    """Settings of a connection, none of which is stored in the file."""
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA recursive_triggers = ON")  # so that REPLACE cannot erase behind a trigger's back
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA cache_size = -65536")  # KiB: a file of records is written and read without spilling


def same_readers(made: Path, *, as_of: Path) -> None:
    """A group that could write the project can use the file that takes its place. Nobody else can, however it was."""
    mode = as_of.stat().st_mode
    made.chmod(PRIVATE | (mode & 0o060 if mode & 0o020 else 0))


def _uri(path: Path, mode: str) -> str:
    """SQLite's form of a path: an empty authority and then the absolute path, also for Windows drives and shares."""
    posix = path.absolute().as_posix()
    rooted = posix if posix.startswith("/") else f"/{posix}"
    return f"file://{urllib.parse.quote(rooted)}?mode={mode}"


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Raise where the file is shorter than it says, or where its first tables cannot be read."""
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    if path.stat().st_size < pages * int(size):  # SQLCipher gives the size as text
        raise damaged(path)
    head = connection.execute("SELECT entries FROM head WHERE id = 1").fetchone()
    if head is None:
        raise damaged(path)


def check_version(version: int, known: int, path: Path) -> None:
    """Refuse files of a newer program: reading them as if they were old would lose what they mean."""
    if version > known:
        raise UserProblem(
            f"The project was written by a newer version of the program (project format {version}; this program "
            f"knows formats up to {known})",
            str(path),
            "Update the program, then open the project again",
        )
    if version < 1:
        raise damaged(path)

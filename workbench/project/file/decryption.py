"""An encrypted project in the clear again: made in memory, and on the disk without a name until it is complete.

A program that is killed while it writes leaves nothing unencrypted behind: a file without a name goes with the program.
Where a system has no such files, the copy has the name of an unfinished one, and whoever opens the project next removes
it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from workbench.core.errors import Defect
from workbench.core.files import PRIVATE, create_private
from workbench.project.file.files import APPLICATION_ID, prepare, same_readers, version_of
from workbench.project.file.session import Session
from workbench.project.history.verify import examined

_FIRST = {"table": 0, "index": 1, "trigger": 2}  # triggers last: they forbid what is done here


def decrypted(session: Session, action: str) -> bytes:
    """The bytes of the same project without encryption, with a journal entry that says so."""
    memory = sqlite3.connect(":memory:", isolation_level=None)
    try:
        prepare(memory)
        _copy(session.connection, memory)
        copy = Session(path=session.path, connection=memory, person=session.person)
        with copy.act(action, subject="project"):
            pass
        if not examined(memory).ok and examined(session.connection).ok:
            raise Defect("a project was not the same after it was decrypted")
        return memory.serialize()
    finally:
        memory.close()


def _copy(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    made = source.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    target.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    target.execute("BEGIN")
    for kind, name, sql in sorted(made, key=lambda row: _FIRST[row[0]]):
        target.execute(sql)
        if kind == "table":
            rows = source.execute(f'SELECT * FROM "{name}"')
            places = ", ".join("?" for _ in rows.description)
            target.executemany(f'INSERT INTO "{name}" VALUES ({places})', rows)
    target.execute(f"PRAGMA user_version = {version_of(source)}")
    target.execute("COMMIT")


def put_in_place(content: bytes, unfinished: Path, path: Path) -> None:
    """Write the bytes and let them take the project's name."""
    if not _without_a_name(content, unfinished):
        create_private(unfinished)
        with unfinished.open("r+b") as file:
            _write(file.fileno(), content)
    same_readers(unfinished, as_of=path)
    unfinished.replace(path)


def _without_a_name(content: bytes, unfinished: Path) -> bool:
    """Only once it is complete is the file given the name under which it takes the project's place."""
    nameless = getattr(os, "O_TMPFILE", 0)
    if not nameless:
        return False
    with contextlib.suppress(OSError):  # a drive that has no such files
        handle = os.open(unfinished.parent, nameless | os.O_RDWR, PRIVATE)
        try:
            _write(handle, content)
            os.link(f"/proc/self/fd/{handle}", unfinished, follow_symlinks=True)
            return True
        finally:
            os.close(handle)
    return False


def _write(handle: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]
    os.fsync(handle)

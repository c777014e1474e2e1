"""The file under the rows: damage that SQLite sees, and a schema that is not the one this version makes."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.project.file.encryption import is_encrypted
from workbench.project.file.files import prepare, version_of
from workbench.project.file.migrations import Migration
from workbench.project.file.upgrade import build

_MOST_DAMAGE_TOLD = 20
_FORBIDS = "begin select raise(abort, "  # what every trigger of ours does, and nothing else


def damage(connection: sqlite3.Connection, path: Path) -> Iterator[str]:
    """A file cut short, and what SQLite's own integrity check says."""
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    if path.stat().st_size < pages * int(size):
        yield "the file is cut short"
    yield from broken_pages(connection)
    if is_encrypted(path):
        for (message,) in connection.execute("PRAGMA cipher_integrity_check"):
            yield f"the file was changed under its encryption: {message}"


def broken_pages(connection: sqlite3.Connection) -> Iterator[str]:
    """What SQLite's own integrity check says, indexes included: a broken one could hide a row."""
    for (message,) in connection.execute(f"PRAGMA integrity_check({_MOST_DAMAGE_TOLD})"):
        if message != "ok":
            yield f"the file is damaged: {' '.join(str(message).split())}"


def write_ahead(connection: sqlite3.Connection, path: Path) -> Iterator[str]:
    """The latest actions lie in a second file: whoever copies the one file alone loses them without being told."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        yield "the file keeps its latest actions in a second file (-wal): open it once to write, so that it is one file"
    elif path.with_name(f"{path.name}-wal").exists():
        yield "a file that ends in -wal lies beside it: it may hold actions that this file does not have"


def traps(connection: sqlite3.Connection) -> Iterator[str]:
    """What no project file holds and what could run code of somebody else's with the first query or the first row."""
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema"):
        text = " ".join(str(sql or "").split()).casefold()
        ours = kind in ("table", "index") or (kind == "trigger" and _FORBIDS in text)
        if not ours or text.startswith("create virtual") or " as (" in text:
            yield f"{kind} “{str(name)[:40]}”"


def schema_changes(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> Iterator[str]:
    """Tables, indexes and triggers against those that a fresh file of the same version has."""
    expected, actual = _expected(tuple(migrations[: version_of(connection)])), _schema(connection)
    for kind, name in sorted(expected.keys() | actual.keys()):
        if (kind, name) not in actual:
            yield f"the {kind} “{name}” was removed"
        elif (kind, name) not in expected:
            yield f"the {kind} “{name}” was added"
        elif actual[kind, name] != expected[kind, name]:
            yield f"the {kind} “{name}” was changed"


@functools.lru_cache(maxsize=8)
def _expected(migrations: tuple[Migration, ...]) -> dict[tuple[str, str], object]:
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    try:
        prepare(fresh)
        build(fresh, migrations)
        return _schema(fresh)
    finally:
        fresh.close()


def _schema(connection: sqlite3.Connection) -> dict[tuple[str, str], object]:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    return {(str(kind), str(name)): (table, sql) for kind, name, table, sql in rows}

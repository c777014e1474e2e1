"""Version 7: data sets that share people, programmes registered beforehand, exact quantities. A fossil: never edit it.

A sketch holds keyed hashes of identifiers, never the identifiers. An overlap is found once, when a data set is first
seen; a separation is what a named person says against it. The new column allows NULL: rows written before stay
verifiable, and say nothing of it.
"""

from __future__ import annotations

from typing import Any

_TABLES = {
    "sketch": (
        "dataset INTEGER NOT NULL, unit TEXT NOT NULL, key_mark TEXT NOT NULL, hashes BLOB NOT NULL,"
        " made_at TEXT NOT NULL, UNIQUE (dataset, unit, key_mark)"
    ),
    "overlap": (
        "dataset INTEGER NOT NULL, other INTEGER NOT NULL, basis TEXT NOT NULL, share TEXT NOT NULL,"
        " compared INTEGER NOT NULL, found_at TEXT NOT NULL, UNIQUE (dataset, other, basis)"
    ),
    "separation": (
        "dataset INTEGER NOT NULL, other INTEGER NOT NULL, reason TEXT NOT NULL, set_by TEXT NOT NULL,"
        " set_at TEXT NOT NULL"
    ),
    "programme": (
        "dataset INTEGER NOT NULL, definition TEXT NOT NULL, items TEXT NOT NULL, reason TEXT NOT NULL,"
        " set_by TEXT NOT NULL, set_at TEXT NOT NULL"
    ),
}


def upgrade(db: Any) -> None:
    """Make the four tables, and let an entry of the ledger say what was published exactly."""
    for name, columns in _TABLES.items():
        db.execute(f"CREATE TABLE {name} (id INTEGER NOT NULL PRIMARY KEY, {columns}) STRICT, WITHOUT ROWID")
        _protect(db, name)
    db.execute("ALTER TABLE ledger ADD COLUMN exact TEXT")


def _protect(db: Any, table: str) -> None:
    """The triggers that let nothing be changed or erased."""
    for change in ("UPDATE", "DELETE"):
        db.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} rows are never changed or erased'); END"
        )
    db.execute(
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id) "
        f"BEGIN SELECT RAISE(ABORT, '{table} rows are never replaced'); END"
    )

"""Version 2: policies, exceptions, and what votes, decisions and ledger entries say of them. A fossil: never edit it.

New columns allow NULL: rows written before stay verifiable, and NULL reads as "no policy was in force".
"""

from __future__ import annotations

from typing import Any

_TABLES = {
    "policy": "policy (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL,"
    " text TEXT NOT NULL, digest TEXT NOT NULL, reason TEXT NOT NULL, set_by TEXT NOT NULL, set_at TEXT NOT NULL)",
    "exception": "exception (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, run INTEGER NOT NULL,"
    " policy INTEGER NOT NULL, definition TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " overspend TEXT NOT NULL, reason TEXT NOT NULL, granted_by TEXT NOT NULL, granted_at TEXT NOT NULL)",
}  # fmt: skip

_COLUMNS = (
    ("vote", "public_comment TEXT"),
    ("vote", "policy INTEGER"),
    ("decision", "policy INTEGER"),
    ("decision", "exception INTEGER"),
    ("ledger", "workings TEXT"),
    ("ledger", "coverage TEXT"),
    ("ledger", "exception INTEGER"),
)


def upgrade(db: Any) -> None:
    """Make the two tables with the triggers that let nothing be changed or erased, and add the columns."""
    for name, table in _TABLES.items():
        db.execute(f"CREATE TABLE {table} STRICT, WITHOUT ROWID")
        for change in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TRIGGER {name}_no_{change.lower()} BEFORE {change} ON {name} "
                f"BEGIN SELECT RAISE(ABORT, '{name} rows are never changed or erased'); END"
            )
        db.execute(
            f"CREATE TRIGGER {name}_no_replace BEFORE INSERT ON {name} "
            f"WHEN EXISTS (SELECT 1 FROM {name} WHERE id = NEW.id) "
            f"BEGIN SELECT RAISE(ABORT, '{name} rows are never replaced'); END"
        )
    for table, column in _COLUMNS:
        db.execute(f"ALTER TABLE {table} ADD COLUMN {column}")

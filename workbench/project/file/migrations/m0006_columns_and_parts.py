"""Version 6: values a column at a time, claims entered in parts, runs that say what they drew. A fossil: never edit it.

Values written before stay where they are, byte for byte, and are read as before. The new columns allow NULL: rows
written before stay verifiable, and say nothing of it. The ledger is laid out anew, because a run may now have several
entries; its rows stay what they were.
"""

from __future__ import annotations

from typing import Any

_COLUMN = (
    "published_column (id INTEGER NOT NULL PRIMARY KEY, published INTEGER NOT NULL, position INTEGER NOT NULL,"
    " packing TEXT NOT NULL, dictionary BLOB NOT NULL, body BLOB NOT NULL, UNIQUE (published, position))"
)


_RUN = ("same_table TEXT", "offered TEXT", "units TEXT")
_ENTRY = (
    "id, dataset, content, release, run, decision, definition, unit, epsilon, delta, alpha, formal, rule, sentence,"
    " entered_at, workings, coverage, exception"
)
_LEDGER = (
    "ledger (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, content TEXT NOT NULL,"
    " release INTEGER NOT NULL, run INTEGER NOT NULL, decision INTEGER NOT NULL, definition TEXT NOT NULL,"
    " unit TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL, alpha TEXT NOT NULL, formal INTEGER NOT NULL,"
    " rule TEXT NOT NULL, sentence TEXT NOT NULL, entered_at TEXT NOT NULL, workings TEXT, coverage TEXT,"
    " exception INTEGER, part TEXT, group_size INTEGER, rho TEXT)"
)


def upgrade(db: Any) -> None:
    """Make the table of columns, let a run say more, and give the ledger room for several entries of one run."""
    db.execute(f"CREATE TABLE {_COLUMN} STRICT, WITHOUT ROWID")
    _protect(db, "published_column")
    for column in _RUN:
        db.execute(f"ALTER TABLE run ADD COLUMN {column}")
    db.execute("ALTER TABLE decision ADD COLUMN declared TEXT")
    db.execute("ALTER TABLE ledger RENAME TO ledger_before")
    db.execute(f"CREATE TABLE {_LEDGER} STRICT, WITHOUT ROWID")
    db.execute(f"INSERT INTO ledger ({_ENTRY}) SELECT {_ENTRY} FROM ledger_before")
    db.execute("DROP TABLE ledger_before")
    db.execute("CREATE UNIQUE INDEX ledger_once ON ledger (run, coalesce(part, ''))")
    _protect(db, "ledger")


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

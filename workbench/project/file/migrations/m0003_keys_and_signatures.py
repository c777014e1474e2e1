"""Version 3: public keys of the people who judge, who vouches for them, and signatures. A fossil: never edit it."""

from __future__ import annotations

from typing import Any

_TABLES = {
    "public_key": "public_key (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, public TEXT NOT NULL UNIQUE,"
    " enrolled_at TEXT NOT NULL)",
    "endorsement": "endorsement (id INTEGER NOT NULL PRIMARY KEY, public_key INTEGER NOT NULL, kind TEXT NOT NULL,"
    " endorser INTEGER NOT NULL, anchor TEXT NOT NULL, signature TEXT NOT NULL, made_at TEXT NOT NULL)",
    "signature": "signature (id INTEGER NOT NULL PRIMARY KEY, kind TEXT NOT NULL, subject INTEGER NOT NULL,"
    " public_key INTEGER NOT NULL, anchor TEXT NOT NULL, signature TEXT NOT NULL, signed_at TEXT NOT NULL,"
    " UNIQUE (kind, subject))",
}  # fmt: skip


def upgrade(db: Any) -> None:
    """Make the tables with the triggers that let nothing be changed or erased."""
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

"""Version 6: published values are stored a column at a time. A fossil: never edit it.

Values written before stay where they are, byte for byte, and are read as before.
"""

from __future__ import annotations

from typing import Any

_COLUMN = (
    "published_column (id INTEGER NOT NULL PRIMARY KEY, published INTEGER NOT NULL, position INTEGER NOT NULL,"
    " packing TEXT NOT NULL, dictionary BLOB NOT NULL, body BLOB NOT NULL, UNIQUE (published, position))"
)


def upgrade(db: Any) -> None:
    """Make the table of columns with the triggers that let nothing be changed or erased."""
    db.execute(f"CREATE TABLE {_COLUMN} STRICT, WITHOUT ROWID")
    for change in ("UPDATE", "DELETE"):
        db.execute(
            f"CREATE TRIGGER published_column_no_{change.lower()} BEFORE {change} ON published_column "
            "BEGIN SELECT RAISE(ABORT, 'published_column rows are never changed or erased'); END"
        )
    db.execute(
        "CREATE TRIGGER published_column_no_replace BEFORE INSERT ON published_column "
        "WHEN EXISTS (SELECT 1 FROM published_column WHERE id = NEW.id) "
        "BEGIN SELECT RAISE(ABORT, 'published_column rows are never replaced'); END"
    )

"""Version 1: the first tables. A fossil: never edit it, add a later one.

Every table is STRICT and WITHOUT ROWID, so that each byte of a row is a value the journal's digest covers (a rowid
alias would leave a header byte that no query reads). Columns are NOT NULL where a value always exists.
"""

from __future__ import annotations

from typing import Any

_TABLES = (
    "meta (id INTEGER NOT NULL PRIMARY KEY, project TEXT NOT NULL, program TEXT NOT NULL, created_at TEXT NOT NULL)",
    "head (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), entries INTEGER NOT NULL, hash TEXT NOT NULL)",
    "journal (seq INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,"
    " subject TEXT NOT NULL, payload TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL)",
    "dataset (id INTEGER NOT NULL PRIMARY KEY, content TEXT NOT NULL UNIQUE, file TEXT NOT NULL, name TEXT NOT NULL,"
    " records INTEGER NOT NULL, establishments INTEGER, schema TEXT NOT NULL, saved_at TEXT NOT NULL)",
    "dataset_alias (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, file TEXT NOT NULL,"
    " name TEXT NOT NULL, saved_at TEXT NOT NULL, UNIQUE (dataset, file, name))",
    "cap (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, epsilon TEXT NOT NULL, reason TEXT NOT NULL,"
    " set_by TEXT NOT NULL, set_at TEXT NOT NULL)",
    "release (id INTEGER NOT NULL PRIMARY KEY, code TEXT NOT NULL UNIQUE, title TEXT NOT NULL, product TEXT NOT NULL,"
    " context TEXT NOT NULL, preparer TEXT NOT NULL, reviewers_needed INTEGER NOT NULL, revision INTEGER NOT NULL,"
    " state TEXT NOT NULL, created_at TEXT NOT NULL, changed_at TEXT NOT NULL)",
    "plan (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, revision INTEGER NOT NULL, text TEXT NOT NULL,"
    " digest TEXT NOT NULL, saved_by TEXT NOT NULL, saved_at TEXT NOT NULL, UNIQUE (release, revision))",
    "run (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, number INTEGER NOT NULL,"
    " dataset INTEGER NOT NULL, plan_digest TEXT NOT NULL, specs TEXT NOT NULL, inputs TEXT NOT NULL,"
    " tools TEXT NOT NULL, claim TEXT NOT NULL, run_by TEXT NOT NULL, run_at TEXT NOT NULL, UNIQUE (release, number))",
    "finding (id INTEGER NOT NULL PRIMARY KEY, run INTEGER NOT NULL, position INTEGER NOT NULL,"
    " finding TEXT NOT NULL, status TEXT NOT NULL, audience TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (run, position))",
    "published (id INTEGER NOT NULL PRIMARY KEY, run INTEGER NOT NULL UNIQUE, columns TEXT NOT NULL,"
    " value_name TEXT NOT NULL, length INTEGER NOT NULL, keys BLOB NOT NULL, numbers BLOB NOT NULL,"
    " digest TEXT NOT NULL)",
    "vote (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, run INTEGER NOT NULL, plan_digest TEXT NOT NULL,"
    " vote TEXT NOT NULL, reviewer TEXT NOT NULL, comment TEXT NOT NULL, voted_at TEXT NOT NULL)",
    "decision (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, number INTEGER NOT NULL,"
    " run INTEGER NOT NULL, plan_digest TEXT NOT NULL, decision TEXT NOT NULL, reviewer TEXT NOT NULL,"
    " comment TEXT NOT NULL, public_comment TEXT NOT NULL, supersedes INTEGER NOT NULL, decided_at TEXT NOT NULL)",
    "ledger (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, content TEXT NOT NULL,"
    " release INTEGER NOT NULL, run INTEGER NOT NULL UNIQUE, decision INTEGER NOT NULL, definition TEXT NOT NULL,"
    " unit TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL, alpha TEXT NOT NULL, formal INTEGER NOT NULL,"
    " rule TEXT NOT NULL, sentence TEXT NOT NULL, entered_at TEXT NOT NULL)",
)  # fmt: skip

_APPEND_ONLY = (
    "meta", "journal", "dataset", "dataset_alias", "cap", "plan", "run", "finding", "published", "vote", "decision",
    "ledger",
)  # fmt: skip


def upgrade(db: Any) -> None:
    """Make the tables, and the triggers that let nothing be changed or erased (`db` is a sqlite-utils database)."""
    for table in _TABLES:
        db.execute(f"CREATE TABLE {table} STRICT, WITHOUT ROWID")
    for table in _APPEND_ONLY:
        _forbid(db, table, "UPDATE")
        _forbid(db, table, "DELETE")
        _forbid_replacing(db, table)
    _forbid(db, "release", "DELETE")
    _forbid(db, "head", "DELETE")
    _forbid(db, "release", "UPDATE OF id, code, preparer, created_at")


def _forbid(db: Any, table: str, change: str) -> None:
    name = f"{table}_no_{change.split()[0].lower()}"
    db.execute(
        f"CREATE TRIGGER {name} BEFORE {change} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} rows are never changed or erased'); END"
    )


def _forbid_replacing(db: Any, table: str) -> None:
    """INSERT OR REPLACE erases without asking the DELETE trigger, unless the connection asks for it."""
    key = "seq" if table == "journal" else "id"
    db.execute(
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key}) "
        f"BEGIN SELECT RAISE(ABORT, '{table} rows are never replaced'); END"
    )

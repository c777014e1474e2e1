"""Rows against what the journal recorded of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from workbench.project.history.journal import Seal, Stored, seals_in

NOT_SEALED = ("journal", "head")  # the journal seals itself; the head is checked against it

Row = dict[str, Stored]
At = tuple[str, int]


def protected_tables(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Every table whose rows the journal seals."""
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    return tuple(str(name) for (name,) in names if name not in NOT_SEALED and not str(name).startswith("sqlite_"))


def protected_rows(connection: sqlite3.Connection) -> Iterator[tuple[At, Row]]:
    """Every sealed row with its table and key."""
    for table in protected_tables(connection):
        for row in rows_of(connection, table):
            yield (table, int(row["id"] or 0)), row


def rows_of(connection: sqlite3.Connection, table: str) -> Iterator[Row]:
    """The rows of a table by column name, in the order they are stored."""
    cursor = connection.execute(f'SELECT * FROM "{table}"')
    names = [column[0] for column in cursor.description]
    for values in cursor:
        yield dict(zip(names, values, strict=True))


def row_at(connection: sqlite3.Connection, at: At) -> Row | None:
    """One sealed row, or None where it is gone."""
    table, key = at
    cursor = connection.execute(f'SELECT * FROM "{table}" WHERE id = ?', (key,))
    names = [column[0] for column in cursor.description]
    values = cursor.fetchone()
    return None if values is None else dict(zip(names, values, strict=True))


def recorded(connection: sqlite3.Connection) -> dict[At, Seal]:
    """The latest seal of every row, as the journal stands."""
    latest: dict[At, Seal] = {}
    for (payload,) in connection.execute("SELECT payload FROM journal ORDER BY seq"):
        for seal in seals_in(payload):
            latest[seal.table, seal.key] = seal
    return latest

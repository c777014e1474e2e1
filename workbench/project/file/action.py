"""One action: some rows and their journal entry, in one short transaction, or nothing at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Any

from workbench.project.history.journal import Seal, Stored, entry_hash, payload_of, row_digest, utc_now
from workbench.project.history.machine import machine
from workbench.project.signing.statements import Deed


class Action:
    """Writes rows inside an open transaction, remembers their digests, and ends with the journal entry.

    The entry's place and predecessor come from `head`, not from the journal itself: where somebody cut the journal's
    tail off, the next entry leaves a visible gap instead of closing it.
    """

    def __init__(self, db: Any) -> None:
        self._db = db  # a sqlite_utils.Database; typed loosely because it is imported late
        self._connection: sqlite3.Connection = db.conn
        self._seals: dict[tuple[str, int], Seal] = {}
        self.note: dict[str, Any] = {}
        self.at = utc_now()

    def insert(
        self, table: str, row: Mapping[str, Stored], label: str, known: Mapping[str, str] = MappingProxyType({})
    ) -> int:
        """Add a row under the next free id and return that id. `known`: SHA-256 of its blobs, where they are known."""
        found = self._connection.execute(f'SELECT coalesce(max(id), 0) + 1 FROM "{table}"').fetchone()
        key = int(found[0])
        stored: dict[str, Stored] = {"id": key, **{name: _storable(value) for name, value in row.items()}}
        self._db.table(table).insert(stored)
        self.seal(table, stored, label, new=True, known=known)
        return key

    def update(self, table: str, key: int, changes: Mapping[str, Stored], label: str) -> None:
        """Change columns of a row that may change (a release's state), and seal it again."""
        self._db.table(table).update(key, {name: _storable(value) for name, value in changes.items()})
        cursor = self._connection.execute(f'SELECT * FROM "{table}" WHERE id = ?', (key,))
        row = dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
        self.seal(table, row, label)

    def seal(
        self, table: str, row: Mapping[str, Stored], label: str, *, new: bool = False,
        known: Mapping[str, str] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        key = int(row["id"] or 0)
        self._seals[table, key] = Seal(table, key, row_digest(table, row, known), label, new)

    def new_rows(self, tables: Container[str]) -> tuple[tuple[str, int], ...]:
        """Table and number of the rows this action has put into some tables so far."""
        return tuple(at for at, seal in self._seals.items() if seal.new and at[0] in tables)

    @property
    def place(self) -> int:
        """The number that the journal entry will have."""
        return int(self._connection.execute("SELECT entries FROM head WHERE id = 1").fetchone()[0]) + 1

    def deed(self, *, actor: str, action: str, subject: str) -> Deed:
        """What was done so far, as the journal entry will say it and a signature covers it."""
        return Deed(
            action=action, subject=subject, actor=str(_storable(actor)), at=self.at,
            payload=payload_of(list(self._seals.values()), self.note, machine()),
        )  # fmt: skip

    def enter(self, *, actor: str, action: str, subject: str) -> None:
        """Append the journal entry and move the head."""
        (previous,) = self._connection.execute("SELECT hash FROM head WHERE id = 1").fetchone()
        done = self.deed(actor=actor, action=action, subject=subject)
        entry: dict[str, Any] = {
            "seq": self.place, "at": done.at, "actor": done.actor, "action": action, "subject": subject,
            "payload": done.payload, "previous": previous,
        }  # fmt: skip
        entry["hash"] = entry_hash(entry)
        self._db.table("journal").insert(entry)
        self._db.table("head").update(1, {"entries": entry["seq"], "hash": entry["hash"]})


def _storable(value: Stored) -> Stored:
    """Text as UTF-8 can hold it: a file name may carry bytes that are no characters."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value

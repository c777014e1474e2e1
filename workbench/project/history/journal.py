"""The journal: every action is one entry in a SHA-256 chain, and names the digest of every row it wrote.

Entry hash = SHA-256 over the canonical bytes of (seq, at, actor, action, subject, payload, previous hash). The
payload lists, per row written: table, key, digest, words for the row, and whether the row is new. A later entry's
digest of the same row replaces the earlier one (a release moves from draft to approved); all other rows are written
once.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from workbench.core.plain import canonical, digest
from workbench.project.records import JournalRecord

if TYPE_CHECKING:
    from workbench.project.file.session import Session

BEGINNING = "0" * 64
Stored = str | int | bytes | None


@dataclass(frozen=True, slots=True)
class Seal:
    """One row as an entry recorded it; `new` where the entry put it in, otherwise it changed a row that was there."""

    table: str
    key: int
    digest: str
    label: str
    new: bool


def utc_now() -> str:
    """The time as it is written everywhere in the file."""
    now = datetime.datetime.now(datetime.UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def entries(session: Session) -> tuple[JournalRecord, ...]:
    """Everything that was done, the first action first."""
    rows = session.rows("SELECT seq, at, actor, action, subject, hash FROM journal ORDER BY seq")
    return tuple(JournalRecord(**row) for row in rows)


def row_digest(table: str, row: Mapping[str, Stored], known: Mapping[str, str] = MappingProxyType({})) -> str:
    """SHA-256 of a row: table, and every column that is not NULL by name. Blobs enter by their own SHA-256.

    NULL is left out so that a column added later does not change the digest of rows that never had it. `known` are
    SHA-256 of blobs, by column, that whoever writes the row has worked out already.
    """
    values = {
        name: {"sha256": known[name]} if name in known else _sealed(value)
        for name, value in row.items()
        if value is not None
    }
    return digest([table, values])


def _sealed(value: Stored) -> Any:
    return {"sha256": hashlib.sha256(value).hexdigest()} if isinstance(value, bytes) else value


def entry_hash(row: Mapping[str, Any]) -> str:
    """The hash an entry must have, given what it says and what precedes it."""
    fields = ("seq", "at", "actor", "action", "subject", "payload", "previous")
    return hashlib.sha256(canonical([row[name] for name in fields])).hexdigest()


def payload_of(seals: list[Seal], note: Mapping[str, Any], where: Mapping[str, str]) -> str:
    """`where`: the account, the computer and the program that acted. Names can be typed; these are not asked for."""
    rows = [[seal.table, seal.key, seal.digest, seal.label, seal.new] for seal in seals]
    return canonical({"rows": rows, "note": dict(note), "where": dict(where)}).decode("utf-8")


def seals_in(payload: str) -> list[Seal]:
    """The seals of an entry. Raises ValueError, TypeError or KeyError where the payload is not one of ours."""
    return [
        Seal(str(table), int(key), str(sealed), str(label), bool(new))
        for table, key, sealed, label, new in _rows(payload)
    ]


def _rows(payload: str) -> list[Any]:
    rows = json.loads(payload)["rows"]
    if not isinstance(rows, list):
        raise TypeError("rows is not a list")
    return rows

"""Every signature of a file against its row, its key and its history; every row that should have one and has none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.core.errors import Defect
from workbench.core.people import known_as
from workbench.project.history.chain import Chain
from workbench.project.history.journal import BEGINNING, entry_hash
from workbench.project.history.merged_history import MERGE, carried, carried_problems
from workbench.project.history.seals import Row, protected_tables, rows_of
from workbench.project.signing.keys import fingerprint, fits
from workbench.project.signing.signing import REQUIRE, SIGNED, statement
from workbench.project.signing.signing_trust import KeyBook, Standing, key_book


@dataclass(slots=True)
class Signatures:
    """What a check found: how many rows are signed and how many are not, and remarks that are no problems."""

    signed: int = 0
    unsigned: int = 0
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _History:
    """Which hashes a signature may stand on, by the journal entry from which on they are known."""

    known: dict[str, int] = field(default_factory=lambda: {BEGINNING: 0})
    required_from: int | None = None
    problems: list[str] = field(default_factory=list)


def signature_problems(connection: sqlite3.Connection, chain: Chain, found: Signatures) -> Iterator[str]:
    """Everything wrong with signatures and keys, in words. A file from before there were any has no such tables."""
    tables = protected_tables(connection)
    if "signature" not in tables:
        return
    try:
        yield from _checked(connection, tables, chain, found)
    except (ValueError, TypeError, KeyError, AttributeError, Defect):  # a row that is no longer what was written
        yield "the signatures cannot be checked to the end: rows were changed"


def _checked(
    connection: sqlite3.Connection, tables: Sequence[str], chain: Chain, found: Signatures
) -> Iterator[str]:  # fmt: skip
    fetch = _Fetch(connection)
    book = key_book(fetch, lambda table, key: chain.seals[table, key][1] if (table, key) in chain.seals else 0)
    yield from book.broken
    found.warnings.extend(book.exchanged)
    for key in book.keys.values():
        if key.standing() is Standing.STRANGER:
            found.warnings.append(f"nobody answers for the key {fingerprint(key.public)} that calls itself {key.name}")
    history = _history(connection)
    yield from history.problems
    signatures = {(row["kind"], row["subject"]): row for row in rows_of(connection, "signature")}
    for kind, naming in SIGNED.items():
        for row in rows_of(connection, kind) if kind in tables else ():
            signature = signatures.pop((kind, row["id"]), None)
            at = chain.seals.get((kind, int(row["id"] or 0)))
            label, entry = (at[0].label, at[1]) if at else (f"a {kind}", 0)
            name = str(row[naming])
            what = f"{label} by {name} (journal entry {entry})"
            judged = _Judged(what=what, kind=kind, row=row, name=name, entry=entry)
            if signature is None:
                found.unsigned += 1
                yield from _missing(judged, book=book, history=history)
            else:
                found.signed += 1
                yield from _wrong(fetch, judged, signature, book=book, history=history)
    if signatures:
        yield f"{len(signatures)} signatures belong to rows that are not there"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    what: str
    kind: str
    row: dict[str, Any]
    name: str
    entry: int


class _Fetch:
    """Rows by column name, straight from a connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __call__(self, sql: str, values: Sequence[Any]) -> list[dict[str, Any]]:
        cursor = self._connection.execute(sql, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _missing(judged: _Judged, *, book: KeyBook, history: _History) -> Iterator[str]:
    if history.required_from is not None and judged.entry > history.required_from:
        yield f"{judged.what} has no signature, though the project asks for one"
    elif book.trusted(judged.name, judged.entry - 1) is not None:
        yield f"{judged.what} has no signature, though {judged.name} had a key by then"


def _wrong(
    fetch: _Fetch, judged: _Judged, signature: dict[str, Any], *, book: KeyBook, history: _History
) -> Iterator[str]:  # fmt: skip
    key = book.keys.get(signature["public_key"])
    if key is None or known_as(key.name) != known_as(judged.name):
        whose = f"{key.name}'s key {fingerprint(key.public)}" if key else "a key that is not there"
        yield f"{judged.what} is signed by a stranger: with {whose}"
        return
    standing = key.standing(judged.entry)
    if standing is Standing.STRANGER:
        yield f"{judged.what} is signed by a stranger: nobody answers for the key {fingerprint(key.public)}"
    elif standing is Standing.RETIRED:
        yield f"{judged.what} is signed with the key {fingerprint(key.public)}, which had been replaced"
    anchor = str(signature["anchor"])
    message = statement(fetch, judged.kind, judged.row, by=key.public, anchor=anchor)
    if not fits(key.public, str(signature["signature"]), message):
        yield f"the signature of {judged.what} does not fit it"
    elif history.known.get(anchor, judged.entry + 1) > judged.entry:
        yield f"the journal before {judged.what} is not the one that was signed: it was rewritten"


def _history(connection: sqlite3.Connection) -> _History:
    """An entry's hash can be signed by later entries; a merge brings the other copy's hashes along, checked here."""
    history = _History()
    votes = list(rows_of(connection, "vote"))
    for row in rows_of(connection, "journal"):
        seq = int(row["seq"] or 0)
        if row["action"] == MERGE:
            _take_in(history, seq, str(row["payload"]), votes)
        if row["action"] == REQUIRE and history.required_from is None:
            history.required_from = seq
        history.known.setdefault(str(row["hash"]), seq + 1)
    return history


def _take_in(history: _History, seq: int, payload: str, votes: Sequence[Row]) -> None:
    brought = list(carried(payload))
    wrong = list(carried_problems(seq, brought, votes))
    history.problems.extend(wrong)
    for entry in () if wrong else brought:
        if entry["previous"] in history.known and entry_hash(entry) == entry["hash"]:
            history.known.setdefault(str(entry["hash"]), seq)

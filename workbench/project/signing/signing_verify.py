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
from workbench.project.signing.signing import comes_with_the_plan
from workbench.project.signing.signing_trust import KeyBook, Standing, key_book, required_from, rules_from
from workbench.project.signing.statements import ENTRIES, ENTRY, JUDGING, SIGNED, WHOLE, Deed, statement


@dataclass(slots=True)
class Signatures:
    """What a check found: how many rows are signed and how many are not, and remarks that are no problems."""

    signed: int = 0
    unsigned: int = 0
    warnings: list[str] = field(default_factory=list)
    exchanged: list[str] = field(default_factory=list)  # fingerprints of keys that others put in place of a trusted one


@dataclass(slots=True)
class _History:
    """Which hashes a signature may stand on, by the journal entry from which on they are known."""

    required_from: int
    rules_from: int
    known: dict[str, int] = field(default_factory=lambda: {BEGINNING: 0})
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
    found.warnings.extend(book.exchanged.values())
    found.exchanged.extend(book.exchanged)
    for key in book.keys.values():
        if key.standing() is Standing.STRANGER:
            found.warnings.append(f"nobody vouches for the key {fingerprint(key.public)} that calls itself {key.name}")
    history = _history(connection, fetch)
    yield from history.problems
    signatures = {(row["kind"], row["subject"]): row for row in rows_of(connection, "signature")}
    for judged in _to_be_signed(connection, tables, chain):
        signature = signatures.pop((judged.kind, judged.key), None)
        if judged.kind in JUDGING:
            found.signed += signature is not None
            found.unsigned += signature is None
        if signature is None:
            yield from _missing(fetch, judged, book=book, history=history)
        else:
            yield from _wrong(fetch, judged, signature, book=book, history=history)
    if signatures:
        yield f"{len(signatures)} signatures belong to rows that are not there"


def _to_be_signed(connection: sqlite3.Connection, tables: Sequence[str], chain: Chain) -> Iterator[_Judged]:
    """Every row and every entry that somebody says under their own name."""
    for kind, naming in SIGNED.items():
        for row in rows_of(connection, kind) if kind in tables else ():
            key = int(row["id"] or 0)
            at = chain.seals.get((kind, key))
            label, entry = (at[0].label, at[1]) if at else (f"a {kind}", 0)
            name = str(row[naming])
            what = f"{label} by {name} (journal entry {entry})"
            yield _Judged(what=what, kind=kind, key=key, row=row, name=name, entry=entry)
    marks = ", ".join("?" for _ in ENTRIES)
    sql = f"SELECT seq, actor, action, subject FROM journal WHERE action IN ({marks}) ORDER BY seq"
    for seq, actor, action, subject in connection.execute(sql, ENTRIES).fetchall():
        what = f"“{action}” of {subject} by {actor} (journal entry {seq})"
        yield _Judged(what=what, kind=ENTRY, key=seq, row={}, name=str(actor), entry=seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    what: str
    kind: str
    key: int
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


def _missing(fetch: _Fetch, judged: _Judged, *, book: KeyBook, history: _History) -> Iterator[str]:
    if judged.kind not in JUDGING and judged.entry < history.rules_from:
        return  # the program of that time signed no such thing
    if comes_with_the_plan(fetch, judged.kind, judged.row):
        return
    if judged.entry > history.required_from:
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
        yield f"{judged.what} is signed by a stranger: nobody vouches for the key {fingerprint(key.public)}"
    elif standing is Standing.RETIRED:
        yield f"{judged.what} is signed with the key {fingerprint(key.public)}, which had been replaced"
    anchor = str(signature["anchor"])
    deed = _deed(fetch, judged, signature)
    message = statement(fetch, judged.kind, judged.row, by=key.public, anchor=anchor, deed=deed)
    if not fits(key.public, str(signature["signature"]), message):
        yield f"the signature of {judged.what} does not fit it"
    elif history.known.get(anchor, judged.entry + 1) > judged.entry:
        yield f"the journal before {judged.what} is not the one that was signed: it was rewritten"


def _deed(fetch: _Fetch, judged: _Judged, signature: dict[str, Any]) -> Deed | None:
    """The action that the signature covers; None for one that covers its row alone."""
    if signature.get("form") != WHOLE:
        return None
    rows = fetch("SELECT * FROM journal WHERE seq = ?", (judged.entry,))
    return Deed.of_entry(rows[0]) if rows else None


def _history(connection: sqlite3.Connection, fetch: _Fetch) -> _History:
    """An entry's hash can be signed by later entries; a merge brings the other copy's hashes along, checked here."""
    history = _History(required_from=required_from(fetch), rules_from=rules_from(fetch))
    votes = list(rows_of(connection, "vote"))
    for row in rows_of(connection, "journal"):
        seq = int(row["seq"] or 0)
        if row["action"] == MERGE:
            _take_in(history, seq, str(row["payload"]), votes)
        history.known.setdefault(str(row["hash"]), seq + 1)
    return history


def _take_in(history: _History, seq: int, payload: str, votes: Sequence[Row]) -> None:
    brought = list(carried(payload))
    wrong = list(carried_problems(seq, brought, votes))
    history.problems.extend(wrong)
    for entry in () if wrong else brought:
        if entry["previous"] in history.known and entry_hash(entry) == entry["hash"]:
            history.known.setdefault(str(entry["hash"]), seq)

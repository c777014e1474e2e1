"""Every signature of an open project with what is known of it: whose key, and whether it fits the row it stands under.

This is for people who look at one vote or decision. `verify` also checks the history that each of them signed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.people import known_as
from workbench.project.file.session import Session, reads_stored
from workbench.project.history.places import places_of
from workbench.project.history.seals import row_at
from workbench.project.signing.keys import fingerprint, fits
from workbench.project.signing.signing import book_of
from workbench.project.signing.signing_trust import KnownKey, Standing, rules_from
from workbench.project.signing.statements import ENTRY, SIGNED, Deed, statement


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureRecord:
    """`kind` and `subject` name the row: a vote, a decision, a policy, by its number; or an entry of the journal."""

    kind: str
    subject: int
    name: str
    fingerprint: str
    holds: bool
    words: str


@reads_stored
def signatures(session: Session) -> tuple[SignatureRecord, ...]:
    """All of them, checked one by one."""
    book, places = book_of(session), places_of(session)
    rows = session.rows("SELECT kind, subject, public_key, anchor, signature, form FROM signature ORDER BY id")
    return tuple(_checked(session, row, book.keys.get(row["public_key"]), places) for row in rows)


@reads_stored
def unsigned_decisions(session: Session) -> frozenset[int]:
    """Decisions, by number, under which nobody signed; those from before the file had this version are left out."""
    rules, places = rules_from(session.rows), places_of(session)
    rows = session.rows(
        "SELECT id FROM decision WHERE id NOT IN (SELECT subject FROM signature WHERE kind = 'decision')"
    )
    return frozenset(row["id"] for row in rows if places.get(("decision", row["id"]), 0) >= rules)


def _checked(
    session: Session, signature: dict[str, Any], key: KnownKey | None, places: Mapping[tuple[str, int], int]
) -> SignatureRecord:  # fmt: skip
    kind, subject = str(signature["kind"]), int(signature["subject"])
    row = row_at(session.connection, (kind, subject)) if kind in SIGNED else {}
    entry = subject if kind == ENTRY else places.get((kind, subject), 0)
    deed = session.row("SELECT * FROM journal WHERE seq = ?", (entry,)) if signature["form"] else None
    wrong = "the row or the key is gone"
    if row is not None and key is not None and (deed is not None or kind != ENTRY):
        said = None if deed is None else Deed.of_entry(deed)
        name = str(row[SIGNED[kind]] if row else said.actor if said is not None else "")
        message = statement(session.rows, kind, row, by=key.public, anchor=str(signature["anchor"]), deed=said)
        wrong = _wrong(key, name, fits(key.public, str(signature["signature"]), message))
    return SignatureRecord(
        kind=kind,
        subject=subject,
        name=key.name if key is not None else "",
        fingerprint=fingerprint(key.public) if key is not None else "",
        holds=not wrong,
        words=wrong or "holds",
    )


def _wrong(key: KnownKey, signer: str, fitting: bool) -> str:
    if not fitting:
        return "does not fit what it stands under"
    if known_as(key.name) != known_as(signer):
        return f"is {key.name}'s, not {signer}'s"
    return "nobody vouches for the key" if key.standing() is Standing.STRANGER else ""

"""Who signs what, and when a project insists on it.

Votes, decisions and exceptions; policies, caps, separations and programmes; the demand for signatures and withdrawals.
What exactly is signed is in `statements`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.core.errors import Refused, UserProblem
from workbench.core.people import known_as
from workbench.core.states import ReleaseState
from workbench.project.history.journal import Stored
from workbench.project.history.places import places_of
from workbench.project.history.seals import row_at
from workbench.project.signing.keys import Signer, fingerprint
from workbench.project.signing.signing_trust import (
    REQUIRE,
    ROTATE,
    VOUCH,
    Fetch,
    KeyBook,
    KnownKey,
    Standing,
    endorsement_bytes,
    key_book,
    project_of,
)
from workbench.project.signing.statements import ENTRIES, ENTRY, SIGNED, VOTE, WHOLE, Deed, statement

if TYPE_CHECKING:
    from workbench.project.file.action import Action
    from workbench.project.file.session import Session

_CLOSED = (ReleaseState.APPROVED.value, ReleaseState.WITHDRAWN.value)
_ANSWER = "Ask another reviewer to vouch for it (`dwb keys vouch`), or hand over with the old key (`dwb keys rotate`)"


def sign_new_rows(session: Session, act: Action, *, action: str, subject: str, actor: str) -> None:
    """Sign what an action did, before its entry is written: whatever code adds a vote, none goes unsigned."""
    for kind, key in act.new_rows(SIGNED):
        if session.row("SELECT 1 FROM signature WHERE kind = ? AND subject = ?", (kind, key)) is None:
            row = row_at(session.connection, (kind, key)) or {}
            deed = None if kind == VOTE else act.deed(action=action, subject=subject, actor=actor)
            _sign(session, act, kind, key, row=row, name=str(row[SIGNED[kind]]), deed=deed)
    if action in ENTRIES:
        deed = act.deed(action=action, subject=subject, actor=actor)
        _sign(session, act, ENTRY, act.place, row={}, name=actor, deed=deed)


def _sign(
    session: Session, act: Action, kind: str, key: int, *, row: Mapping[str, Any], name: str, deed: Deed | None
) -> None:  # fmt: skip
    """Refused where a signature is expected and cannot be given."""
    book, signer = book_of(session), session.signer
    if signer is None or known_as(signer.name) != known_as(name):
        if expected(session, name) and not comes_with_the_plan(session.rows, kind, row):
            raise Refused(f"{name} signs in this project, and no key was given", "signature", "Unlock the key first")
        return
    mine = _key_for(session, act, book, signer)
    if deed is not None:  # with the key, where it was enrolled just now
        deed = act.deed(action=deed.action, subject=deed.subject, actor=deed.actor)
    anchor = head_of(session)
    signed = signer.sign(statement(session.rows, kind, row, by=signer.public, anchor=anchor, deed=deed))
    fields: dict[str, Stored] = {
        "kind": kind, "subject": key, "public_key": mine, "anchor": anchor, "signature": signed, "signed_at": act.at,
        "form": None if deed is None else WHOLE,
    }  # fmt: skip
    act.insert("signature", fields, f"the signature of {name} ({fingerprint(signer.public)})")


def comes_with_the_plan(fetch: Fetch, kind: str, row: Mapping[str, Any]) -> bool:
    """True for the first cap of a data set: the plan brings it with the first draw, and nobody changes anything."""
    if kind != "cap":
        return False
    first = fetch("SELECT min(id) AS id FROM cap WHERE dataset = ?", (row["dataset"],))
    return bool(first) and first[0]["id"] == row["id"]


def _key_for(session: Session, act: Action, book: KeyBook, signer: Signer) -> int:
    """The number of the signer's key; enrolled now where the name has none yet and nobody has to vouch for it."""
    known = book.by_public(signer.public)
    if known is None and not book.of(signer.name):
        if required(session) and book.anybody:
            raise Refused(
                f"The key {fingerprint(signer.public)} of {signer.name} is new in this project, which takes only keys "
                "that somebody vouches for",
                "signature",
                "Enrol it (`dwb keys enrol`) and ask a reviewer to vouch for it (`dwb keys vouch`)",
            )
        return _enrol(act, signer.name, signer.public)
    if known is None or known.standing() is Standing.STRANGER:
        raise Refused(
            f"{signer.name} is known here by another key than {fingerprint(signer.public)}, or nobody vouches for it",
            "signature",
            _ANSWER,
        )
    if known_as(known.name) != known_as(signer.name):
        raise Refused(f"This key is {known.name}'s in this project, not {signer.name}'s", "signature", "Use your own")
    if known.standing() is Standing.RETIRED:
        raise Refused(
            f"This key of {signer.name} was replaced by another",
            "signature",
            "Use the new one, or have this vouched for",
        )
    return known.id


def _enrol(act: Action, name: str, public: str) -> int:
    fields = {"name": name, "public": public, "enrolled_at": act.at}
    return act.insert("public_key", fields, f"the key {fingerprint(public)} of {name}")


def book_of(session: Session) -> KeyBook:
    """The keys of an open project; a row whose action is not finished counts as the next entry."""
    places = places_of(session)
    coming = session.places.last + 1
    return key_book(session.rows, lambda table, key: places.get((table, key), coming))


def head_of(session: Session) -> str:
    """The hash at the journal's end: whoever signs it signs everything before."""
    row = session.row("SELECT hash FROM head WHERE id = 1")
    return str(row["hash"]) if row else ""


def required(session: Session) -> bool:
    """True once somebody said that this project takes signed votes and decisions only."""
    return session.row("SELECT 1 FROM journal WHERE action = ?", (REQUIRE,)) is not None


def expected(session: Session, name: str) -> bool:
    """True where this name has a key in the project already, or the project takes nothing unsigned."""
    return book_of(session).trusted(name) is not None or required(session)


def require_signatures(session: Session, *, actor: str = "") -> None:
    """From now on everything that can be signed must be, with keys that are vouched for. Cannot be taken back.

    Somebody must have a key by then, or nobody could ever vouch for one: whoever asks for it, by signing this.
    """
    if required(session):
        return
    if session.signer is None and not book_of(session).anybody:
        raise Refused(
            "The project knows no key yet", "signature", "Unlock or make your own key first (`dwb keys make`)"
        )
    with session.act(REQUIRE, subject="project", actor=actor, guarded=True):
        pass


def known_keys(session: Session) -> tuple[KnownKey, ...]:
    """Every public key of the project, the first enrolled first; `standing()` says what it counts for."""
    return tuple(book_of(session).keys.values())


def enrol(session: Session, name: str, public: str) -> KnownKey:
    """Put a public key in the project. Under a name that has one already it is a stranger's until somebody answers."""
    book = book_of(session)
    known = book.by_public(public)
    if known is not None and known_as(known.name) != known_as(name):
        raise Refused(f"This key is {known.name}'s in this project, not {name}'s", "key", "Use your own")
    if known is None:
        with session.act("enrol key", subject=name, actor=name) as act:
            _enrol(act, name, public)
    found = book_of(session).by_public(public)
    if found is None:
        raise UserProblem("The key was not stored", str(session.path))
    return found


def endorse(session: Session, told: str, signer: Signer) -> KnownKey:
    """Answer for an enrolled key, named by its fingerprint: somebody else's (vouch) or one's own new one (rotate)."""
    book = book_of(session)
    asked = told.replace("-", "").strip().casefold()
    match = [key for key in book.keys.values() if fingerprint(key.public).replace("-", "") == asked]
    if not match:
        raise UserProblem("The project holds no key with this fingerprint", told[:40], "`dwb keys list` shows them")
    key, own = match[0], book.by_public(signer.public)
    if own is None or own.standing() is not Standing.TRUSTED:
        raise Refused(f"{signer.name} has no trusted key in this project", "key", "Somebody who has one must answer")
    if own.id == key.id:
        raise Refused("A key cannot vouch for itself", "key", "Ask another reviewer")
    kind = ROTATE if known_as(own.name) == known_as(key.name) else VOUCH
    if kind == VOUCH:
        _refuse_preparers(session, own.name)
        _refuse_newcomers(book, own)
    anchor = head_of(session)
    message = endorsement_bytes(
        project=project_of(session.rows), kind=kind, key=key, endorser=own.public, anchor=anchor
    )  # fmt: skip
    with session.act(f"{kind} key", subject=key.name, actor=own.name, guarded=True) as act:
        fields: dict[str, Stored] = {
            "public_key": key.id, "kind": kind, "endorser": own.id, "anchor": anchor,
            "signature": signer.sign(message), "made_at": act.at,
        }  # fmt: skip
        act.insert("endorsement", fields, f"{own.name}'s word for the key {fingerprint(key.public)} of {key.name}")
    return book_of(session).keys[key.id]


def _refuse_newcomers(book: KeyBook, own: KnownKey) -> None:
    """A key that anybody could have made under a made-up name must not say who others are."""
    if own.id not in book.established:
        raise Refused(
            f"The key of {own.name} has signed nothing here yet, and nobody vouches for it",
            "key",
            "Vote or decide with it first, or ask a reviewer who has",
        )


def _refuse_preparers(session: Session, name: str) -> None:
    """Whoever waits for a decision must not say who the reviewers are."""
    for row in session.rows("SELECT code, preparer FROM release WHERE state NOT IN (?, ?) ORDER BY id", _CLOSED):
        if known_as(str(row["preparer"])) == known_as(name):
            said = f"{name} prepared {row['code']}, which is not decided yet, and cannot vouch for a reviewer's key"
            raise Refused(said, "key", "Ask another reviewer")

"""Signed votes, decisions and exceptions: what is signed, by whom, and when a project insists on it.

Signed are the canonical bytes of: the project, who signs, the journal's last hash (the whole history before), the
release, the run, the digests of plan, data, published values and policy, and every column of the row but its number
(choice, comments, time, name). A merge gives rows other numbers in another copy; everything else stays signed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.core.errors import Refused, UserProblem
from workbench.core.people import known_as
from workbench.core.plain import canonical
from workbench.core.states import ReleaseState
from workbench.project.history.journal import Stored
from workbench.project.history.seals import row_at
from workbench.project.signing.keys import Signer, fingerprint
from workbench.project.signing.signing_trust import (
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

if TYPE_CHECKING:
    from workbench.project.file.action import Action
    from workbench.project.file.session import Session

SIGNED = {"vote": "reviewer", "decision": "reviewer", "exception": "granted_by"}  # table → who signs its rows
REQUIRE = "require signatures"
_CLOSED = (ReleaseState.APPROVED.value, ReleaseState.WITHDRAWN.value)
_ANSWER = "Ask another reviewer to vouch for it (`dwb keys vouch`), or hand over with the old key (`dwb keys rotate`)"


def statement(fetch: Fetch, kind: str, row: Mapping[str, Any], *, by: str, anchor: str) -> bytes:
    """The bytes that are signed for a row; two rows that mean the same thing give the same bytes."""
    said = {name: value for name, value in row.items() if name != "id" and value is not None}
    facts = {
        "format": "dwb-signature-1", "project": project_of(fetch), "kind": kind, "by": by, "anchor": anchor,
        "row": said, **_judged(fetch, row),
    }  # fmt: skip
    return canonical(facts)


def _judged(fetch: Fetch, row: Mapping[str, Any]) -> dict[str, Any]:
    """What the row is about, by digests that do not depend on numbers of rows."""
    run = _first(
        fetch,
        "SELECT release.code, run.number, run.plan_digest, dataset.content, published.digest FROM run"
        " JOIN release ON release.id = run.release JOIN dataset ON dataset.id = run.dataset"
        " LEFT JOIN published ON published.run = run.id WHERE run.id = ?",
        row.get("run"),
    )
    policy = _first(fetch, "SELECT digest FROM policy WHERE id = ?", row.get("policy"))
    return {
        "release": run.get("code", ""), "run": run.get("number", 0), "plan": run.get("plan_digest", ""),
        "data": run.get("content", ""), "published": run.get("digest") or "", "policy": policy.get("digest", ""),
    }  # fmt: skip


def _first(fetch: Fetch, sql: str, key: object) -> dict[str, Any]:
    rows = fetch(sql, (key,)) if isinstance(key, int) else []
    return rows[0] if rows else {}


def sign_new_rows(session: Session, act: Action) -> None:
    """Sign what an action put in, before its entry is written: whatever code adds a vote, none goes unsigned."""
    for kind, key in act.new_rows(SIGNED):
        if session.row("SELECT 1 FROM signature WHERE kind = ? AND subject = ?", (kind, key)) is None:
            _sign_row(session, act, kind, key)


def _sign_row(session: Session, act: Action, kind: str, key: int) -> None:
    """Refused where a signature is expected and cannot be given."""
    row = row_at(session.connection, (kind, key)) or {}
    name = str(row[SIGNED[kind]])
    book, signer = key_book(session.rows), session.signer
    if signer is None or known_as(signer.name) != known_as(name):
        if expected(session, name):
            raise Refused(f"{name} signs in this project, and no key was given", "signature", "Unlock the key first")
        return
    mine = _key_for(act, book, signer)
    anchor = head_of(session)
    signed = signer.sign(statement(session.rows, kind, row, by=signer.public, anchor=anchor))
    fields: dict[str, Stored] = {
        "kind": kind, "subject": key, "public_key": mine, "anchor": anchor, "signature": signed, "signed_at": act.at
    }  # fmt: skip
    act.insert("signature", fields, f"the signature of {name} ({fingerprint(signer.public)})")


def _key_for(act: Action, book: KeyBook, signer: Signer) -> int:
    """The number of the signer's key; enrolled now where the name has none yet."""
    known = book.by_public(signer.public)
    if known is None and not book.of(signer.name):
        return _enrol(act, signer.name, signer.public)
    if known is None or known.standing() is Standing.STRANGER:
        raise Refused(
            f"{signer.name} is known here by another key than {fingerprint(signer.public)}", "signature", _ANSWER
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


def head_of(session: Session) -> str:
    """The hash at the journal's end: whoever signs it signs everything before."""
    row = session.row("SELECT hash FROM head WHERE id = 1")
    return str(row["hash"]) if row else ""


def required(session: Session) -> bool:
    """True once somebody said that this project takes signed votes and decisions only."""
    return session.row("SELECT 1 FROM journal WHERE action = ?", (REQUIRE,)) is not None


def expected(session: Session, name: str) -> bool:
    """True where this name has a key in the project already, or the project takes nothing unsigned."""
    return key_book(session.rows).trusted(name) is not None or required(session)


def require_signatures(session: Session, *, actor: str = "") -> None:
    """From now on every vote, decision and exception must be signed. Cannot be taken back."""
    if not required(session):
        with session.act(REQUIRE, subject="project", actor=actor):
            pass


def known_keys(session: Session) -> tuple[KnownKey, ...]:
    """Every public key of the project, the first enrolled first; `standing()` says what it counts for."""
    return tuple(key_book(session.rows).keys.values())


def enrol(session: Session, name: str, public: str) -> KnownKey:
    """Put a public key in the project. Under a name that has one already it is a stranger's until somebody answers."""
    book = key_book(session.rows)
    known = book.by_public(public)
    if known is not None and known_as(known.name) != known_as(name):
        raise Refused(f"This key is {known.name}'s in this project, not {name}'s", "key", "Use your own")
    if known is None:
        with session.act("enrol key", subject=name, actor=name) as act:
            _enrol(act, name, public)
    found = key_book(session.rows).by_public(public)
    if found is None:
        raise UserProblem("The key was not stored", str(session.path))
    return found


def endorse(session: Session, told: str, signer: Signer) -> KnownKey:
    """Answer for an enrolled key, named by its fingerprint: somebody else's (vouch) or one's own new one (rotate)."""
    book = key_book(session.rows)
    asked = told.replace("-", "").strip().casefold()
    match = [key for key in book.keys.values() if fingerprint(key.public).replace("-", "") == asked]
    if not match:
        raise UserProblem("The project holds no key with this fingerprint", told[:40], "`dwb keys list` shows them")
    key, own = match[0], book.by_public(signer.public)
    if own is None or own.standing() is not Standing.TRUSTED:
        raise Refused(f"{signer.name} has no trusted key in this project", "key", "Somebody who has one must answer")
    if own.id == key.id:
        raise Refused("A key cannot answer for itself", "key", "Ask another reviewer")
    kind = ROTATE if known_as(own.name) == known_as(key.name) else VOUCH
    if kind == VOUCH:
        _refuse_preparers(session, own.name)
    anchor = head_of(session)
    message = endorsement_bytes(
        project=project_of(session.rows), kind=kind, key=key, endorser=own.public, anchor=anchor
    )  # fmt: skip
    with session.act(f"{kind} key", subject=key.name, actor=own.name) as act:
        fields: dict[str, Stored] = {
            "public_key": key.id, "kind": kind, "endorser": own.id, "anchor": anchor,
            "signature": signer.sign(message), "made_at": act.at,
        }  # fmt: skip
        act.insert("endorsement", fields, f"{own.name}'s word for the key {fingerprint(key.public)} of {key.name}")
    return key_book(session.rows).keys[key.id]


def _refuse_preparers(session: Session, name: str) -> None:
    """Whoever waits for a decision must not say who the reviewers are."""
    for row in session.rows("SELECT code, preparer FROM release WHERE state NOT IN (?, ?) ORDER BY id", _CLOSED):
        if known_as(str(row["preparer"])) == known_as(name):
            said = f"{name} prepared {row['code']}, which is not decided yet, and cannot answer for a reviewer's key"
            raise Refused(said, "key", "Ask another reviewer")

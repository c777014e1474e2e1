"""Releases under review and the revisions of their plans."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from workbench.core.errors import Place, Problem, Refused, UserProblem, raise_if
from workbench.core.nearest import nearest
from workbench.core.plain import canonical, digest
from workbench.core.quantities import counted
from workbench.core.states import ReleaseState
from workbench.project.file.action import Action
from workbench.project.file.failures import damaged
from workbench.project.file.session import Session, reads_stored
from workbench.project.history.journal import Stored
from workbench.project.records import ReleaseRecord
from workbench.project.signing.statements import WITHDRAW

_LONGEST = 1000  # characters of a title or name
_UNBELIEVABLE, _UNBELIEVABLE_CONTEXT = 20_000, 2**21  # what no program of ours wrote; setting it would take minutes
_SELECT = """
SELECT release.*, plan.text AS plan_text, plan.digest AS plan_digest,
       (SELECT count(*) FROM run WHERE run.release = release.id) AS draws,
       (SELECT run.plan_digest FROM run WHERE run.release = release.id ORDER BY run.number DESC LIMIT 1) AS run_plan,
       EXISTS (SELECT 1 FROM ledger WHERE ledger.release = release.id) AS spent
FROM release JOIN plan ON plan.release = release.id AND plan.revision = release.revision
"""


def plan_digest(text: str) -> str:
    """SHA-256 of a plan's text; line ends of another system do not make another plan."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode("utf-8", "backslashreplace")).hexdigest()


@reads_stored
def releases(session: Session) -> tuple[ReleaseRecord, ...]:
    return tuple(_record(row) for row in session.rows(f"{_SELECT} ORDER BY release.id"))


@reads_stored
def release(session: Session, release_id: str) -> ReleaseRecord:
    return _record(release_row(session, release_id))


def release_row(session: Session, release_id: str) -> dict[str, Any]:
    """The row of a release, or a problem that names the nearest id there is."""
    row = session.row(f"{_SELECT} WHERE release.code = ?", (release_id,))
    if row is not None:
        return row
    codes = [str(known["code"]) for known in session.rows("SELECT code FROM release ORDER BY id")]
    held = f"The project holds {counted(len(codes), 'release') if codes else 'no releases'}"
    near = nearest(release_id.upper(), codes, likeness=0.6)
    raise UserProblem(
        f"There is no release “{release_id[:40]}”", str(session.path), f"Did you mean {near}?" if near else held
    )


def plan_text(session: Session, release_id: str, digest: str) -> str:
    """The plan of a release as it stood when it had this digest: what a run belongs to, whatever came later."""
    row = release_row(session, release_id)
    found = session.row(
        "SELECT text FROM plan WHERE release = ? AND digest = ? ORDER BY revision DESC", (row["id"], digest)
    )
    if found is None:
        raise damaged(session.path)
    return str(found["text"])


def words_of(row: dict[str, Any]) -> str:
    """The digest of what a report would say beside the evidence: title and context, the public statement included."""
    return digest([row["title"], row["context"]])


def _record(row: dict[str, Any]) -> ReleaseRecord:
    if max(len(row["title"]), len(row["preparer"])) > _UNBELIEVABLE or len(row["context"]) > _UNBELIEVABLE_CONTEXT:
        raise ValueError("words that no page can show")
    return ReleaseRecord(
        id=row["code"], title=row["title"], product=row["product"], plan_text=row["plan_text"],
        plan_digest=row["plan_digest"], revision=row["revision"], state=ReleaseState(row["state"]),
        preparer=row["preparer"],
        reviewers_needed=row["reviewers_needed"], created_at=row["created_at"], changed_at=row["changed_at"],
        draws=row["draws"], stale=row["run_plan"] is not None and row["run_plan"] != row["plan_digest"],
        context=json.loads(row["context"]),
    )  # fmt: skip


def save_release(
    session: Session, *, title: str, product: str, plan_text: str, preparer: str,
    context: Mapping[str, str] | None = None, reviewers_needed: int = 1,
) -> ReleaseRecord:  # fmt: skip
    """A new release in draft, with the next id."""
    raise_if(_missing(title=title, preparer=preparer))
    if reviewers_needed < 1:
        raise UserProblem("A release needs at least one reviewer", do="Give 1 or more")
    with session.alone():
        found = session.row("SELECT coalesce(max(id), 0) + 1 AS next FROM release")
        code = f"R-{found['next'] if found else 1:04d}"
        _add_release(
            session, code, title=title, product=product, plan_text=plan_text, preparer=preparer, context=context or {},
            reviewers_needed=reviewers_needed,
        )  # fmt: skip
    return release(session, code)


def _add_release(
    session: Session, code: str, *, title: str, product: str, plan_text: str, preparer: str,
    context: Mapping[str, str], reviewers_needed: int,
) -> None:  # fmt: skip
    with session.act("save release", subject=code, actor=preparer) as act:
        row: dict[str, Stored] = {
            "code": code, "title": title, "product": product, "context": _context(context), "preparer": preparer,
            "reviewers_needed": reviewers_needed, "revision": 1, "state": ReleaseState.DRAFT.value,
            "created_at": act.at, "changed_at": act.at,
        }  # fmt: skip
        key = act.insert("release", row, f"release {code}")
        _add_plan(act, release=key, code=code, revision=1, text=plan_text, actor=preparer)


def _missing(**texts: str) -> list[Problem]:
    """What is empty, or longer than any page can show."""
    return [
        Problem(f"The {name} is missing", name, "Fill it in", Place("release", name))
        if not text.strip()
        else Problem(f"The {name} has more than {_LONGEST} characters", name, "Shorten it", Place("release", name))
        for name, text in texts.items()
        if not text.strip() or len(text) > _LONGEST
    ]


def _context(context: Mapping[str, str]) -> str:
    return canonical(dict(context)).decode("utf-8")


def _add_plan(act: Action, *, release: int, code: str, revision: int, text: str, actor: str) -> None:
    row: dict[str, Stored] = {
        "release": release, "revision": revision, "text": text, "digest": plan_digest(text), "saved_by": actor,
        "saved_at": act.at,
    }  # fmt: skip
    act.insert("plan", row, f"plan {revision} of {code}")


def update_release_plan(
    session: Session, release_id: str, plan_text: str, *, actor: str = "", title: str | None = None,
    context: Mapping[str, str] | None = None,
) -> ReleaseRecord:  # fmt: skip
    """A new revision of the plan. Runs, votes and decisions of earlier revisions stay and are stale from now on."""
    row = release_row(session, release_id)
    refuse_if_closed(row)
    changes: dict[str, Stored] = {}
    if title is not None and title != row["title"]:
        raise_if(_missing(title=title))
        changes["title"] = title
    if context is not None and _context(context) != row["context"]:
        changes["context"] = _context(context)
    new_plan = plan_text != row["plan_text"]
    if not changes and not new_plan:
        return _record(row)
    code, who = row["code"], actor or session.person
    with session.act("update release", subject=code, actor=who) as act:
        if new_plan:
            changes["revision"] = row["revision"] + 1
            text = plan_text
            _add_plan(act, release=row["id"], code=code, revision=row["revision"] + 1, text=text, actor=who)
        if plan_digest(plan_text) != row["plan_digest"]:
            changes["state"] = ReleaseState.DRAFT.value
        act.update("release", row["id"], {**changes, "changed_at": act.at}, f"release {code}")
    return release(session, code)


def refuse_if_closed(row: Mapping[str, Any]) -> None:
    """What was ever approved stays as it was approved, and what was withdrawn stays withdrawn."""
    code = row["code"]
    if row["state"] == ReleaseState.WITHDRAWN.value:
        raise Refused(f"{code} was withdrawn", do="Make a new release")
    if row["state"] == ReleaseState.APPROVED.value or row["spent"]:
        raise Refused(f"{code} was approved and stays as it was approved", do="Make a new release")


def withdraw(session: Session, release_id: str, *, actor: str = "", reason: str = "") -> ReleaseRecord:
    """Take a release off the list without erasing it. Refused once it was approved: its budget is spent."""
    row = release_row(session, release_id)
    refuse_if_closed(row)
    with session.act(WITHDRAW, subject=row["code"], actor=actor, guarded=True) as act:
        act.note = {"reason": reason}
        act.update(
            "release",
            row["id"],
            {"state": ReleaseState.WITHDRAWN.value, "changed_at": act.at},
            f"release {row['code']}",
        )
    return release(session, release_id)

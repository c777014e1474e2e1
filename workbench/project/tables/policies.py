"""The policy in force, and every one before it: each with its text, who set it, when and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.accounting.limits import Limits
from workbench.core.errors import Refused, UserProblem
from workbench.core.people import could_be_one
from workbench.core.states import ReleaseState
from workbench.policy.profile import PolicyProfile
from workbench.policy.text import from_text, to_text
from workbench.project.file.session import Session, reads_stored
from workbench.project.history.places import entry_of
from workbench.project.records import PolicyRecord
from workbench.project.tables.datasets import dataset
from workbench.project.tables.programmes import in_force
from workbench.project.tables.shared_people import together_with

_OPEN = (ReleaseState.DRAFT.value, ReleaseState.CHANGES.value, ReleaseState.REJECTED.value)


def set_policy(session: Session, profile: PolicyProfile, *, actor: str = "", reason: str) -> PolicyRecord:
    """Put a policy in force. Votes cast under another one are stale from now on; decisions stand as they were made."""
    who = actor or session.person
    if not reason.strip():
        raise UserProblem("Setting a policy needs a reason", "reason", "Say who decided it and why")
    current = policy_in_force(session)
    if current is not None and current.digest == profile.digest():
        return current
    _refuse_reused_version(session, profile)
    _refuse_preparers(session, who)
    with session.act("set policy", subject=f"policy {profile.title}", actor=who, guarded=True) as act:
        row: dict[str, Any] = {
            "name": profile.policy.name, "version": profile.policy.version, "text": to_text(profile),
            "digest": profile.digest(), "reason": reason, "set_by": who, "set_at": act.at,
        }  # fmt: skip
        key = act.insert("policy", row, f"policy {profile.title}")
    return policy_by_id(session, key)


def _refuse_reused_version(session: Session, profile: PolicyProfile) -> None:
    """A version means one thing for ever: decisions name it."""
    for known in policies(session):
        same = (known.name, known.version) == (profile.policy.name, profile.policy.version)
        if same and known.digest != profile.digest():
            raise Refused(
                f"The project knows another policy as {profile.title}",
                do=f"Give the changed policy version {profile.policy.version + 1} or higher",
            )


def _refuse_preparers(session: Session, who: str) -> None:
    """Whoever waits for a decision must not change the rules it is made by."""
    authors = (
        "SELECT code, state, preparer AS who FROM release "
        "UNION SELECT code, state, run_by FROM release JOIN run ON run.release = release.id "
        "UNION SELECT code, state, saved_by FROM release JOIN plan ON plan.release = release.id ORDER BY code"
    )
    for row in session.rows(authors):
        if row["state"] in _OPEN and could_be_one(who, str(row["who"])):
            raise Refused(
                f"{who} had a hand in {row['code']}, which is not decided yet, and cannot change its policy",
                do="Ask somebody else",
            )


@reads_stored
def policies(session: Session) -> tuple[PolicyRecord, ...]:
    """Every policy that was ever in force, the first one first."""
    return tuple(_record(row) for row in session.rows("SELECT * FROM policy ORDER BY id"))


@reads_stored
def policy_in_force(session: Session) -> PolicyRecord | None:
    row = session.row("SELECT * FROM policy ORDER BY id DESC LIMIT 1")
    return None if row is None else _record(row)


@reads_stored
def policy_by_id(session: Session, key: int) -> PolicyRecord:
    row = session.row("SELECT * FROM policy WHERE id = ?", (key,))
    if row is None:
        raise UserProblem("The project holds no such policy", str(session.path))
    return _record(row)


def _record(row: dict[str, Any]) -> PolicyRecord:
    profile = from_text(row["text"], f"policy {row['name']}")
    return PolicyRecord(
        id=row["id"], name=row["name"], version=row["version"], profile=profile, digest=row["digest"],
        reason=row["reason"], set_by=row["set_by"], set_at=row["set_at"],
    )  # fmt: skip


def profile_in_force(session: Session) -> PolicyProfile:
    """The profile that applies now; the program's own default where the project has set none."""
    record = policy_in_force(session)
    return PolicyProfile() if record is None else record.profile


def id_in_force(session: Session) -> int:
    """Its number, 0 where none was set: what votes, decisions and exceptions remember."""
    record = policy_in_force(session)
    return 0 if record is None else record.id


def limits_of(session: Session, dataset_id: int) -> Limits:
    """What may be spent on a data set: its own budget, and the caps of the policy where one was set."""
    cap = dataset(session, dataset_id).cap
    record = policy_in_force(session)
    if record is None:
        return Limits.from_cap(cap)
    limits = replace(record.profile.limits(cap), programmes=in_force(session, dataset_id))
    return limits if _frozen(session, dataset_id, record.id) else replace(limits, filtered=False)


def _frozen(session: Session, dataset_id: int, policy_id: int) -> bool:
    """Whether policy and cap are those of the first approval from these data: the filter's order belongs to them.

    After a change only the plain sum is compared with the caps, which holds whatever was changed. What came first is
    read off the journal: a clock can be set back.
    """
    group = together_with(session, dataset_id)
    marks = ", ".join("?" * len(group))
    first = session.row(
        "SELECT ledger.id, decision.policy FROM ledger JOIN decision ON decision.id = ledger.decision "
        f"WHERE ledger.dataset IN ({marks}) ORDER BY ledger.id LIMIT 1",
        group,
    )
    if first is None:
        return True
    caps = session.rows(f"SELECT id FROM cap WHERE dataset IN ({marks})", group)
    spent = entry_of(session, "ledger", int(first["id"])) or 0
    changed = any((entry_of(session, "cap", int(row["id"])) or spent + 1) > spent for row in caps)
    return (first["policy"] or 0) == policy_id and not changed

"""Exceptions: who let a release exceed a cap, up to where, and why. Only people the policy names can grant one."""

from __future__ import annotations

from typing import Any

from workbench.accounting.what_if import WhatIf
from workbench.core.claims import Definition
from workbench.core.errors import Problem, Refused, UserProblem
from workbench.core.people import known_as, same_person
from workbench.core.restore import stored_number
from workbench.policy.judge import Judgement
from workbench.project.file.session import Session, reads_stored
from workbench.project.records import ExceptionRecord, RunRecord
from workbench.project.tables.policies import id_in_force, profile_in_force
from workbench.project.tables.releases import release_row
from workbench.project.tables.runs import latest_run
from workbench.project.tables.standing import approved, judgements, outlook, spent
from workbench.project.tables.voices import authorship


def grant_exception(session: Session, release_id: str, *, actor: str, reason: str) -> ExceptionRecord:
    """Let the latest draw of a release exceed the caps, up to the totals it would reach as the ledger stands now.

    It holds for this draw and this policy only, and no further than the totals that were looked at: where another
    release is approved in between, a new exception is needed.
    """
    if not known_as(actor):
        raise UserProblem("The name of the person who grants the exception is missing", "actor", "Say who grants it")
    if not reason.strip():
        raise UserProblem("An exception needs a reason", "reason", "Say why the release may exceed the cap")
    with session.act("grant exception", subject=release_id, actor=actor, guarded=True) as act:
        release = release_row(session, release_id)
        run, answer, broken = _overspending(session, release, actor)
        row: dict[str, Any] = {
            "release": release["id"], "run": run.id, "policy": id_in_force(session),
            "definition": run.claim.definition.value if run.claim is not None else "",
            "epsilon": str(answer.after), "delta": str(answer.after_delta), "overspend": broken, "reason": reason,
            "granted_by": actor, "granted_at": act.at,
        }  # fmt: skip
        act.note = {"overspend": broken, "reason": reason}
        key = act.insert("exception", row, f"the exception for {release_id}")
    return next(record for record in exceptions(session, release_id) if record.id == key)


def _overspending(session: Session, release: dict[str, Any], actor: str) -> tuple[RunRecord, WhatIf, str]:
    """The run, what it would do to the budget, and which rules it breaks, in words; refused with every reason."""
    code, run = release["code"], latest_run(session, release["code"])
    problems = authorship(session, release, run, actor, "grant an exception for")
    named = profile_in_force(session).review.exceptions_by
    if not any(same_person(actor, name) for name in named):
        problems.append(
            Problem(f"The policy in force does not name {actor} as somebody who may grant exceptions", do=_who(named))
        )
    if run is None or run.claim is None or run.plan_digest != release["plan_digest"]:
        problems.append(Problem(f"{code} has no draw that could be approved", do="Run it first"))
        raise Refused.of(problems)
    answer = approved(session, run, run.claim)
    broken = " ".join(broken_limits(answer, judgements(session, code)))
    if not problems and (spent(session, run) or not broken):
        raise UserProblem(f"{code} breaks no limit, so it needs no exception", do="Decide on it")
    if problems:
        raise Refused.of(problems)
    return run, answer, broken


def _who(named: tuple[str, ...]) -> str:
    return f"Ask {' or '.join(named)}" if named else "The policy names nobody: lower ε, or set another policy"


def broken_limits(answer: WhatIf, judged: tuple[Judgement, ...]) -> list[str]:
    """What an exception would have to cover: the caps on ε and δ, δ against 1/n, a claim that is not formal."""
    over = [] if answer.fits else [answer.sentence]
    return over + [each.finding.sentence for each in judged if each.refuses and each.exceptable]


def standing_exception(session: Session, run: RunRecord) -> ExceptionRecord | None:
    """The exception that an approved run rests on, or that would cover approving it as the ledger stands now."""
    answer = outlook(session, run)
    if answer is None:
        return _used(session, run)
    return covering(session, run, answer)


def _used(session: Session, run: RunRecord) -> ExceptionRecord | None:
    """The exception on which the approval of this very draw rests: it stays visible for good."""
    row = session.row("SELECT exception FROM ledger WHERE run = ? AND exception > 0", (run.id,))
    granted = exceptions(session, run.release_id)
    return None if row is None else next((each for each in granted if each.id == row["exception"]), None)


def covering(session: Session, run: RunRecord, answer: WhatIf) -> ExceptionRecord | None:
    """The exception that covers what approving a run would do now; None where none reaches far enough or is needed.

    Only the very overspend that was looked at is covered: a cap may have been lowered since, and where losses are
    counted across definitions, totals under others may have moved.
    """
    broken = " ".join(broken_limits(answer, judgements(session, run.release_id)))
    if not broken:
        return None

    def covers(each: ExceptionRecord) -> bool:
        if each.stale or each.overspend != broken:
            return False
        return each.epsilon >= answer.after and each.delta >= answer.after_delta

    covering = [each for each in exceptions(session, run.release_id) if covers(each)]
    return covering[-1] if covering else None


@reads_stored
def exceptions(session: Session, release_id: str) -> tuple[ExceptionRecord, ...]:
    """Every exception that was granted for a release, the oldest first."""
    release, run = release_row(session, release_id), latest_run(session, release_id)
    policy = id_in_force(session)
    rows = session.rows("SELECT * FROM exception WHERE release = ? ORDER BY id", (release["id"],))
    return tuple(
        ExceptionRecord(
            id=row["id"], release_id=release_id, run_id=row["run"], policy_id=row["policy"],
            definition=Definition(row["definition"]), epsilon=stored_number(row["epsilon"]),
            delta=stored_number(row["delta"]),
            overspend=row["overspend"], reason=row["reason"], granted_by=row["granted_by"],
            granted_at=row["granted_at"], stale=run is None or row["run"] != run.id or row["policy"] != policy,
        )
        for row in rows
    )  # fmt: skip

"""Votes and decisions: who said what of which draw, what forbids it, and what an approval spends."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from workbench.accounting.what_if import what_if
from workbench.core.errors import Problem, Refused, UserProblem
from workbench.core.findings import Status
from workbench.project.datasets import dataset
from workbench.project.entries import add_entry, ledger
from workbench.project.records import Choice, DecisionRecord, RunRecord, State, VoteRecord
from workbench.project.releases import release_row
from workbench.project.runs import findings, latest_run
from workbench.project.session import Session, reads_stored

_STATES = {Choice.APPROVE: State.APPROVED, Choice.CHANGES: State.CHANGES, Choice.REJECT: State.REJECTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Voice:
    """What somebody wants to say, before any rule was applied."""

    choice: Choice
    reviewer: str
    comment: str


def choice_from(text: str) -> Choice:
    try:
        return Choice(text)
    except ValueError:
        known = ", ".join(f"“{choice.value}”" for choice in Choice)
        raise UserProblem(f"“{text[:40]}” is not a decision", do=f"Say one of {known}") from None


def decide(
    session: Session, release_id: str, *, decision: str, reviewer: str, comment: str, public_comment: str
) -> DecisionRecord:
    """Decide on the latest run. An approval enters its claim in the ledger in the same transaction."""
    voice = _voice(decision, reviewer, comment)
    with session.act("decide", subject=release_id, actor=reviewer) as act:
        release = release_row(session, release_id)
        run = _allowed(session, release, voice)
        _refuse_approval_without_grounds(session, release, run, voice)
        earlier = session.row("SELECT count(*) AS n FROM decision WHERE release = ?", (release["id"],))
        before = int(earlier["n"]) if earlier else 0
        row = {
            "release": release["id"], "number": before + 1, "run": run.id, "plan_digest": run.plan_digest,
            "decision": voice.choice.value, "reviewer": reviewer, "comment": comment,
            "public_comment": public_comment, "supersedes": before, "decided_at": act.at, "policy": 0, "exception": 0,
        }  # fmt: skip
        key = act.insert("decision", row, f"decision {before + 1} of {release_id}")
        changes = {"state": _STATES[voice.choice].value, "changed_at": act.at}
        act.update("release", release["id"], changes, f"release {release_id}")
        if voice.choice is Choice.APPROVE and run.claim is not None and not _spent(session, run):
            ids = {"release": release["id"], "run": run.id, "decision": key}
            add_entry(act, about=dataset(session, run.dataset_id), claim=run.claim, row=ids, code=release_id)
    return decisions(session, release_id)[-1]


def vote(session: Session, release_id: str, *, vote: str, reviewer: str, comment: str) -> VoteRecord:
    """A voice for or against, where more than one reviewer is needed. The latest of each reviewer counts."""
    voice = _voice(vote, reviewer, comment)
    with session.act("vote", subject=release_id, actor=reviewer) as act:
        release = release_row(session, release_id)
        run = _allowed(session, release, voice)
        row = {
            "release": release["id"], "run": run.id, "plan_digest": run.plan_digest, "vote": voice.choice.value,
            "reviewer": reviewer, "comment": comment, "voted_at": act.at, "public_comment": "", "policy": 0,
        }  # fmt: skip
        act.insert("vote", row, f"a vote on {release_id}")
    return votes(session, release_id)[-1]


def _voice(choice: str, reviewer: str, comment: str) -> _Voice:
    if not _known_as(reviewer):
        raise UserProblem("The reviewer's name is missing", "reviewer", "Say who decides")
    return _Voice(choice=choice_from(choice), reviewer=reviewer, comment=comment.strip())


def same_person(one: str, other: str) -> bool:
    """Names are compared as they look: without regard to case, spacing, or how accents are put together."""
    return _known_as(one) == _known_as(other)


def _known_as(name: str) -> str:
    """macOS writes é as two signs where Windows writes one, and signs without width cannot be seen at all."""
    composed = unicodedata.normalize("NFKC", name)
    visible = "".join(sign for sign in composed if unicodedata.category(sign) not in ("Cf", "Cc") or sign.isspace())
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def _allowed(session: Session, release: dict[str, Any], voice: _Voice) -> RunRecord:
    """The run that is judged; all reasons against judging it at once."""
    code, problems = release["code"], []
    run = latest_run(session, code)
    if release["state"] == State.WITHDRAWN.value:
        problems.append(Problem(f"{code} was withdrawn", do="Make a new release"))
    if same_person(voice.reviewer, release["preparer"]):
        problems.append(Problem(f"{voice.reviewer} prepared {code} and cannot review it", do="Ask somebody else"))
    elif run is not None and same_person(voice.reviewer, run.run_by):
        problems.append(
            Problem(f"{voice.reviewer} drew the values of {code} and cannot review them", do="Ask somebody else")
        )
    elif run is not None and _wrote_the_plan(session, release, run, voice.reviewer):
        problems.append(Problem(f"{voice.reviewer} wrote the plan of {code} and cannot review it", do="Ask another"))
    if run is None:
        problems.append(Problem(f"{code} has not been run", do="Run it first, then decide"))
    elif run.plan_digest != release["plan_digest"]:
        problems.append(Problem(f"The plan of {code} changed after its latest run", do="Run it again, then decide"))
    if voice.choice is Choice.CHANGES and not voice.comment:
        problems.append(Problem("Requesting changes needs a comment", do="Say what has to change"))
    if problems or run is None:
        raise Refused.of(problems)
    return run


def _wrote_the_plan(session: Session, release: dict[str, Any], run: RunRecord, reviewer: str) -> bool:
    """True where the reviewer saved the very plan that was run: an author by another way than preparing it."""
    rows = session.rows(
        "SELECT saved_by FROM plan WHERE release = ? AND digest = ?", (release["id"], run.plan_digest)
    )  # fmt: skip
    return any(same_person(reviewer, str(row["saved_by"])) for row in rows)


def _refuse_approval_without_grounds(
    session: Session, release: dict[str, Any], run: RunRecord, voice: _Voice
) -> None:  # fmt: skip
    if voice.choice is not Choice.APPROVE:
        return
    code, problems = release["code"], []
    if release["state"] == State.APPROVED.value:
        problems.append(Problem(f"{code} is approved already"))
    if any(finding.status is Status.FAIL for finding in findings(session, run.id)) and not voice.comment:
        problems.append(Problem(f"A check of {code} failed", do="Say in a comment why it can be approved all the same"))
    if _approvers(session, run, voice.reviewer) < release["reviewers_needed"]:
        needed = release["reviewers_needed"]
        problems.append(Problem(f"{code} needs {needed} approving reviewers", do="Ask another reviewer to vote first"))
    problems.extend(_budget_problems(session, code, run))
    if problems:
        raise Refused.of(problems)


def _budget_problems(session: Session, code: str, run: RunRecord) -> list[Problem]:
    if run.claim is None:
        return [Problem(f"The latest run of {code} states no claim, so the ledger cannot count it", do="Run it again")]
    about = dataset(session, run.dataset_id)
    if _spent(session, run):
        return []
    answer = what_if(ledger(session, about.id), run.claim, about.cap)
    return [] if answer.fits else [Problem(answer.sentence, code, "Lower ε, or raise the cap with a reason")]


def _spent(session: Session, run: RunRecord) -> bool:
    """True where this very draw was approved before: published once more, it costs nothing more."""
    return session.row("SELECT 1 FROM ledger WHERE run = ?", (run.id,)) is not None


def _approvers(session: Session, run: RunRecord, decider: str) -> int:
    """How many different people approve of this run: the decider, and whoever's latest vote says so."""
    latest: dict[str, str] = {}
    for row in session.rows("SELECT reviewer, vote FROM vote WHERE run = ? ORDER BY id", (run.id,)):
        latest[_known_as(str(row["reviewer"]))] = row["vote"]
    latest[_known_as(decider)] = Choice.APPROVE.value
    return sum(voice == Choice.APPROVE.value for voice in latest.values())


@reads_stored
def decisions(session: Session, release_id: str) -> tuple[DecisionRecord, ...]:
    """Every decision on a release, the oldest first."""
    release, run = release_row(session, release_id), latest_run(session, release_id)
    rows = session.rows("SELECT * FROM decision WHERE release = ? ORDER BY number", (release["id"],))
    return tuple(
        DecisionRecord(
            id=row["id"], release_id=release_id, number=row["number"], run_id=row["run"],
            plan_digest=row["plan_digest"], decision=Choice(row["decision"]), reviewer=row["reviewer"],
            comment=row["comment"], public_comment=row["public_comment"], supersedes=row["supersedes"],
            decided_at=row["decided_at"], stale=_stale(row, release, run),
        )
        for row in rows
    )  # fmt: skip


@reads_stored
def votes(session: Session, release_id: str) -> tuple[VoteRecord, ...]:
    """Every vote on a release, the oldest first."""
    release, run = release_row(session, release_id), latest_run(session, release_id)
    rows = session.rows("SELECT * FROM vote WHERE release = ? ORDER BY id", (release["id"],))
    return tuple(
        VoteRecord(
            id=row["id"], release_id=release_id, run_id=row["run"], vote=Choice(row["vote"]),
            reviewer=row["reviewer"], comment=row["comment"], voted_at=row["voted_at"],
            stale=_stale(row, release, run),
        )
        for row in rows
    )  # fmt: skip


def _stale(row: dict[str, Any], release: dict[str, Any], run: RunRecord | None) -> bool:
    return row["plan_digest"] != release["plan_digest"] or run is None or row["run"] != run.id

"""Everything that was said of a release: votes, decisions and exceptions, with their signatures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.core.errors import Problem
from workbench.core.findings import Finding, Status
from workbench.core.local_time import local_minute
from workbench.core.states import Verdict
from workbench.project.records import DecisionRecord, ExceptionRecord, VoteRecord
from workbench.project.tables.voices import without_comment
from workbench.review.decide.desk import Desk
from workbench.review.session import ReviewSession

_DECIDED = {Verdict.APPROVE: "approved", Verdict.CHANGES: "requested changes", Verdict.REJECT: "rejected"}
_VOTED = {Verdict.APPROVE: "approve", Verdict.CHANGES: "request changes", Verdict.REJECT: "reject"}
_STATUS = {Verdict.APPROVE: Status.PASS, Verdict.CHANGES: Status.WARN, Verdict.REJECT: Status.FAIL}


def voices_of(desk: Desk) -> tuple[Finding, ...]:
    """Everything that was said of a release, the latest first, in the form in which lists show findings."""
    said = [*_votes(desk), *_decisions(desk), *_exceptions(desk)]
    return tuple(voice for _when, voice in sorted(said, key=lambda pair: pair[0], reverse=True))


def _votes(desk: Desk) -> Iterator[tuple[str, Finding]]:
    for vote in desk.votes:
        said = "has voted" if vote.vote is None else f"votes: {_VOTED[vote.vote]}"
        status = Status.INFO if vote.vote is None or vote.stale else _STATUS[vote.vote]
        hidden = "shown once all reviewers, including you, have voted" if vote.hidden else ""
        stale = "out of date: plan, draw or policy has changed" if vote.stale else ""
        made = _voice(desk, "vote", vote, f"{vote.reviewer} {said}", status)
        yield vote.voted_at, _with(made, vote.voted_at, hidden, stale, _comments(vote))


def _decisions(desk: Desk) -> Iterator[tuple[str, Finding]]:
    last = desk.decisions[-1].number if desk.decisions else 0
    for decision in desk.decisions:
        superseded = f"superseded by decision {decision.number + 1}" if decision.number < last else ""
        stale = "out of date: plan or draw has changed" if decision.stale and not superseded else ""
        status = Status.INFO if superseded or stale else _STATUS[decision.decision]
        title = f"Decision {decision.number}: {decision.reviewer} {_DECIDED[decision.decision]}"
        policy = f"under {decision.policy}" if decision.policy else ""
        made = _voice(desk, "decision", decision, title, status)
        yield decision.decided_at, _with(made, decision.decided_at, superseded, stale, policy, _comments(decision))


def _exceptions(desk: Desk) -> Iterator[tuple[str, Finding]]:
    for each in desk.exceptions:
        stale = "out of date: draw or policy has changed" if each.stale else ""
        made = _voice(desk, "exception", each, f"{each.granted_by} granted an exception", Status.WARN)
        yield each.granted_at, _with(made, each.granted_at, stale, each.overspend.rstrip("."), each.reason)


def _voice(
    desk: Desk, kind: str, record: VoteRecord | DecisionRecord | ExceptionRecord, title: str, status: Status
) -> Finding:  # fmt: skip
    """The title, and whether it is signed; a signature that does not hold outweighs what was said."""
    signature = desk.signatures.get((kind, record.id))
    if signature is None:
        return Finding(id=f"{kind}-{record.id}", title=title, status=status, sentence="not signed")
    sealed = f"signed by {signature.name} ({signature.fingerprint})"
    if signature.holds:
        return Finding(id=f"{kind}-{record.id}", title=title, status=status, sentence=f"{sealed}, verified")
    said = f"{sealed}, but the signature {signature.words}"
    return Finding(id=f"{kind}-{record.id}", title=title, status=Status.FAIL, sentence=said)


def _with(voice: Finding, when: str, *more: str) -> Finding:
    parts = (local_minute(when), voice.sentence, *more)
    return replace(voice, sentence=" · ".join(part for part in parts if part))


def _comments(record: VoteRecord | DecisionRecord) -> str:
    public = f"public: “{record.public_comment}”" if record.public_comment else ""
    own = f"“{record.comment}”" if record.comment else ""
    return " · ".join(part for part in (own, public) if part)


def missing_reason(session: ReviewSession, choice: Verdict, comment: str) -> Problem | None:
    """What must be said in the comment before anything is recorded; a key need not be unlocked to see that."""
    missing = without_comment(choice, comment)
    failed = session.evidence is not None and any(each.status is Status.FAIL for each in session.evidence.findings)
    if choice is Verdict.APPROVE and failed and not comment.strip():
        do = "Say in a comment why it can be approved all the same"
        missing.append(Problem(f"A check of {session.release_id} failed", do=do))
    return missing[0] if missing else None

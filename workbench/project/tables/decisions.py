"""Decisions: who said what of which draw, what forbids it, and what an approval spends."""

from __future__ import annotations

import json
from typing import Any

from workbench.core.errors import Problem, Refused
from workbench.core.findings import Status
from workbench.core.people import could_be_one, known_as, looks
from workbench.core.states import ReleaseState, Verdict
from workbench.policy.judge import confirmations, declarations
from workbench.policy.profile import Severity
from workbench.project.file.session import Session, reads_stored
from workbench.project.records import DecisionRecord, ExceptionRecord, RunRecord
from workbench.project.tables.ledger_rows import add_entries
from workbench.project.tables.policies import id_in_force, policies, profile_in_force
from workbench.project.tables.releases import release_row, words_of
from workbench.project.tables.runs import findings, latest_run
from workbench.project.tables.shared_people import together_with
from workbench.project.tables.standing import approved, judgements, outlook, spent
from workbench.project.tables.voices import Voice, judged_run, later_than_run, voice_of
from workbench.project.tables.votes import latest_votes, needed, voting
from workbench.project.tables.waivers import broken_limits, covering


def decide(
    session: Session, release_id: str, *, decision: str, reviewer: str, comment: str = "", public_comment: str = "",
    declares: bool = False,
) -> DecisionRecord:  # fmt: skip
    """Decide on the latest run. An approval enters its claim in the ledger in the same transaction.

    `declares`: its maker declares what the claim stands on and no program can see; the sentences are stored with it.
    """
    voice = voice_of(decision, reviewer, comment)
    with session.act("decide", subject=release_id, actor=reviewer, guarded=True) as act:
        release = release_row(session, release_id)
        run = judged_run(session, release, voice)
        _refuse_before_all_have_voted(session, release, voice)
        exception = _refuse_approval_without_grounds(session, release, run, voice, declares=declares)
        earlier = session.row("SELECT count(*) AS n FROM decision WHERE release = ?", (release["id"],))
        before = int(earlier["n"]) if earlier else 0
        row = {
            "release": release["id"], "number": before + 1, "run": run.id, "plan_digest": run.plan_digest,
            "decision": voice.choice.value, "reviewer": reviewer, "comment": comment,
            "public_comment": public_comment, "supersedes": before, "decided_at": act.at,
            "policy": id_in_force(session), "exception": exception.id if exception is not None else 0,
            "words": words_of(release),
            "declared": json.dumps(to_declare(session, run) if declares and voice.choice is Verdict.APPROVE else ()),
        }  # fmt: skip
        key = act.insert("decision", row, f"decision {before + 1} of {release_id}")
        changes = {"state": voice.choice.leads_to.value, "changed_at": act.at}
        act.update("release", release["id"], changes, f"release {release_id}")
        if voice.choice is Verdict.APPROVE and run.claim is not None and not spent(session, run):
            ids = {"release": release["id"], "run": run.id, "decision": key}
            add_entries(session, act, run=run, claim=run.claim, row=ids, exception=exception)
    return decisions(session, release_id)[-1]


def _refuse_before_all_have_voted(session: Session, release: dict[str, Any], voice: Voice) -> None:
    """Where votes are blinded a decision would show what its maker thinks: first everybody votes, the maker too."""
    code, standing = release["code"], voting(session, release["code"])
    if not standing.blinded or release["state"] == ReleaseState.APPROVED.value:
        return
    problems = []
    if len(standing.voted) < standing.needed:
        said = f"Votes on {code} are blinded and {len(standing.voted)} of {standing.needed} reviewers have voted"
        problems.append(Problem(said, do="Wait for all votes, then decide"))
    if known_as(voice.reviewer) not in {known_as(name) for name in standing.voted}:
        problems.append(Problem(f"{voice.reviewer} has not voted on {code}", do="Vote first, then decide"))
    if problems:
        raise Refused.of(problems)


def against_approval(session: Session, release_id: str, reviewer: str) -> tuple[Problem, ...]:
    """Why an approval by this reviewer would be refused now, whatever the comment; empty where it would not."""
    voice = Voice(choice=Verdict.APPROVE, reviewer=reviewer, comment="a comment")
    release = release_row(session, release_id)
    try:
        run = judged_run(session, release, voice)
        _refuse_before_all_have_voted(session, release, voice)
        _refuse_approval_without_grounds(session, release, run, voice, declares=True)
    except Refused as refused:
        return refused.problems
    return ()


def _refuse_approval_without_grounds(
    session: Session, release: dict[str, Any], run: RunRecord, voice: Voice, *, declares: bool
) -> ExceptionRecord | None:  # fmt: skip
    """Every reason against an approval at once; returns the exception it rests on, if any."""
    if voice.choice is not Verdict.APPROVE:
        return None
    code, problems = release["code"], []
    if release["state"] == ReleaseState.APPROVED.value:
        problems.append(Problem(f"{code} is approved already"))
    if any(finding.status is Status.FAIL for finding in findings(session, run.id)) and not voice.comment:
        problems.append(Problem(f"A check of {code} failed", do="Explain in a comment why it can still be approved"))
    problems.extend(_vote_problems(session, release, run, voice))
    problems.extend(_rule_problems(session, code, run, voice))
    judged = judgements(session, code)
    problems.extend(each.problem(code) for each in judged if each.refuses and not each.exceptable)
    asked = profile_in_force(session).evidence.declarations is Severity.REFUSE
    if not declares and (asked or to_confirm(session, run)):
        said = f"An approval of {code} declares that {'; and that '.join(to_declare(session, run))}"
        problems.append(Problem(said, code, "Declare it, or request changes"))
    exception, over = _limit_problems(session, run)
    problems.extend(over)
    if problems:
        raise Refused.of(problems)
    return exception


def to_declare(session: Session, run: RunRecord) -> tuple[str, ...]:
    """What whoever approves a run declares: what its claim stands on, where no bound would be left, what was read."""
    answer = outlook(session, run)
    return (*declarations(run.claim, answer.unbounded if answer is not None else ()), *to_confirm(session, run))


def to_confirm(session: Session, run: RunRecord) -> tuple[str, ...]:
    """What everybody who votes for a run confirms."""
    return confirmations(findings(session, run.id))


def _vote_problems(session: Session, release: dict[str, Any], run: RunRecord, voice: Voice) -> list[Problem]:
    """Enough different people must approve of this run: the decider, and whoever's latest vote says so."""
    code, asked = release["code"], needed(session, release)
    latest = {**latest_votes(session, release, run), looks(voice.reviewer): Verdict.APPROVE}
    problems = []
    if sum(said is Verdict.APPROVE for said in latest.values()) < asked:
        problems.append(Problem(f"{code} needs {asked} approving reviewers", do="Ask another reviewer to vote first"))
    if profile_in_force(session).review.unanimous and any(said is not Verdict.APPROVE for said in latest.values()):
        problems.append(
            Problem(
                f"A reviewer's latest vote is against {code}",
                do="The policy requires unanimity. Correct what they object to, or ask them to vote again",
            )
        )
    return problems


def _rule_problems(session: Session, code: str, run: RunRecord, voice: Voice) -> list[Problem]:
    """Nobody approves under rules that they changed after the draw lay before them: not the policy, not the budget,
    nor whether other data hold the same people."""
    group = together_with(session, run.dataset_id)
    marks = ", ".join("?" * len(group))
    rules: tuple[tuple[str, str, str, tuple[int, ...]], ...] = (
        ("policy", "policy", "1 = 1", ()),
        ("budget", "cap", f"dataset IN ({marks})", group),
        ("data that it shares a budget with", "separation", "?1 IN (dataset, other)", (run.dataset_id,)),
    )
    changed = []
    for what, table, where, values in rules:
        row = session.row(f"SELECT id, set_by FROM {table} WHERE {where} ORDER BY id DESC LIMIT 1", values)
        if row is not None and could_be_one(voice.reviewer, str(row["set_by"])):
            changed += [what] if later_than_run(session, table, int(row["id"]), run) else []
    return [
        Problem(f"{voice.reviewer} changed the {what} after {code} was drawn and cannot approve it", do="Ask another")
        for what in changed
    ]


def _limit_problems(session: Session, run: RunRecord) -> tuple[ExceptionRecord | None, list[Problem]]:
    """What the approval would exceed, and the exception that covers it where one was granted."""
    code = run.release_id
    if run.claim is None:
        said = f"The latest run of {code} states no claim, so the ledger cannot count it"
        return None, [Problem(said, do="Run it again")]
    if spent(session, run):
        return None, []
    answer = approved(session, run, run.claim)
    broken = broken_limits(answer, judgements(session, code))
    exception = covering(session, run, answer) if broken else None
    if not broken or exception is not None:
        return exception, []
    named = profile_in_force(session).review.exceptions_by
    way = f", or ask {' or '.join(named)} for an exception" if named else ""
    return None, [Problem(said, code, f"Lower ε or δ, or raise the cap with a reason{way}") for said in broken]


@reads_stored
def decisions(session: Session, release_id: str) -> tuple[DecisionRecord, ...]:
    """Every decision on a release, the oldest first."""
    release, run = release_row(session, release_id), latest_run(session, release_id)
    rows = session.rows("SELECT * FROM decision WHERE release = ? ORDER BY number", (release["id"],))
    titles = {record.id: record.profile.title for record in policies(session)}
    return tuple(
        DecisionRecord(
            id=row["id"], release_id=release_id, number=row["number"], run_id=row["run"],
            plan_digest=row["plan_digest"], decision=Verdict(row["decision"]), reviewer=row["reviewer"],
            comment=row["comment"], public_comment=row["public_comment"], supersedes=row["supersedes"],
            decided_at=row["decided_at"], stale=_stale(row, release, run), policy_id=row["policy"] or 0,
            policy=titles.get(row["policy"] or 0, ""), exception_id=row["exception"] or 0,
            declared=tuple(json.loads(row["declared"] or "[]")),
        )
        for row in rows
    )  # fmt: skip


def _stale(row: dict[str, Any], release: dict[str, Any], run: RunRecord | None) -> bool:
    return row["plan_digest"] != release["plan_digest"] or run is None or row["run"] != run.id

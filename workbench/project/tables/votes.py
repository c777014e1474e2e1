"""Votes: what each reviewer says of the latest draw, and who may see it when the policy wants votes blinded.

A blinded vote shows what it says to nobody but the voter until a decision has been made on that draw, or until as many
as are needed have voted and the viewer is one of them. The program goes by the names people give; whoever can read the
file with other tools can read what is in it.
"""

from __future__ import annotations

from typing import Any

from workbench.core.errors import Refused
from workbench.core.people import known_as, same_person
from workbench.core.states import Verdict
from workbench.policy.judge import confirmations
from workbench.project.file.session import Session, reads_stored
from workbench.project.history.vote_order import standing_votes
from workbench.project.records import RunRecord, VoteRecord, VotingRecord
from workbench.project.tables.policies import id_in_force, policies, profile_in_force
from workbench.project.tables.releases import release_row, words_of
from workbench.project.tables.runs import findings, latest_run
from workbench.project.tables.voices import Voice, judged_run, voice_of


def vote(
    session: Session, release_id: str, *, vote: str, reviewer: str, comment: str = "", public_comment: str = "",
    declares: bool = False,
) -> VoteRecord:  # fmt: skip
    """A voice for or against, where more than one reviewer is needed. The latest of each reviewer counts.

    `declares`: the voter has read the findings that must be confirmed; the words stand in the comment, which is signed.
    """
    voice = voice_of(vote, reviewer, comment)
    with session.act("vote", subject=release_id, actor=reviewer, guarded=True) as act:
        release = release_row(session, release_id)
        run = judged_run(session, release, voice)
        row = {
            "release": release["id"], "run": run.id, "plan_digest": run.plan_digest, "vote": voice.choice.value,
            "reviewer": reviewer, "comment": _confirmed(session, run, voice, declares=declares), "voted_at": act.at,
            "public_comment": public_comment,
            "policy": id_in_force(session), "words": words_of(release),
        }  # fmt: skip
        act.insert("vote", row, f"a vote on {release_id}")
    return votes(session, release_id, viewer=reviewer)[-1]


def _confirmed(session: Session, run: RunRecord, voice: Voice, *, declares: bool) -> str:
    """The comment of a vote, with what its maker confirms. Refused where a vote for the release does not confirm it."""
    confirmed = confirmations(findings(session, run.id))
    if voice.choice is not Verdict.APPROVE or not confirmed:
        return voice.comment
    said = "; and that ".join(confirmed)
    if not declares:
        code = run.release_id
        raise Refused(f"A vote for {code} confirms that {said}", code, "Confirm it, or vote against the release")
    return f"{voice.comment} Confirmed: {said}.".strip()


def needed(session: Session, release: dict[str, Any]) -> int:
    """How many reviewers: what the policy asks, or the release itself where that is more."""
    return max(int(release["reviewers_needed"]), profile_in_force(session).review.reviewers)


def latest_votes(session: Session, release: dict[str, Any], run: RunRecord) -> dict[str, Verdict]:
    """What everybody's latest vote on a run says, under the policy in force. Never shown as it is: see `votes`."""
    return standing_votes(session, _standing(session, release, run))


def _standing(session: Session, release: dict[str, Any], run: RunRecord) -> list[dict[str, Any]]:
    """The votes on a run as it would be published now: under the policy in force, and on the words as they are."""
    return session.rows(
        "SELECT id, reviewer, vote FROM vote WHERE run = ? AND coalesce(policy, 0) = ? AND coalesce(words, ?3) = ?3"
        " ORDER BY id",
        (run.id, id_in_force(session), words_of(release)),
    )


@reads_stored
def voting(session: Session, release_id: str) -> VotingRecord:
    """Who has voted on the draw that waits for a decision, and how many are needed; not what they said."""
    release, run = release_row(session, release_id), latest_run(session, release_id)
    names: dict[str, str] = {}
    if run is not None and run.plan_digest == release["plan_digest"]:
        for row in _standing(session, release, run):
            names.setdefault(known_as(str(row["reviewer"])), str(row["reviewer"]))
    return VotingRecord(
        needed=needed(session, release), voted=tuple(names.values()),
        blinded=profile_in_force(session).review.blinded,
    )  # fmt: skip


@reads_stored
def votes(session: Session, release_id: str, *, viewer: str = "") -> tuple[VoteRecord, ...]:
    """Every vote on a release, the oldest first, as `viewer` (by default whoever opened the project) may see them."""
    viewer = viewer or session.person
    release, run = release_row(session, release_id), latest_run(session, release_id)
    rows = session.rows("SELECT * FROM vote WHERE release = ? ORDER BY id", (release["id"],))
    policy = id_in_force(session)
    return tuple(
        _record(row, release_id, hidden=hidden, stale=_stale(row, release, run, policy))
        for row, hidden in zip(rows, _hidden(session, release, rows, viewer), strict=True)
    )


def _record(row: dict[str, Any], release_id: str, *, hidden: bool, stale: bool) -> VoteRecord:
    return VoteRecord(
        id=row["id"], release_id=release_id, run_id=row["run"], vote=None if hidden else Verdict(row["vote"]),
        reviewer=row["reviewer"], comment="" if hidden else row["comment"],
        public_comment="" if hidden else row["public_comment"] or "", voted_at=row["voted_at"],
        policy_id=row["policy"] or 0, stale=stale, hidden=hidden,
    )  # fmt: skip


def _hidden(session: Session, release: dict[str, Any], rows: list[dict[str, Any]], viewer: str) -> list[bool]:
    blinded = {record.id: record.profile.review for record in policies(session) if record.profile.review.blinded}
    decided = {row["run"] for row in session.rows("SELECT run FROM decision WHERE release = ?", (release["id"],))}
    voters: dict[tuple[int, int, str], set[str]] = {}
    for row in rows:
        voters.setdefault(_round(row), set()).add(known_as(str(row["reviewer"])))

    def hides(row: dict[str, Any]) -> bool:
        rules = blinded.get(row["policy"] or 0)
        if rules is None or row["run"] in decided or same_person(viewer, str(row["reviewer"])):
            return False
        round_ = voters[_round(row)]
        complete = len(round_) >= max(rules.reviewers, int(release["reviewers_needed"]))
        return not (complete and known_as(viewer) in round_)

    return [hides(row) for row in rows]


def _stale(row: dict[str, Any], release: dict[str, Any], run: RunRecord | None, policy: int) -> bool:
    """Another plan, draw or policy, or other words beside the table: what was said was said of something else."""
    same = row["plan_digest"] == release["plan_digest"] and run is not None and row["run"] == run.id
    return not same or (row["policy"] or 0) != policy or (row["words"] or words_of(release)) != words_of(release)


def _round(row: dict[str, Any]) -> tuple[int, int, str]:
    """Votes that are counted together: on one draw, under one policy, on the same words."""
    return int(row["run"]), int(row["policy"] or 0), str(row["words"] or "")

"""What lies on a reviewer's desk: the policy, who has voted, what they said as far as one may see it, signatures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.core.people import known_as, same_person
from workbench.core.states import Verdict
from workbench.policy.profile import PolicyProfile
from workbench.project.records import DecisionRecord, ExceptionRecord, VoteRecord, VotingRecord
from workbench.review.snapshot import one_snapshot
from workbench.review.views import Budget
from workbench.review.workspace import Workspace

if TYPE_CHECKING:
    from workbench.project.signing.signatures import SignatureRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A release before its decision, as `viewer` may see it. `policy` is empty where the project never set one."""

    release_id: str
    viewer: str
    policy: str
    profile: PolicyProfile
    voting: VotingRecord
    votes: tuple[VoteRecord, ...]
    decisions: tuple[DecisionRecord, ...]
    exceptions: tuple[ExceptionRecord, ...]
    signatures: Mapping[tuple[str, int], SignatureRecord] = field(default_factory=dict)
    must_sign: bool = False
    too_close: str = ""  # why the viewer had too much of a hand in the release to speak of it
    against: tuple[str, ...] = ()  # why an approval by the viewer would be refused, whatever the comment

    @property
    def has_voted(self) -> bool:
        return known_as(self.viewer) in {known_as(name) for name in self.voting.voted}

    @property
    def several(self) -> bool:
        """True where one person's word is not enough: then people vote before somebody decides."""
        return self.voting.needed > 1 or self.voting.blinded

    @property
    def can_decide(self) -> bool:
        """True where a decision would not be refused for want of votes alone."""
        if not self.several:
            return True
        if self.voting.blinded:
            return self.voting.complete and self.has_voted
        return len({known_as(name) for name in (*self.voting.voted, self.viewer)}) >= self.voting.needed

    @property
    def may_except(self) -> bool:
        return any(same_person(self.viewer, name) for name in self.profile.review.exceptions_by)

    def standing_votes(self) -> tuple[VoteRecord, ...]:
        """Everybody's latest vote on the draw as it is, as far as it may be seen."""
        latest = {known_as(vote.reviewer): vote for vote in self.votes if not vote.stale}
        return tuple(latest.values())

    def tally(self) -> str:
        """'2 approve, 1 rejects', or who has voted where what they said is hidden."""
        seen = [vote.vote for vote in self.standing_votes() if vote.vote is not None]
        if len(seen) < len(self.voting.voted) or not seen:
            return ""
        words = {
            Verdict.APPROVE: ("approves", "approve"),
            Verdict.CHANGES: ("requests changes", "request changes"),
            Verdict.REJECT: ("rejects", "reject"),
        }
        counts = ((choice, sum(said is choice for said in seen)) for choice in words)
        return ", ".join(f"{count} {words[choice][count > 1]}" for choice, count in counts if count)


@one_snapshot
def desk_of(workspace: Workspace, release_id: str, *, viewer: str) -> Desk:
    """Read on the thread that owns the project file."""
    project = workspace.project
    policy = project.policy()
    return Desk(
        release_id=release_id,
        viewer=viewer,
        policy=policy.profile.title if policy is not None else "",
        profile=project.profile(),
        voting=project.voting(release_id),
        votes=project.votes(release_id, viewer=viewer),
        decisions=project.decisions(release_id),
        exceptions=project.exceptions(release_id),
        signatures={(each.kind, each.subject): each for each in project.signatures()},
        must_sign=project.signature_expected(viewer),
        too_close=" ".join(problem.sentence() for problem in project.too_close(release_id, viewer)),
        against=tuple(problem.sentence() for problem in project.against_approval(release_id, viewer)),
    )


def overspends(budget: Budget | None) -> str:
    """Which limit an approval would break, in words; empty where it breaks none or has leave to."""
    if budget is None or budget.what_if is None or budget.exception is not None:
        return ""
    over = [] if budget.what_if.fits else [budget.what_if.sentence]
    return " ".join(over + [finding.sentence for finding in budget.judged if finding.id in budget.exceptable])

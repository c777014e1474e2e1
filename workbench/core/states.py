"""Where a release stands and what a reviewer can say: words that project, window, command line and report share."""

from __future__ import annotations

from enum import StrEnum


class ReleaseState(StrEnum):
    """A project file stores every state but IN_REVIEW: a draft whose plan was drawn as it stands is in review."""

    DRAFT = "draft"
    IN_REVIEW = "in review"
    CHANGES = "changes requested"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"

    @property
    def closed(self) -> bool:
        """What was approved stays as it was approved, and what was withdrawn stays withdrawn."""
        return self in (ReleaseState.APPROVED, ReleaseState.WITHDRAWN)


class Verdict(StrEnum):
    """What a reviewer can say, as a vote or as the decision."""

    APPROVE = "approve"
    CHANGES = "request changes"
    REJECT = "reject"

    @property
    def leads_to(self) -> ReleaseState:
        """Where it leaves the release, said as the decision."""
        return _AFTER[self]


_AFTER = {
    Verdict.APPROVE: ReleaseState.APPROVED,
    Verdict.CHANGES: ReleaseState.CHANGES,
    Verdict.REJECT: ReleaseState.REJECTED,
}

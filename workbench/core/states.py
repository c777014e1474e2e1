"""Where a release stands, in one word that project file, window, command line and report share."""

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

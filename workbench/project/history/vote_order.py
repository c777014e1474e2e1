"""Which of a reviewer's votes is the latest. Entries of the journal tell, never the clock.

Votes given here follow each other as their entries do. A vote that a merge brought was given after the entry at which
the copies parted and before the merge: beside a vote given here in between, nothing says which came first. Then the one
against counts, until the reviewer votes again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.people import looks
from workbench.core.states import Verdict
from workbench.project.file.session import Session
from workbench.project.history.journal import seals_in
from workbench.project.history.merged_history import FIELDS, MERGE
from workbench.project.history.places import entry_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A vote's place: known to be after entry `after`, stored by entry `entry` as its `order`-th vote."""

    after: int
    entry: int
    order: int
    merged_twice: bool = False  # came to the other copy by a merge there

    def precedes(self, other: Given) -> bool:
        """True where the other is known to be later."""
        if self.entry == other.entry:
            return self.order < other.order and not (self.merged_twice or other.merged_twice)
        return self.entry <= other.after


def standing_votes(session: Session, votes: Sequence[Mapping[str, Any]]) -> dict[str, Verdict]:
    """What each reviewer says, by what is left of their name at a glance: a second spelling is no second voice."""
    placed = [(looks(str(vote["reviewer"])), Verdict(vote["vote"]), _given(session, vote)) for vote in votes]
    said: dict[str, Verdict] = {}
    for name in dict.fromkeys(name for name, _, _ in placed):
        own = [(verdict, at) for who, verdict, at in placed if who == name]
        latest = [verdict for verdict, at in own if not any(at.precedes(other) for _, other in own)]
        said[name] = next((verdict for verdict in latest if verdict is not Verdict.APPROVE), Verdict.APPROVE)
    return said


def _given(session: Session, vote: Mapping[str, Any]) -> Given:
    entry = entry_of(session, "vote", int(vote["id"])) or 0
    row = session.row("SELECT action, payload FROM journal WHERE seq = ?", (entry,))
    if row is None or row["action"] != MERGE:
        return Given(after=entry - 1, entry=entry, order=int(vote["id"]))
    note = json.loads(row["payload"]).get("note", {})
    twice = _merges(note.get("entries", ()))
    return Given(after=int(note.get("fork", 0)), entry=entry, order=int(vote["id"]), merged_twice=twice)


def _merges(entries: Sequence[Sequence[Any]]) -> bool:
    """True where the other copy had itself merged votes since the copies parted."""
    brought = (dict(zip(FIELDS, entry, strict=False)) for entry in entries)
    return any(
        each.get("action") == MERGE and any(seal.table == "vote" for seal in seals_in(str(each["payload"])))
        for each in brought
    )

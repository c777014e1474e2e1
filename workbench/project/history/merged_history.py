"""What a merge's journal entry carries: the other copy's own entries, so that signatures that stand on them hold here.

They count as history only where they are what a merge may bring: votes, keys, and merges of the same kind, whose
entries are carried inside. And every vote they tell of must be here. Without that, whoever rewrites the journal could
put the one that was signed into a merge and leave out what it says: a vote against, a decision, what was spent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.project.history.journal import Stored, row_digest, seals_in

if TYPE_CHECKING:
    from workbench.project.file.session import Session

MERGE = "merge"
FIELDS = ("seq", "at", "actor", "action", "subject", "payload", "previous", "hash")
VOTING = ("vote", "enrol key", "vouch key", "rotate key", MERGE)  # what the other copy may have done on its own
QUIET = ("encrypt", "decrypt", "change passphrase", "migrate")  # touches the file, not what it says

Entry = dict[str, Any]


def only_votes(entry: Mapping[str, Any]) -> bool:
    """True where a merge may bring this entry of the other copy along."""
    quiet = entry["action"] in QUIET and not seals_in(str(entry["payload"]))
    return entry["action"] in VOTING or quiet


def carried(payload: str) -> Iterator[Entry]:
    """The other copy's entries in their order, each merge of its own after what that one carries."""
    for entry in _listed(payload):
        if entry["action"] == MERGE:
            yield from carried(str(entry["payload"]))
        yield entry


def _listed(payload: str) -> list[Entry]:
    """None where the entry carries nothing of the kind."""
    try:
        brought = json.loads(payload)["note"]["entries"]
        return [dict(zip(FIELDS, entry, strict=True)) for entry in brought]
    except (ValueError, KeyError, TypeError):
        return []


def carried_problems(seq: int, entries: Sequence[Entry], votes: Sequence[Mapping[str, Stored]]) -> Iterator[str]:
    """What keeps the entries that journal entry `seq` carries from being the history of these votes."""
    more = next((str(entry["action"]) for entry in entries if not only_votes(entry)), "")
    if more:
        yield f"the merge in journal entry {seq} carries more than votes: “{more[:40]}”"
    told = [seal for entry in entries for seal in seals_in(str(entry["payload"])) if seal.table == "vote"]
    missing = sum(
        all(row_digest("vote", {**vote, "id": seal.key}) != seal.digest for vote in votes) for seal in told
    )  # fmt: skip
    if missing:
        yield f"the merge in journal entry {seq} left out {missing} of the other copy's votes"


def leads_on_from(session: Session, entry: int, digest: str) -> bool:
    """True where the journal holds this entry with this hash: as its own, or as one that a merge brought along."""
    own = session.row("SELECT hash FROM journal WHERE seq = ?", (entry,))
    if own is not None and own["hash"] == digest:
        return True
    merges = session.rows("SELECT payload FROM journal WHERE action = ?", (MERGE,))
    return any(each["hash"] == digest for row in merges for each in carried(str(row["payload"])))

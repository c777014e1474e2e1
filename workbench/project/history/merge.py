"""Votes that reviewers gave in their own copies of a project, brought together in one file.

Only votes travel (with the keys that sign them). Both files must be copies of the same project, each must verify, and
since they parted the other copy may hold nothing but votes: whatever else was done there is named and refused. The
other copy's journal entries are kept in the merge's own entry, so that signatures that stand on them stay checkable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.errors import Problem, Refused, UserProblem
from workbench.core.passphrase import Passphrase
from workbench.core.plain import canonical
from workbench.project.file.action import Action
from workbench.project.file.opening import open_session
from workbench.project.file.session import Session
from workbench.project.history.journal import seals_in
from workbench.project.history.merge_checks import refuse_votes_of_authors, refuse_votes_without_standing
from workbench.project.history.merged_history import FIELDS, MERGE, only_votes
from workbench.project.history.verify import verify
from workbench.project.signing.signing import book_of
from workbench.project.signing.signing_trust import project_of

_MOST_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a merge did: how many votes came over, how many were there already, and whose they are."""

    added: int
    known: int
    reviewers: tuple[str, ...]
    fork: int  # the last journal entry both copies share


def merge(
    into: Path, other: Path, *, person: str = "", passphrase: Passphrase | None = None,
    other_passphrase: Passphrase | None = None,
) -> Merged:  # fmt: skip
    """Bring the other copy's votes in. All of them, in one action, or none; a second time changes nothing."""
    _refuse_same_file(into, other)
    _refuse_broken(((into, passphrase), (other, other_passphrase)))
    with (
        closing(open_session(other, person, read_only=True, passphrase=other_passphrase)) as theirs,
        closing(open_session(into, person, passphrase=passphrase)) as ours,
    ):
        if ours.why_read_only:
            raise UserProblem(f"The project is read-only: {ours.why_read_only}", str(into))
        with ours.alone():
            return _merged(ours, theirs)


def _merged(ours: Session, theirs: Session) -> Merged:
    fork, foreign = _parted(ours, theirs)
    votes = _votes_since(theirs, fork)
    have = {_identity(row) for row in ours.rows("SELECT * FROM vote")}
    new = [vote for vote in votes if _identity(vote) not in have]
    refuse_votes_of_authors(ours, new)
    refuse_votes_without_standing(ours, theirs, new)
    if new:
        with ours.act(MERGE, subject=f"{len(new)} votes") as act:
            act.note = {"fork": fork, "entries": [[entry[name] for name in FIELDS] for entry in foreign]}
            keys = _keys(act, ours, theirs, new)
            for vote in new:
                _bring(act, theirs, vote, keys)
    names = tuple(dict.fromkeys(str(vote["reviewer"]) for vote in new))
    return Merged(added=len(new), known=len(votes) - len(new), reviewers=names, fork=fork)


def _refuse_same_file(into: Path, other: Path) -> None:
    if into.exists() and other.exists() and into.samefile(other):
        raise UserProblem("Both names are the same file", str(into), "Name another copy to merge from")


def _refuse_broken(files: Sequence[tuple[Path, Passphrase | None]]) -> None:
    """A file that was tampered with takes in nothing and gives nothing away."""
    problems = [
        Problem(f"The file has been altered since it was written: {said}", str(path), "`dwb verify` says more")
        for path, passphrase in files
        for said in verify(path, passphrase=passphrase).problems[:_MOST_NAMED]
    ]
    if problems:
        raise Refused.of(problems)


def _parted(ours: Session, theirs: Session) -> tuple[int, list[dict[str, Any]]]:
    """The last entry both journals share, and what the other copy did after it."""
    if project_of(ours.rows) != project_of(theirs.rows):
        raise Refused("These are two different projects", str(theirs.path), "Merge copies of the same project")
    mine = {int(row["seq"]): row["hash"] for row in ours.rows("SELECT seq, hash FROM journal")}
    journal = theirs.rows("SELECT * FROM journal ORDER BY seq")
    fork = max((entry["seq"] for entry in journal if mine.get(entry["seq"]) == entry["hash"]), default=0)
    foreign = [entry for entry in journal if entry["seq"] > fork]
    wrong = [entry for entry in foreign if not only_votes(entry)]
    if wrong:
        raise Refused.of(_diverged(entry, theirs.path) for entry in wrong[:_MOST_NAMED])
    return fork, foreign


def _diverged(entry: Mapping[str, Any], path: Path) -> Problem:
    return Problem(
        f"Since the copies parted, {entry['actor']} did more than vote here: “{entry['action']}” of "
        f"{entry['subject']} (journal entry {entry['seq']})",
        str(path),
        "Only votes can be merged; do that again in the other copy",
    )


def _votes_since(theirs: Session, fork: int) -> list[dict[str, Any]]:
    """Votes of the other copy that entries after the fork put in, in the order they were given."""
    keys = [
        seal.key
        for row in theirs.rows("SELECT payload FROM journal WHERE seq > ? ORDER BY seq", (fork,))
        for seal in seals_in(row["payload"])
        if seal.table == "vote"
    ]
    rows = {row["id"]: row for row in theirs.rows("SELECT * FROM vote")}
    return [rows[key] for key in keys]


def _identity(vote: Mapping[str, Any]) -> bytes:
    """What makes a vote the same vote in another file, where it has another number."""
    return canonical({name: value for name, value in vote.items() if name != "id" and value is not None})


def _keys(act: Action, ours: Session, theirs: Session, votes: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Public key → its number here; keys that are new here are enrolled."""
    numbers = {key.public: key.id for key in book_of(ours).keys.values()}
    book = book_of(theirs)
    for vote in votes:
        signature = _signature(theirs, vote)
        key = book.keys[signature["public_key"]] if signature else None
        if key is not None and key.public not in numbers:
            row = {"name": key.name, "public": key.public, "enrolled_at": key.enrolled_at}
            numbers[key.public] = act.insert("public_key", row, f"the key of {key.name}")
    return numbers


def _bring(act: Action, theirs: Session, vote: Mapping[str, Any], keys: Mapping[str, int]) -> None:
    release = theirs.row("SELECT code FROM release WHERE id = ?", (vote["release"],)) or {"code": "a release"}
    row = {name: value for name, value in vote.items() if name != "id" and value is not None}
    number = act.insert("vote", row, f"a vote on {release['code']}")
    signature = _signature(theirs, vote)
    if signature is not None:
        public = book_of(theirs).keys[signature["public_key"]].public
        signed = {name: value for name, value in signature.items() if name != "id"}
        signed |= {"subject": number, "public_key": keys[public]}
        act.insert("signature", signed, f"the signature of {vote['reviewer']}")


def _signature(session: Session, vote: Mapping[str, Any]) -> dict[str, Any] | None:
    return session.row("SELECT * FROM signature WHERE kind = 'vote' AND subject = ?", (vote["id"],))

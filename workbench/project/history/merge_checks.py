"""What a vote from another copy must still satisfy here: nobody judges their own work, and keys are who they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.core.errors import Problem, Refused
from workbench.core.people import known_as, looks
from workbench.project.file.session import Session
from workbench.project.signing.keys import fingerprint, fits
from workbench.project.signing.signing import book_of, expected, required
from workbench.project.signing.signing_trust import KeyBook, Standing
from workbench.project.signing.statements import statement

Vote = Mapping[str, Any]


def refuse_votes_of_authors(session: Session, votes: Sequence[Vote]) -> None:
    """The other copy's program refused these when they were given; a copy made by hand may not have."""
    problems = [
        Problem(f"{vote['reviewer']} worked on {code} and cannot vote on it", code, "Ask for a vote of somebody else")
        for vote in votes
        for code, authors in (_authors(session, vote),)
        if looks(str(vote["reviewer"])) in authors
    ]
    if problems:
        raise Refused.of(problems)


def _authors(session: Session, vote: Vote) -> tuple[str, set[str]]:
    """The release's id, and everybody who prepared it, drew it or wrote the plan that was drawn."""
    rows = session.rows(
        "SELECT release.code, release.preparer, run.run_by, plan.saved_by FROM run"
        " JOIN release ON release.id = run.release"
        " LEFT JOIN plan ON plan.release = release.id AND plan.digest = run.plan_digest WHERE run.id = ?",
        (vote["run"],),
    )
    names = {str(row[column]) for row in rows for column in ("preparer", "run_by", "saved_by") if row[column]}
    return (str(rows[0]["code"]) if rows else "a release"), {looks(name) for name in names}


def refuse_votes_without_standing(ours: Session, theirs: Session, votes: Sequence[Vote]) -> None:
    """A signed vote needs a key that is not somebody else's here; an unsigned one must not be expected to be signed."""
    here, there = book_of(ours), book_of(theirs)
    problems = [
        problem for vote in votes for problem in _standing_problems(ours, theirs, vote, here=here, there=there)
    ]  # fmt: skip
    if problems:
        raise Refused.of(dict.fromkeys(problems))


def _standing_problems(
    ours: Session, theirs: Session, vote: Vote, *, here: KeyBook, there: KeyBook
) -> Iterator[Problem]:  # fmt: skip
    name = str(vote["reviewer"])
    signature = theirs.row("SELECT * FROM signature WHERE kind = 'vote' AND subject = ?", (vote["id"],))
    if signature is None:
        if expected(ours, name):
            yield Problem(f"A vote of {name} is not signed", str(theirs.path), f"{name} signs here: vote again, signed")
        return
    public = there.keys[signature["public_key"]].public
    known = here.by_public(public)
    told = fingerprint(public)
    if not fits(public, signature["signature"], _said_here(ours, vote, by=public, anchor=str(signature["anchor"]))):
        yield Problem(
            f"A vote of {name} was given on something else than what is drawn here under the same number",
            str(theirs.path),
            f"Send {name} a copy of this file and ask for a vote on it",
        )
    if known is None and not here.of(name) and not (required(ours) and here.anybody):
        return  # the first key under this name: believed as on any first use
    if known is None or known.standing() is not Standing.TRUSTED:
        known_by = f"{name} is known here by another key than {told}"
        yield Problem(
            f"A vote of {name} is signed by a stranger: {known_by if here.of(name) else f'nobody vouches for {told}'}",
            str(theirs.path),
            f"Compare the fingerprint with {name}; enrol the key here and have it vouched for (`dwb keys`)",
        )
    elif known_as(known.name) != known_as(name):
        yield Problem(f"A vote of {name} is signed with the key of {known.name}", str(theirs.path), "Ask both")


def _said_here(ours: Session, vote: Vote, *, by: str, anchor: str) -> bytes:
    """What a signature of this vote means here: the plan, data, values and policy that its numbers stand for here."""
    return statement(ours.rows, "vote", vote, by=by, anchor=anchor)

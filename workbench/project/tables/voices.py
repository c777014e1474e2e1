"""What somebody wants to say of a release, and what forbids saying it at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.core.errors import Problem, Refused, UserProblem
from workbench.core.people import could_be_one, known_as, mixed_alphabets
from workbench.core.states import ReleaseState, Verdict
from workbench.project.file.session import Session
from workbench.project.history.places import entry_of
from workbench.project.records import RunRecord
from workbench.project.tables.releases import release_row
from workbench.project.tables.runs import latest_run

_SHORT = {"changes": Verdict.CHANGES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """What somebody wants to say, before any rule was applied."""

    choice: Verdict
    reviewer: str
    comment: str


def choice_from(text: str) -> Verdict:
    try:
        return _SHORT.get(text) or Verdict(text)
    except ValueError:
        known = ", ".join(f"“{choice.value}”" for choice in Verdict)
        raise UserProblem(f"“{text[:40]}” is not a decision", do=f"Say one of {known}") from None


def voice_of(choice: str, reviewer: str, comment: str) -> Voice:
    if not known_as(reviewer):
        raise UserProblem("The reviewer's name is missing", "reviewer", "Say who decides")
    if mixed_alphabets(reviewer):
        said = "The reviewer's name mixes letters of two alphabets, so that it could be taken for another's"
        raise UserProblem(said, "reviewer", "Type it with one keyboard layout")
    return Voice(choice=choice_from(choice), reviewer=reviewer, comment=comment.strip())


def judged_run(session: Session, release: dict[str, Any], voice: Voice) -> RunRecord:
    """The run that is judged; all reasons against judging it at once."""
    code = release["code"]
    run = latest_run(session, code)
    problems = [*_closed(release), *authorship(session, release, run, voice.reviewer, "review")]
    if run is None:
        problems.append(Problem(f"{code} has not been run", do="Run it first, then decide"))
    elif run.plan_digest != release["plan_digest"]:
        problems.append(Problem(f"The plan of {code} changed after its latest run", do="Run it again, then decide"))
    problems += without_comment(voice.choice, voice.comment)
    if problems or run is None:
        raise Refused.of(problems)
    return run


def without_comment(choice: Verdict, comment: str) -> list[Problem]:
    """Somebody who asks for changes says which."""
    wanting = choice is Verdict.CHANGES and not comment.strip()
    return [Problem("Requesting changes needs a comment", do="Say what has to change")] if wanting else []


def _closed(release: dict[str, Any]) -> list[Problem]:
    if release["state"] == ReleaseState.WITHDRAWN.value:
        return [Problem(f"{release['code']} was withdrawn", do="Make a new release")]
    return []


def too_close(session: Session, release_id: str, name: str) -> tuple[Problem, ...]:
    """Why somebody had too much of a hand in a release to review it; empty where they had none."""
    release, run = release_row(session, release_id), latest_run(session, release_id)
    return tuple(authorship(session, release, run, name, "review"))


def authorship(
    session: Session, release: dict[str, Any], run: RunRecord | None, name: str, verb: str
) -> list[Problem]:  # fmt: skip
    """Why somebody is too close to a release to judge it: the first reason that applies."""
    code = release["code"]
    if could_be_one(name, release["preparer"]):
        return [Problem(f"{name} prepared {code} and cannot {verb} it", do="Ask somebody else")]
    if run is not None and could_be_one(name, run.run_by):
        return [Problem(f"{name} drew the values of {code} and cannot {verb} them", do="Ask somebody else")]
    if run is not None and _wrote_the_plan(session, release, run, name):
        return [Problem(f"{name} wrote the plan of {code} and cannot {verb} it", do="Ask another")]
    return []


def _wrote_the_plan(session: Session, release: dict[str, Any], run: RunRecord, reviewer: str) -> bool:
    """True where the reviewer saved the very plan that was run: an author by another way than preparing it.

    Before it was run, that is: whoever tried a setting afterwards and took it back has written nothing that was drawn.
    """
    rows = session.rows(
        "SELECT id, saved_by FROM plan WHERE release = ? AND digest = ?", (release["id"], run.plan_digest)
    )  # fmt: skip
    own = [int(row["id"]) for row in rows if could_be_one(reviewer, str(row["saved_by"]))]
    return any(not later_than_run(session, "plan", key, run) for key in own)


def later_than_run(session: Session, table: str, key: int, run: RunRecord) -> bool:
    """Whether a row was put in after a draw; False where the journal cannot tell."""
    drawn, entered = entry_of(session, "run", run.id), entry_of(session, table, key)
    return drawn is not None and entered is not None and entered > drawn

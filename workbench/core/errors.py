"""Who can fix it: a person (UserProblem), we (Defect), or nobody needs to (Cancelled)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a plan a problem can be put right: its section, the setting there, or the file that it names."""

    section: str = ""
    field: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a person can fix: what is wrong, where it is, what to do about it.

    `where` is for people. `place` is the same for the program, where the problem is one of a plan; whoever asked for
    the check knows it and sets it (`placed`, `in_section`). No field may ever hold a confidential value: problems reach
    logs, screens and scripts.
    """

    what: str
    where: str = ""
    do: str = ""
    place: Place | None = field(default=None, compare=False)

    def sentence(self) -> str:
        """The problem as one line of plain text."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        head = head if head.endswith((".", "!", "?")) else head + "."
        tail = self.do if not self.do or self.do.endswith((".", "!", "?")) else self.do + "."
        return f"{head} {tail}".strip()

    def at(self, where: str) -> Problem:
        """The same problem, located more closely: `where` is put in front of what is known."""
        joined = f"{where}, {self.where}" if where and self.where else where or self.where
        return Problem(self.what, joined, self.do, self.place)


class UserProblem(Exception):
    """Everything that is wrong at once, so that it can be fixed at once."""

    def __init__(self, what: str = "", where: str = "", do: str = "", *, problems: Iterable[Problem] = ()) -> None:
        own = (Problem(what, where, do),) if what else ()
        self.problems: tuple[Problem, ...] = own + tuple(problems)
        super().__init__(" ".join(problem.sentence() for problem in self.problems))

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> Self:
        return cls(problems=problems)


class Refused(UserProblem):
    """The request is understood and well formed, but a rule forbids it (exit code 1, not 2)."""


class Defect(Exception):
    """A mistake of the program's. The message must hold no data, only what the program was doing."""


class Cancelled(Exception):
    """Somebody pressed cancel. Never shown as an error."""


def placed(
    section: str, problems: Iterable[Problem], *, fields: Collection[str] = (), file: str = ""
) -> tuple[Problem, ...]:
    """The problems, each knowing its place: this section, and the setting or file that is known of it.

    What a problem knows of its place already stays. `fields` are the names of the settings that the check was about: a
    problem whose `where` is one of them speaks of it.
    """
    return tuple(replace(problem, place=_place(problem, section, fields, file)) for problem in problems)


def _place(problem: Problem, section: str, fields: Collection[str], file: str) -> Place:
    known = problem.place or Place()
    named = problem.where if problem.where in fields else ""
    return Place(known.section or section, known.field or named, known.file or file)


@contextmanager
def in_section(section: str, *, fields: Collection[str] = (), file: str = "") -> Iterator[None]:
    """Problems that are raised inside are of this section of the plan."""
    try:
        yield
    except UserProblem as wrong:
        wrong.problems = placed(section, wrong.problems, fields=fields, file=file)
        raise


def raise_if(problems: Iterable[Problem]) -> None:
    """Raise all the problems together, or return where there is none."""
    found = tuple(problems)
    if found:
        raise UserProblem.of(found)

"""Who can fix it: a person (UserProblem), we (Defect), or nobody needs to (Cancelled)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a person can fix: what is wrong, where it is, what to do about it.

    No field may ever hold a confidential value: problems reach logs, screens and scripts.
    """

    what: str
    where: str = ""
    do: str = ""

    def sentence(self) -> str:
        """The problem as one line of plain text."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        head = head if head.endswith((".", "!", "?")) else head + "."
        tail = self.do if not self.do or self.do.endswith((".", "!", "?")) else self.do + "."
        return f"{head} {tail}".strip()

    def at(self, where: str) -> Problem:
        """The same problem, located more closely: `where` is put in front of what is known."""
        joined = f"{where}, {self.where}" if where and self.where else where or self.where
        return Problem(self.what, joined, self.do)


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


def raise_if(problems: Iterable[Problem]) -> None:
    """Raise all the problems together, or return where there is none."""
    found = tuple(problems)
    if found:
        raise UserProblem.of(found)

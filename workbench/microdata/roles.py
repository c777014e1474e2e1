"""What a column means: a word that a product offers. Suggested from names and content, always confirmed by a person.

A role is its name wherever it is stored or shown, and carries what a reader and the loader must know of it. Products
that share a word share the role; a product may add its own with `Role("…", "…")`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar


class Role(str):
    """The name of a role, with one line of help.

    `numbers`: its columns are read as numbers, all others as codes. `identifies`: it tells units apart, so that a
    product that needs it cannot do without.
    """

    help: str
    numbers: bool
    identifies: bool

    ESTABLISHMENT: ClassVar[Role]
    WORKER: ClassVar[Role]
    WORKPLACE: ClassVar[Role]
    PERSON: ClassVar[Role]
    GEOGRAPHY: ClassVar[Role]
    COUNT: ClassVar[Role]
    WEIGHT: ClassVar[Role]
    PERSON_KEY: ClassVar[Role]
    INSTITUTION: ClassVar[Role]
    YEAR: ClassVar[Role]
    TITLE: ClassVar[Role]
    SECTOR: ClassVar[Role]
    EARNINGS: ClassVar[Role]
    CELL: ClassVar[Role]
    POOL: ClassVar[Role]
    PREDICTOR: ClassVar[Role]
    OUTCOME: ClassVar[Role]
    GROUP: ClassVar[Role]
    RESPONDENT: ClassVar[Role]
    ANSWER: ClassVar[Role]
    IGNORE: ClassVar[Role]

    def __new__(
        cls, name: str, help: str = "", *, numbers: bool = False, identifies: bool = False  # noqa: A002
    ) -> Role:  # fmt: skip
        made = super().__new__(cls, name)
        made.help, made.numbers, made.identifies = help, numbers, identifies
        return made


Role.ESTABLISHMENT = Role("establishment", "Identifies the workplace a job belongs to.", identifies=True)
Role.WORKER = Role("worker", "Identifies the person who holds the job.", identifies=True)
Role.WORKPLACE = Role("workplace attribute", "A property of the establishment, the same for all its jobs.")
Role.PERSON = Role("worker attribute", "A property of the worker.")
Role.GEOGRAPHY = Role("geography", "A place: of the establishment, or of the residence.")
Role.COUNT = Role("count", "How many the row stands for.", numbers=True)
Role.WEIGHT = Role("weight", "A number that says how much a row counts.", numbers=True)
Role.PERSON_KEY = Role("person", "Identifies the person, over all years.", identifies=True)
Role.INSTITUTION = Role("institution", "The school or college.")
Role.YEAR = Role("year", "The year of graduation, or of the outcome.")
Role.TITLE = Role("title", "The degree or diploma.")
Role.SECTOR = Role("sector", "The sector a person works in.")
Role.EARNINGS = Role("earnings", "What a person earns in a year.", numbers=True)
Role.CELL = Role("cell", "The small area or group an estimate is made for.")
Role.POOL = Role("pool", "The larger area or group that its cells borrow from.")
Role.PREDICTOR = Role("predictor", "A number that predicts the outcome, such as parents' income.", numbers=True)
Role.OUTCOME = Role("outcome", "A number that is averaged or summed, such as earnings.", numbers=True)
Role.GROUP = Role("group", "Sets apart groups of people for whom results are published, such as state, sex or race.")
Role.RESPONDENT = Role("respondent", "Identifies the person who answered.", identifies=True)
Role.ANSWER = Role("answer", "What a respondent chose, one of a list of answers.")
Role.IGNORE = Role("ignore", "Not read at all.")

ROLES: tuple[Role, ...] = (
    Role.ESTABLISHMENT, Role.WORKER, Role.WORKPLACE, Role.PERSON, Role.GEOGRAPHY, Role.COUNT, Role.WEIGHT,
    Role.PERSON_KEY, Role.INSTITUTION, Role.YEAR, Role.TITLE, Role.SECTOR, Role.EARNINGS, Role.CELL, Role.POOL,
    Role.PREDICTOR, Role.OUTCOME, Role.GROUP, Role.RESPONDENT, Role.ANSWER, Role.IGNORE,
)  # fmt: skip

Roles = Mapping[str, Role]


def role_called(name: str, offered: Iterable[Role] = ()) -> Role | None:
    """The role of that name: the product's own, or one that any product knows; None where nobody does."""
    return next((role for role in (*offered, *ROLES) if role == name), None)


def columns_with(roles: Roles, *wanted: Role) -> tuple[str, ...]:
    """The columns that have one of these roles, in the order of the file."""
    return tuple(name for name, role in roles.items() if role in wanted)

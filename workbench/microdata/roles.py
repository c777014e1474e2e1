"""What a column means. Suggested from names and content, always confirmed by a person."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    ESTABLISHMENT = "establishment"
    WORKER = "worker"
    WORKPLACE = "workplace attribute"
    PERSON = "worker attribute"
    GEOGRAPHY = "geography"
    WEIGHT = "weight"
    OUTCOME = "outcome"
    PREDICTOR = "predictor"
    GROUP = "group"
    ANSWER = "answer"
    IGNORE = "ignore"


ROLE_HELP: dict[Role, str] = {
    Role.ESTABLISHMENT: "Identifies the workplace a job belongs to.",
    Role.WORKER: "Identifies the person who holds the job.",
    Role.WORKPLACE: "A property of the establishment, the same for all its jobs.",
    Role.PERSON: "A property of the worker.",
    Role.GEOGRAPHY: "Where the establishment is.",
    Role.WEIGHT: "A number that says how much a row counts.",
    Role.OUTCOME: "A number that is averaged or summed, such as earnings.",
    Role.PREDICTOR: "A number from which an outcome is predicted, such as parents' income.",
    Role.GROUP: "Sets apart groups of people for whom results are published, such as state, sex or race.",
    Role.ANSWER: "What a respondent chose, one of a list of answers.",
    Role.IGNORE: "Not read at all.",
}

NUMERIC_ROLES = (Role.WEIGHT, Role.OUTCOME, Role.PREDICTOR)  # read as numbers; all others as codes

Roles = Mapping[str, Role]


def columns_with(roles: Roles, *wanted: Role) -> tuple[str, ...]:
    """The columns that have one of these roles, in the order of the file."""
    return tuple(name for name, role in roles.items() if role in wanted)

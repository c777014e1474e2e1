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
    IGNORE = "ignore"


Roles = Mapping[str, Role]


def columns_with(roles: Roles, *wanted: Role) -> tuple[str, ...]:
    """The columns that have one of these roles, in the order of the file."""
    return tuple(name for name, role in roles.items() if role in wanted)

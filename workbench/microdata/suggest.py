"""Suggested roles: what is known of a column without looking at a single value, and a role for it with the reason.

A product suggests the roles of its own data (`Product.suggest_roles`); a person always confirms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workbench.microdata.roles import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a column without looking at any single value."""

    name: str
    rows: int
    distinct: int
    missing: int
    fractions: bool = False  # many different ones
    numbers: bool = True  # every value can be read as a number
    within: tuple[str, ...] = ()  # columns within whose values it never changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    role: Role
    reason: str


Suggest = Callable[[Sequence[Facts]], Mapping[str, Suggestion]]


@dataclass(frozen=True, slots=True)
class NameWord:
    """Beginnings that a part of a name may have, and exact short parts, for one role."""

    role: Role
    beginnings: tuple[str, ...]
    exactly: tuple[str, ...]
    means: str


def parts_of(name: str) -> tuple[str, ...]:
    """The words of a column name: w_geocode, WorkerAge and RAC1P → (w, geocode), (worker, age), (rac1p)."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return tuple(part.lower() for part in re.findall(r"[^\W\d_]+\d?[^\W\d_]*", spaced))


def word_of(name: str, words: Sequence[NameWord]) -> tuple[NameWord, str] | None:
    """The first of the words that a part of the name has, and that part."""
    parts = parts_of(name)
    for word in words:
        for part in parts:
            if part in word.exactly or part.startswith(word.beginnings):
                return word, part
    return None


def empty_or_constant(facts: Facts) -> Suggestion | None:
    """A column that tells nothing is not read."""
    if facts.missing == facts.rows:
        return Suggestion(role=Role.IGNORE, reason="every value is missing")
    if facts.distinct == 1 and facts.rows > 1 and not facts.missing:
        return Suggestion(role=Role.IGNORE, reason="every row has the same value")
    return None


def by_names(facts: Sequence[Facts], words: Sequence[NameWord]) -> dict[str, Suggestion]:
    """A role for every column from the words of its name; ignored where no word is known or numbers are not numbers."""
    return {each.name: empty_or_constant(each) or _by_name(each, words) for each in facts}


def _by_name(facts: Facts, words: Sequence[NameWord]) -> Suggestion:
    found = word_of(facts.name, words)
    if found is None:
        return Suggestion(role=Role.IGNORE, reason="the name does not tell what it is")
    word, part = found
    said = f"“{part}” in the name suggests {word.means}"
    if word.role.numbers and not facts.numbers:
        return Suggestion(role=Role.IGNORE, reason=f"{said}, but some cells are text: name its missing-value codes")
    return Suggestion(role=word.role, reason=said)


def only_offered(suggested: Mapping[str, Suggestion], offered: Sequence[Role]) -> dict[str, Suggestion]:
    """Roles that a product has no use for are left to a person: the column is not read."""
    return {
        name: each
        if each.role in (*offered, Role.IGNORE)
        else Suggestion(role=Role.IGNORE, reason=f"{each.reason}, and this product takes no {each.role}")
        for name, each in suggested.items()
    }

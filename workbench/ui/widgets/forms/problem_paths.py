"""Which field of a form a problem is about: the last part of where it is, as a path."""

from __future__ import annotations

import re

from workbench.core.params import split_path

# The last part after a comma; commas inside quotation marks belong to a name.
_LAST = re.compile(r'(?:[^",]|"(?:[^"]|"")*")*$')


def path_of(where: str) -> tuple[str, ...]:
    """("variables", "age", "epsilon") of “[mechanism], variables.age.epsilon”."""
    found = _LAST.search(where)
    return split_path((found[0] if found else where).strip())


def inside(where: str) -> tuple[str, ...]:
    """The same from the field on inward: ("age", "epsilon")."""
    return path_of(where)[1:]

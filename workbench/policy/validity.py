"""Names a policy uses, against those the program knows: a check or field that does not exist could never be met."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.errors import Problem, raise_if
from workbench.core.params import unknown_key
from workbench.policy.profile import PolicyProfile


def refuse_unknown_names(profile: PolicyProfile, *, context: Sequence[str], checks: Sequence[str]) -> None:
    """Raise for every name nobody knows, with the nearest known one."""
    asked = (
        ("required_checks", profile.evidence.required_checks, checks, "a check"),
        ("context_fields", profile.evidence.context_fields, context, "a field of the context"),
    )
    raise_if(
        Problem(f"“{name}” is not {what}", f"{profile.policy.name}, [evidence] {where}", unknown_key(name, known).do)
        for where, names, known, what in asked
        for name in names
        if name not in known
    )

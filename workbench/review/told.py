"""What came of a verb, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One sentence and its details for a person; `facts` say the same to a program."""

    sentence: str
    ok: bool = True
    lines: tuple[str, ...] = ()
    facts: Any = None

"""“Did you mean …?”: the nearest known name to one that nobody knows."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, likeness: float = 0.5) -> str:
    """The known name most like it, at least so alike (0 to 1); empty where there is none."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=likeness)), "")


def did_you_mean(name: str, known: Iterable[str], *, likeness: float = 0.5) -> str:
    """The question with the nearest name; empty where no name is near."""
    near = nearest(name, known, likeness=likeness)
    return f"Did you mean “{near}”?" if near else ""

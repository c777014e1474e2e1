"""What a program that was killed leaves beside a project: half-written copies, which may be unencrypted.

Whoever opens the project for writing holds its lock, so nobody is writing such a copy now: they are removed, and named.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

_COPY = r"(\.[0-9a-f]{8}\.new|\.backup-v\d+(-\d+)?\.unfinished)(-journal)?"


def leftovers(path: Path) -> tuple[Path, ...]:
    """Unfinished copies of this project."""
    ours = re.compile(re.escape(path.name) + _COPY)
    try:
        return tuple(sorted(each for each in path.parent.iterdir() if ours.fullmatch(each.name) and each.is_file()))
    except OSError:
        return ()


def clear_away(path: Path) -> tuple[Path, ...]:
    """Remove them; those that could be removed are returned. Only for whoever holds the project's lock."""
    removed = []
    for each in leftovers(path):
        with contextlib.suppress(OSError):
            each.unlink()
            removed.append(each)
    return tuple(removed)

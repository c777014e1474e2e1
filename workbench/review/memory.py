"""What this person's program has seen of each project: its last entry and that entry's hash, and confirmed keys.

Nothing inside a file shows that an older copy was put in its place, that its tail was cut off or that it was rewritten
from some entry on, signatures and all. Whoever saw more remembers: a file that does not lead on from there is told.
Nor does it show that somebody whose key was replaced by others knows of it: whoever asked them keeps the answer here.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.errors import UserProblem
from workbench.core.files import write_bytes

if TYPE_CHECKING:
    from workbench.project.store import Project

SEEN = "DWB_SEEN"  # names another file for what was seen
_MOST = 2000  # projects that are remembered


def unlike_before(project: Project) -> str:
    """What is wrong with the project's history as this person saw it, in words; empty where it leads on from there."""
    known = _read().get(project.number)
    if known is None:
        return ""
    entry, digest = known
    if project.leads_on_from(entry, digest):
        return ""
    last = project.journal()[-1].seq
    how = f"it ends with entry {last}" if last < entry else f"its entry {entry} is another one"
    return (
        f"You have seen more of this project than this file holds: entry {entry}, hash {digest[:12]}…, but {how}. "
        "An older copy may have replaced it, or its history was rewritten. Find out who changed it before you decide"
    )


def remember(project: Project, *, whatever: bool = False) -> None:
    """Keep the project's last entry where it leads on from what is kept; `whatever` it was, where a person says so."""
    if not whatever and unlike_before(project):
        return
    last = project.journal()[-1]
    kept = _read()
    if kept.get(project.number) == (last.seq, last.hash):
        return
    kept.pop(project.number, None)
    kept[project.number] = (last.seq, last.hash)
    _write(kept, _confirmed())


def confirmed(number: str) -> frozenset[str]:
    """Fingerprints of exchanged keys of a project whose owners this person has asked."""
    return frozenset(_confirmed().get(number, ()))


def confirm(number: str, fingerprint: str) -> None:
    """Keep that the owner of a key was asked."""
    kept = _confirmed()
    kept[number] = sorted({*kept.get(number, ()), fingerprint})
    _write(_read(), kept)


def _write(kept: dict[str, tuple[int, str]], keys: dict[str, list[str]]) -> None:
    told = {
        "version": 1,
        "projects": {name: list(seen) for name, seen in list(kept.items())[-_MOST:]},
        "confirmed": dict(list(keys.items())[-_MOST:]),
    }
    file = _file()
    with contextlib.suppress(OSError, UserProblem):  # a person whose folder cannot be written works all the same
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(file, json.dumps(told, indent=1).encode("utf-8"), private=True)


def _confirmed() -> dict[str, list[str]]:
    try:
        told: dict[str, Any] = json.loads(_file().read_text(encoding="utf-8")).get("confirmed", {})
        return {str(name): [str(key) for key in keys] for name, keys in told.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _read() -> dict[str, tuple[int, str]]:
    try:
        told: dict[str, Any] = json.loads(_file().read_text(encoding="utf-8"))["projects"]
        return {str(name): (int(entry), str(digest)) for name, (entry, digest) in told.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):  # none yet, or not ours any more
        return {}


def _file() -> Path:
    named = os.environ.get(SEEN, "")
    if named:
        return Path(named)
    from platformdirs import user_config_path

    return user_config_path("disclosure-workbench", appauthor=False) / "seen-projects.json"

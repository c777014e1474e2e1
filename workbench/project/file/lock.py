"""One writer at a time. The lock lives as long as the session; a note beside it names who holds it.

The operating system drops the lock when a program dies, so a crash never leaves a project locked. The note is a file
of its own because Windows lets nobody read a file whose bytes are locked.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.project.history.journal import utc_now

if TYPE_CHECKING:
    from filelock import BaseFileLock


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has the project open for writing."""

    person: str = ""
    computer: str = ""
    since: str = ""

    def words(self) -> str:
        """'Ann Reviewer (on pc-17, since 2026-11-05 09:30 UTC)'."""
        since = f"since {self.since[:16].replace('T', ' ')} UTC" if self.since else ""
        details = ", ".join(part for part in (f"on {self.computer}" if self.computer else "", since) if part)
        who = self.person or "another program"
        return f"{who} ({details})" if details else who


class HeldElsewhere(Exception):
    """Somebody else has the project open."""

    def __init__(self, holder: Holder) -> None:
        super().__init__(holder.words())
        self.holder = holder


class ProjectLock:
    """`name.dwb.lock`, held until `release()`."""

    def __init__(self, project: Path, lock: BaseFileLock) -> None:
        self._project = project
        self._lock = lock

    @classmethod
    def take(cls, project: Path, person: str) -> ProjectLock:
        """Take the lock at once or raise HeldElsewhere. OSError where the folder cannot be written."""
        from filelock import FileLock, Timeout

        lock = FileLock(_lock_file(project), timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            raise HeldElsewhere(_holder(project)) from None
        note = Holder(person or person_here(), platform.node(), utc_now())
        with contextlib.suppress(OSError):  # the note is a courtesy; the lock is what counts
            _note_file(project).write_text(json.dumps(asdict(note)), encoding="utf-8")
        return cls(project, lock)

    def release(self) -> None:
        """Let go, and leave no files behind. The lock file goes while it is still held, so nobody can be between."""
        with contextlib.suppress(OSError):
            _note_file(self._project).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # Windows keeps a file that is open
            _lock_file(self._project).unlink(missing_ok=True)
        self._lock.release()


def holder_of(project: Path) -> Holder | None:
    """Who has the project open for writing; None where nobody has, or it cannot be told."""
    from filelock import FileLock, Timeout

    if not _lock_file(project).exists():
        return None
    try:
        with FileLock(_lock_file(project), timeout=0, thread_local=False):
            return None
    except Timeout:
        return _holder(project)
    except OSError:
        return None


def person_here() -> str:
    """The name of whoever is logged in, as well as the system knows it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "somebody"


def _holder(project: Path) -> Holder:
    try:
        note = json.loads(_note_file(project).read_text(encoding="utf-8"))
        return Holder(str(note["person"]), str(note["computer"]), str(note["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Holder()


def _lock_file(project: Path) -> Path:
    return project.with_name(project.name + ".lock")


def _note_file(project: Path) -> Path:
    return project.with_name(project.name + ".lock.json")

"""Reading and writing small files so that a mistake is told in words and nothing is ever half-written."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from workbench.core.errors import UserProblem


def require_utf8_name(path: Path) -> None:
    """Refuse a name that is not text: it could be neither stored nor shown, and most libraries stumble over it."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode("utf-8", "replace")
        raise UserProblem(
            "The name of this file or of its folder is not valid UTF-8", shown, "Give it another name"
        ) from None


def read_text(path: Path, what: str) -> str:
    """The text of a UTF-8 file that a person named; `what` says what it should have been ("a plan file")."""
    require_utf8_name(path)
    require_regular(path, what, most=_MOST_TEXT)
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UserProblem(f"There is no such file, expected {what}", str(path), "Check the path") from None
    except IsADirectoryError:
        raise UserProblem(f"This is a folder, expected {what}", str(path), "Name the file inside it") from None
    except PermissionError:
        raise UserProblem("The file may not be read", str(path), "Ask for permission or choose another") from None
    except UnicodeDecodeError:
        raise UserProblem(f"This is not a text file in UTF-8, expected {what}", str(path), "Save it as UTF-8") from None


_MOST_TEXT = 64 * 2**20  # bytes of a plan, a policy, a dictionary; what is larger is something else
PRIVATE = 0o600
PROJECT = ".dwb"
_DATABASE, _ENCRYPTED = b"SQLite format 3\x00", b"DWBE"  # how a project begins
_BESIDE_A_PROJECT = ("-journal", "-wal", "-shm", ".lock", ".lock.json")
_UMASK = os.umask(0o077)  # can only be read by setting it, so it is read once, before there are threads
os.umask(_UMASK)


def create_private(path: Path) -> None:
    """An empty new file that only its owner can read. Raises FileExistsError where there is one of the name."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), PRIVATE))


def require_regular(path: Path, what: str, *, most: int | None = None) -> None:
    """Refuse a pipe or a device, which would be read for ever, and a file of more bytes than `what` ever has.

    A file that is not there, and a folder, are left to whoever opens it: they say what was expected.
    """
    shown = repr(str(path)[:80])
    try:
        found = path.stat()
    except ValueError:
        raise UserProblem("No file name can hold this character", shown, "Correct the path") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UserProblem("The path is too long for this system", shown, "Correct the path") from None
        return
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise UserProblem(f"This is a pipe or a device, expected {what}", str(path), "Name an ordinary file")
    if most is not None and stat.S_ISREG(found.st_mode) and found.st_size > most:
        raise UserProblem(f"The file is too large for {what}", str(path), "Check that it is the right file")


def write_bytes(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a whole file or nothing: a temporary neighbour takes the name only once it is complete on disk.

    `private`: only its owner can read it; until it is complete, that holds for every file.
    """
    require_utf8_name(path)
    if path.is_dir():
        raise UserProblem("This is a folder, not a file", str(path), "Name a file inside it")
    refuse_over_project(path)
    beside = _beside(path)
    try:
        create_private(beside)
        with beside.open("r+b") as file:
            if not private and os.name == "posix":
                os.fchmod(file.fileno(), 0o666 & ~_UMASK)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise write_problem(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def refuse_unwritable(path: Path) -> None:
    """Refuse now what `write_bytes` would refuse later, a full disk apart: before anybody says that it is written."""
    require_utf8_name(path)
    require_regular(path, "a file to write")
    refuse_over_project(path)
    if path.is_dir():
        raise UserProblem("This is a folder, not a file", str(path), "Name a file inside it")
    beside = _beside(path)
    try:
        create_private(beside)
        beside.unlink()
    except OSError as error:
        raise write_problem(path, error) from None


def refuse_over_project(path: Path) -> None:
    """Refuse to write anything in place of a project, by content or by name: decisions and ledger would be gone.

    Nor beside one under a name that its database or lock would take for its own: it could not be opened any more.
    """
    if _holds_project(path) or (path.is_file() and path.suffix.lower() == PROJECT):
        raise UserProblem("This is a project file, and nothing is written over one", str(path), "Choose another name")
    for ending in _BESIDE_A_PROJECT:
        if path.name.endswith(ending) and _holds_project(path.with_name(path.name.removesuffix(ending))):
            raise UserProblem("A project beside it keeps this name for itself", str(path), "Choose another name")


def _holds_project(path: Path) -> bool:
    if not path.is_file():  # a pipe would be waited for
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)).startswith((_DATABASE, _ENCRYPTED))
    except OSError:  # whoever writes says why not
        return False


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def make_folder(path: Path) -> None:
    """The folder that files are to be written into, where it is not there yet."""
    require_utf8_name(path)
    refuse_over_project(path)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise write_problem(path, error) from None


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_problem(path: Path, error: OSError) -> UserProblem:
    """The operating system's refusal to write, in words."""
    reasons = {
        errno.ENOSPC: ("The disk is full; nothing was written", "Free some space or choose another folder"),
        errno.EDQUOT if hasattr(errno, "EDQUOT") else -1: ("Your disk quota is used up; nothing was written", ""),
        errno.ENOENT: ("The folder does not exist", "Create it or choose another"),
        errno.ENOTDIR: ("The folder does not exist", "Create it or choose another"),
        errno.EACCES: ("You may not write here", "Choose another folder"),
        errno.EPERM: ("You may not write here", "Choose another folder"),
        errno.EROFS: ("This place is read-only", "Choose another folder"),
        errno.EISDIR: ("This is a folder, not a file", "Name a file inside it"),
    }
    what, do = reasons.get(error.errno or 0, ("The file could not be written", "Choose another place"))
    return UserProblem(what, str(path), do)

"""What SQLite and the operating system report, as one sentence that a person can act on."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from workbench.core.errors import Defect, UserProblem

_FULL, _READ_ONLY, _BUSY, _LOCKED, _CORRUPT, _NOT_OURS, _DISK, _CANNOT_OPEN = 13, 8, 5, 6, 11, 26, 10, 14


# The driver of encrypted files has exceptions of its own, no kin of sqlite3's.
try:
    from sqlcipher3 import dbapi2 as _cipher

    DATABASE_ERRORS: tuple[type[Exception], ...] = (sqlite3.DatabaseError, _cipher.DatabaseError)
    OPERATIONAL: tuple[type[Exception], ...] = (sqlite3.OperationalError, _cipher.OperationalError)
    _ERRORS: tuple[type[Exception], ...] = (sqlite3.Error, _cipher.Error)
except ImportError:  # plain projects work all the same; opening an encrypted one says what is missing
    DATABASE_ERRORS, OPERATIONAL, _ERRORS = (sqlite3.DatabaseError,), (sqlite3.OperationalError,), (sqlite3.Error,)

# SQLite quotes a damaged schema in its message, which then may not be text at all.
UNREADABLE: tuple[type[Exception], ...] = (*DATABASE_ERRORS, UnicodeDecodeError)
# What Python raises on text that no program of ours wrote: nested without end, numbers beyond all bounds.
UNBELIEVABLE: tuple[type[Exception], ...] = (RecursionError, OverflowError, ArithmeticError)
NOT_OURS: tuple[type[Exception], ...] = (
    ValueError,
    KeyError,
    TypeError,
    *UNBELIEVABLE,
)  # while records are made of rows
FAILURES: tuple[type[Exception], ...] = (*_ERRORS, UnicodeDecodeError, OSError)


def explained(error: BaseException, path: Path) -> Exception:
    """The problem to raise instead. What SQLite says is ours to fix where no person can: a Defect, without data."""
    if isinstance(error, OSError):
        return _system(error, path)
    if isinstance(error, UnicodeDecodeError):
        return damaged(path)
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    where = str(path)
    if primary == _FULL or "disk is full" in str(error):
        return _full(where)
    if primary in (_READ_ONLY, _DISK) and not path.exists():
        return gone(path)
    if primary == _READ_ONLY:
        return UserProblem("The project file cannot be written here", where, "Copy it to a folder you may write to")
    if primary in (_BUSY, _LOCKED):
        return UserProblem("The project file is busy in another program", where, "Try again in a moment")
    if primary == _DISK:
        return UserProblem("The disk did not answer while the project file was used", where, "Check the drive")
    if primary == _CANNOT_OPEN:
        return UserProblem(
            "The project file cannot be opened", where, "Check that you may read and write in its folder"
        )
    if primary in (_CORRUPT, _NOT_OURS) or (isinstance(error, DATABASE_ERRORS) and primary is None):
        return damaged(path)
    if "no such table" in str(error) or "no such column" in str(error):  # ours are made with the file: they were lost
        return damaged(path)
    return Defect(f"SQLite refused a statement ({getattr(error, 'sqlite_errorname', type(error).__name__)})")


def damaged(path: Path) -> UserProblem:
    return UserProblem(
        "The project file is damaged or cut short", str(path), "Restore a backup copy; `dwb verify` says what is wrong"
    )


def gone(path: Path) -> UserProblem:
    return UserProblem(
        "The project file is no longer there; nothing of this action was stored",
        str(path),
        "Put it back where it was (it may have been moved, renamed or deleted), then do it again",
    )


def _full(where: str) -> UserProblem:
    return UserProblem("The disk is full; nothing of this action was stored", where, "Make room and do it again")


def _system(error: OSError, path: Path) -> UserProblem:
    where = str(path)
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return _full(where)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return UserProblem("Writing is not allowed here", where, "Choose a folder you may write to")
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return UserProblem("There is no such folder", str(path.parent), "Create it first, or choose another")
    return UserProblem(f"The file cannot be used ({error.strerror or 'unknown reason'})", where, "Check path and drive")

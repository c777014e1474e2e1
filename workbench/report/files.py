"""A file is written whole or not at all: beside its place first, then moved there in one step."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

from workbench.core.errors import UserProblem


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` at `path`. Where that fails, what was there before is still there and nothing else is."""
    if path.is_dir():
        raise UserProblem("This is a folder, not a file", str(path), "Give the name of a file")
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as failure:
        raise _in_words(failure, path) from failure
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def _in_words(failure: OSError, path: Path) -> UserProblem:
    where = str(path)
    if failure.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return UserProblem("The disk is full, so nothing was written", where, "Free some space or choose another disk")
    if not path.parent.is_dir():
        return UserProblem("The folder does not exist", where, "Create it or choose another folder")
    if failure.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return UserProblem(
            "This place may not be written to, or the file is open in another program",
            where,
            "Close the file or choose another folder",
        )
    if failure.errno == errno.ENAMETOOLONG:
        return UserProblem("The file name is too long", where, "Choose a shorter name")
    return UserProblem(f"The file could not be written ({failure.strerror})", where, "Choose another place")

"""The key of sketches: like the secret behind distortion factors it stays in a file of its own, outside every project.

An agency names one file for all (`WORKBENCH_SKETCH_KEY_FILE`), so that sketches made on different machines can be
compared. Otherwise a key is made once for each user and kept in a private file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem

SKETCH_KEY_VARIABLE = "WORKBENCH_SKETCH_KEY_FILE"
_LEAST_BYTES = 16


def sketch_key() -> Confidential[bytes] | None:
    """The key in force; None where there is no folder in which one could be kept."""
    named = os.environ.get(SKETCH_KEY_VARIABLE, "")
    secret = _named(Path(named).expanduser()) if named else _own(_user_file())
    return None if secret is None else Confidential(hashlib.blake2b(secret, digest_size=32).digest())


def _named(path: Path) -> bytes:
    try:
        secret = path.read_bytes()
    except OSError:
        do = f"Check the path and its permissions, or unset {SKETCH_KEY_VARIABLE}"
        raise UserProblem("The key file for recognising shared people cannot be read", str(path), do) from None
    if len(secret) < _LEAST_BYTES:
        what = f"The key file for recognising shared people is shorter than {_LEAST_BYTES} bytes"
        raise UserProblem(what, str(path), "Make one from random bytes")
    return secret


def _own(path: Path) -> bytes | None:
    """This user's own key, made on first use. Another program that makes one at the same time wins: then it is read."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(FileExistsError):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(os.urandom(32))
        secret = path.read_bytes()
    except OSError:
        return None
    return secret if len(secret) >= _LEAST_BYTES else None


def _user_file() -> Path:
    from platformdirs import user_config_path

    return user_config_path("disclosure-workbench", appauthor=False) / "sketch.key"

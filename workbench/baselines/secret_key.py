"""The secret behind permanent distortion factors. It stays in its own file, outside project, plan and report."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.files import require_regular
from workbench.core.randomness import StudyRandom

KEY_VARIABLE = "WORKBENCH_NOISE_KEY_FILE"
_LEAST_BYTES = 16
_MOST_BYTES = 2**20


def key_for(key_file: str, rng: StudyRandom) -> bytes:
    """The key from the named file, else from the file the environment names, else one made for this study.

    A key made from the study's seed gives the same factors again for the same seed and protects nothing: good for a
    comparison, and only for that.
    """
    named = key_file or os.environ.get(KEY_VARIABLE, "")
    if not named:
        return hashlib.blake2b(rng.generator.bytes(32), digest_size=32).digest()
    raise_if(path_problems(named))
    file = Path(named).expanduser()
    require_regular(file, "a key file", most=_MOST_BYTES)
    try:
        secret = file.read_bytes()
    except (OSError, ValueError):
        raise UserProblem(
            "The key file cannot be read", "key_file", f"Check the path and its permissions, or unset {KEY_VARIABLE}"
        ) from None
    if len(secret) < _LEAST_BYTES:
        raise UserProblem(
            f"The key file is shorter than {_LEAST_BYTES} bytes", "key_file", "Make one from random bytes"
        )
    return hashlib.blake2b(secret, digest_size=32).digest()


def path_problems(named: str) -> tuple[Problem, ...]:
    """A relative path would mean another file, and other factors, wherever the program is started from."""
    try:
        if Path(named).expanduser().is_absolute():
            return ()
    except RuntimeError:  # the home of somebody who has none here
        return (Problem("The path of the key file names a home folder that is not here", "key_file", "Write it out"),)
    return (
        Problem(
            "The path of the key file is not absolute, so it would depend on where the program is started",
            "key_file",
            f"Write the whole path, or leave it empty and name the file in the environment variable {KEY_VARIABLE}",
        ),
    )

"""The secret behind permanent distortion factors. It stays in its own file, outside project, plan and report."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.randomness import StudyRandom

KEY_VARIABLE = "WORKBENCH_NOISE_KEY_FILE"
_LEAST_BYTES = 16


def key_for(key_file: str, rng: StudyRandom) -> bytes:
    """The key from the named file, else from the file the environment names, else one made for this study.

    A key made from the study's seed gives the same factors again for the same seed and protects nothing: good for a
    comparison, and only for that.
    """
    named = key_file or os.environ.get(KEY_VARIABLE, "")
    if not named:
        return hashlib.blake2b(rng.generator.bytes(32), digest_size=32).digest()
    raise_if(path_problems(named))
    try:
        secret = Path(named).expanduser().read_bytes()
    except OSError:
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
    if Path(named).expanduser().is_absolute():
        return ()
    return (
        Problem(
            "The path of the key file is not absolute, so it would depend on where the program is started",
            "key_file",
            f"Write the whole path, or leave it empty and name the file in the environment variable {KEY_VARIABLE}",
        ),
    )

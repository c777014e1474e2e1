"""The secret behind permanent distortion factors. It stays in its own file, outside project, plan and report."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom
from workbench.microdata.table import Texts

KEY_VARIABLE = "WORKBENCH_NOISE_KEY_FILE"
_LEAST_BYTES = 16
_CHUNK = 20_000  # about 20 ms of hashing between two questions whether to go on


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


def uniforms_of(identifiers: Texts, key: bytes, context: Context) -> NDArray[np.float64]:
    """One number in (0, 1) per identifier: its keyed BLAKE2b hash, always the same under the same key.

    52 bits of the hash, at the middle of their interval, so that neither 0 nor 1 can occur.
    """
    keyed = hashlib.blake2b(key=key, digest_size=8)
    uniforms = np.empty(len(identifiers), dtype=np.float64)
    for start in range(0, len(identifiers), _CHUNK):
        context.step(start / len(identifiers), "finding each establishment's distortion factor")
        part = identifiers[start : start + _CHUNK]
        texts = part.tolist() if isinstance(part, np.ndarray) else part
        digests = b"".join(_hashed(keyed.copy(), text) for text in texts)
        words = np.frombuffer(digests, dtype="<u8") >> np.uint64(12)
        uniforms[start : start + len(words)] = (words + 0.5) * 2.0**-52
    return uniforms


def _hashed(state: hashlib.blake2b, text: str) -> bytes:
    state.update(text.encode("utf-8", "surrogatepass"))
    return state.digest()

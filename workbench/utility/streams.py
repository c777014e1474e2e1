"""Independent randomness for each purpose of one study."""

from __future__ import annotations

import hashlib

from workbench.core.randomness import StudyRandom


def stream(seed: int, purpose: str) -> StudyRandom:
    """Randomness that repeats for the same seed and purpose, and shares nothing with any other purpose.

    Without it a measure would draw the very numbers that the baseline was made from under the same seed.
    """
    name = hashlib.blake2b(f"{purpose}:{seed}".encode(), digest_size=8).digest()
    return StudyRandom(int.from_bytes(name, "big"))

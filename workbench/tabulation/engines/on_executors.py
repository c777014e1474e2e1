"""The code that runs on the executors of a cluster: keyed factors of units, from a key that is read there.

The function stands alone. It is sent by value, imports what it needs by itself, and knows nothing of this program,
which no executor has. It takes the same IEEE steps as `factors.py`, which a test holds it to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def keyed_factors(key_file: str, *, least: float, most: float, shape: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Batches of units to batches of unit and factor in billionths. Only the path of the key is part of it."""

    def factors(batches: Iterator[Any]) -> Iterator[Any]:
        import hashlib
        import math

        import pyarrow

        with open(key_file, "rb") as file:  # noqa: PTH123 - as plain as it can be
            secret = file.read(2**20 + 1)
        if not 16 <= len(secret) <= 2**20:
            raise ValueError("the key file is shorter than 16 bytes or far too long")
        keyed = hashlib.blake2b(key=hashlib.blake2b(secret, digest_size=32).digest(), digest_size=8)
        for batch in batches:
            units, made = batch.column(0).to_pylist(), []
            for unit in units:
                state = keyed.copy()
                state.update(unit.encode("utf-8", "surrogatepass"))
                uniform = ((int.from_bytes(state.digest(), "little") >> 12) + 0.5) * 2.0**-52
                outer = min(uniform, 1.0 - uniform) * 2.0
                distance = most - (most - least) * (math.sqrt(outer) if shape == "ramp" else outer)
                made.append(round((1.0 - distance if uniform < 0.5 else 1.0 + distance) * 1_000_000_000))
            yield pyarrow.RecordBatch.from_arrays(
                [pyarrow.array(units, pyarrow.string()), pyarrow.array(made, pyarrow.int64())], ["unit", "factor"]
            )

    return factors

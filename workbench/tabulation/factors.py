"""Permanent confidential factors: one per unit, from a keyed hash of its identifier, always the same under one key.

A factor becomes an integer of billionths before anything is added up, so that Σ f·h does not depend on the order of
rows or on the engine. The quantile uses additions, products and a square root only, which IEEE 754 rounds the same
everywhere. Support [1−B, 1−A] ∪ [1+A, 1+B], symmetric about 1.
Ramp: quantile 1−B+(B−A)√(2u) below ½ and 1+B−(B−A)√(2(1−u)) above; uniform: the same without the root.
Source: Abowd, Stephens and Vilhuber (2006).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import Context
from workbench.microdata.table import Texts

BILLION = 1_000_000_000
_CHUNK = 20_000  # about 20 ms of hashing between two questions whether to go on


class Shape(StrEnum):
    RAMP = "ramp"
    UNIFORM = "uniform"


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """How factors follow from identifiers: the key, the least and the most distortion, and the density between."""

    key: Confidential[bytes]
    least: float
    most: float
    shape: Shape = Shape.RAMP

    def of(self, identifiers: Texts, context: Context) -> Integers:
        """One factor per identifier, in billionths."""
        uniforms = uniforms_of(identifiers, self.key.reveal(), context)
        return billionths(quantile(uniforms, least=self.least, most=self.most, shape=self.shape))


def billionths(factors: Floats) -> Integers:
    """Factors as integers: the double times 10⁹, half to even."""
    return np.rint(factors * BILLION).astype(np.int64)


def quantile(uniforms: Floats, *, least: float, most: float, shape: Shape) -> Floats:
    """The factor below which a share u of all units lies."""
    outer = np.minimum(uniforms, 1.0 - uniforms) * 2.0
    share = np.sqrt(outer) if shape is Shape.RAMP else outer
    distance = most - (most - least) * share
    factor: Floats = np.where(uniforms < 0.5, 1.0 - distance, 1.0 + distance)
    return factor


def uniforms_of(identifiers: Texts, key: bytes, context: Context) -> Floats:
    """One number in (0, 1) per identifier: its keyed BLAKE2b hash, always the same under the same key.

    52 bits of the hash, at the middle of their interval, so that neither 0 nor 1 can occur.
    """
    words = hashes_of(identifiers, key, context) >> np.uint64(12)
    return np.asarray((words + 0.5) * 2.0**-52, dtype=np.float64)


def hashes_of(identifiers: Texts, key: bytes, context: Context) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """The keyed BLAKE2b hash of each identifier, as a 64-bit number."""
    keyed = hashlib.blake2b(key=key, digest_size=8)
    hashes = np.empty(len(identifiers), dtype=np.uint64)
    for start in range(0, len(identifiers), _CHUNK):
        context.step(start / len(identifiers), "finding each unit's keyed number")
        part = identifiers[start : start + _CHUNK]
        texts = part.tolist() if isinstance(part, np.ndarray) else part
        words = np.frombuffer(b"".join(_hashed(keyed.copy(), text) for text in texts), dtype="<u8")
        hashes[start : start + len(words)] = words
    return hashes


def _hashed(state: hashlib.blake2b, text: str) -> bytes:
    state.update(text.encode("utf-8", "surrogatepass"))
    return state.digest()

"""XXH64 of many texts or numbers at once: the hash that Spark has built in as `xxhash64`.

Source: Collet (2012), xxHash fast digest algorithm, as specified in version 0.1.1 of its description. All arithmetic is
modulo 2^64. No cryptographic hash.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(prime)
    for prime in (
        0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5,
    )
)  # fmt: skip
_STRIPE = 32


def of_text(text: str, seed: int) -> int:
    """The hash of one text in UTF-8."""
    raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    return int(of_bytes(raw[None, :], seed)[0])


def of_texts(texts: Any, seed: int) -> Words:
    """The hash of each text of an Arrow array of strings without gaps, those of one length at a time."""
    import pyarrow as pa

    array = texts.cast(pa.large_string())
    offsets = np.frombuffer(array.buffers()[1], np.int64)[array.offset : array.offset + len(array) + 1]
    raw = array.buffers()[2]
    data = np.frombuffer(raw, np.uint8) if raw is not None else np.zeros(0, np.uint8)
    lengths = np.diff(offsets)
    made = np.empty(len(array), np.uint64)
    for length in np.unique(lengths):
        which = np.flatnonzero(lengths == length)
        made[which] = of_bytes(data[offsets[which][:, None] + np.arange(length)], seed)
    return made


def of_longs(values: NDArray[Any], seed: int) -> Words:
    """The hash of each 64-bit number, by its eight bytes."""
    with np.errstate(over="ignore"):
        start = np.uint64(seed) + _P5 + np.uint64(8)
    return _finished(_word(np.full(len(values), start), values.view(np.uint64)))


def of_bytes(rows: NDArray[np.uint8], seed: int) -> Words:
    """The hash of each row of a table of bytes."""
    with np.errstate(over="ignore"):
        count, length = rows.shape
        start, done = np.uint64(seed), 0
        if length >= _STRIPE:
            made, done = _stripes(rows, start)
        else:
            made = np.full(count, start + _P5)
        made = made + np.uint64(length)
        while done + 8 <= length:
            made, done = _word(made, _little(rows[:, done : done + 8], "<u8")), done + 8
        if done + 4 <= length:
            made ^= _little(rows[:, done : done + 4], "<u4") * _P1
            made, done = _left(made, 23) * _P2 + _P3, done + 4
        for place in range(done, length):
            made ^= rows[:, place].astype(np.uint64) * _P5
            made = _left(made, 11) * _P1
        return _finished(made)


def _stripes(rows: NDArray[np.uint8], seed: np.uint64) -> tuple[Words, int]:
    count, length = rows.shape
    lanes = [np.full(count, each) for each in (seed + _P1 + _P2, seed + _P2, seed, seed - _P1)]
    done = 0
    while done + _STRIPE <= length:
        for number in range(4):
            word = _little(rows[:, done + 8 * number : done + 8 * number + 8], "<u8")
            lanes[number] = _left(lanes[number] + word * _P2, 31) * _P1
        done += _STRIPE
    made = _left(lanes[0], 1) + _left(lanes[1], 7) + _left(lanes[2], 12) + _left(lanes[3], 18)
    for lane in lanes:
        made = (made ^ (_left(lane * _P2, 31) * _P1)) * _P1 + _P4
    return made, done


def _word(made: Words, word: Words) -> Words:
    with np.errstate(over="ignore"):
        return _left(made ^ (_left(word * _P2, 31) * _P1), 27) * _P1 + _P4


def _finished(made: Words) -> Words:
    with np.errstate(over="ignore"):
        made = (made ^ (made >> np.uint64(33))) * _P2
        made = (made ^ (made >> np.uint64(29))) * _P3
        return made ^ (made >> np.uint64(32))


def _left(values: Words, bits: int) -> Words:
    return (values << np.uint64(bits)) | (values >> np.uint64(64 - bits))


def _little(rows: NDArray[np.uint8], kind: str) -> Words:
    return np.ascontiguousarray(rows).view(kind).reshape(len(rows)).astype(np.uint64)

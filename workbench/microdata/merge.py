"""Millions of short texts brought into order by their bytes packed into integers, where hashing would take too long.

The bytes of each text, filled up with zeros, are digits of a mixed-radix number: position j has as many digits as
different bytes between the smallest and the largest met there. UTF-8 keeps the order of characters, so the numbers have
the order of the texts. Sorting integers is many times faster than hashing and sorting strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.progress import Context

WORTH_IT = 100_000  # below so many texts hashing is as good
_WIDEST = 24
_ROWS = 1 << 17
_IN_CACHE = 1 << 13
Keys = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class _Packing:
    """How texts become numbers: per position the smallest byte and how many bytes from there on."""

    low: NDArray[np.uint8]
    radix: NDArray[np.uint64]

    def pack(self, block: NDArray[np.uint8]) -> Keys:
        keys = np.zeros(len(block), np.uint64)
        for place, (low, radix) in enumerate(zip(self.low, self.radix, strict=True)):
            if radix > 1:
                keys *= radix
                keys += block[:, place] - low
        return keys

    def unpack(self, keys: Keys, into: NDArray[np.uint32]) -> None:
        """Write the characters of each key's text; small keys are divided as small integers, which is quicker."""
        small = prod(int(radix) for radix in self.radix) < 1 << 32
        kind = np.dtype(np.uint32) if small else np.dtype(np.uint64)
        for start in range(0, len(keys), _IN_CACHE):
            rest = keys[start : start + _IN_CACHE].astype(kind)
            points = into[start : start + _IN_CACHE]
            for place in reversed(range(len(self.low))):
                radix = self.radix[place].astype(kind)
                whole = rest // radix
                np.add(rest - whole * radix, self.low[place], out=points[:, place], casting="unsafe")
                rest = whole


@dataclass(frozen=True, slots=True)
class Merged:
    """For every collected text its place among the sorted distinct ones, and where each of these is met once."""

    position: NDArray[np.int32]
    met: NDArray[np.int64]
    keys: tuple[Keys, ...]
    packing: _Packing

    def values(self, context: Context) -> NDArray[np.str_]:
        """The sorted distinct texts."""
        count, width = len(self.met), len(self.packing.low)
        listed = np.empty(count, f"<U{width}")
        points = listed.view(np.uint32).reshape(count, width)
        done = 0
        for keys in self.keys:
            self.packing.unpack(keys, points[done : done + len(keys)])
            done += len(keys)
            context.step(done / count, "Listing identifiers")
        return listed


def merged(chunks: Sequence[Any], context: Context) -> Merged | None:
    """Sort and number the texts of Arrow string arrays; None where they are too few, too wide or not plain ASCII."""
    total = sum(len(chunk) for chunk in chunks)
    packing = _packing(chunks, total, context)
    if packing is None:
        return None
    shift = int(total).bit_length()
    both = prod(int(radix) for radix in packing.radix) << shift < 1 << 64
    keys = np.empty(total, np.uint64)
    done = 0
    for block in _blocks(chunks, len(packing.low)):
        packed = packing.pack(block)
        if both:  # the key first, where it was second: one plain sort then orders both
            packed = packed << np.uint64(shift) | np.arange(done, done + len(block), dtype=np.uint64)
        keys[done : done + len(block)] = packed
        done += len(block)
        context.step(0.2 + 0.2 * done / total, "Putting identifiers into order")
    if both:
        keys.sort()
        order = (keys & np.uint64((1 << shift) - 1)).view(np.int64)
        ordered = np.right_shift(keys, np.uint64(shift), out=keys)
    else:
        order = np.argsort(keys)
        ordered = np.take(keys, order)
    context.step(0.6, "Putting identifiers into order")
    return _numbered(ordered, order, packing=packing, context=context)


def _numbered(ordered: Keys, order: NDArray[np.int64], *, packing: _Packing, context: Context) -> Merged:
    """Number the sorted keys, equal ones alike, and write each number back to where its text came from."""
    position = np.empty(len(order), np.int32)
    distinct: list[Keys] = []
    met: list[NDArray[np.int64]] = []
    count = 0
    for start in range(0, len(order), _ROWS):
        part = ordered[start : start + _ROWS]
        fresh = np.empty(len(part), bool)
        fresh[0] = start == 0 or part[0] != ordered[start - 1]
        np.not_equal(part[1:], part[:-1], out=fresh[1:])
        rows = order[start : start + _ROWS]
        position[rows] = count - 1 + np.cumsum(fresh)
        distinct.append(part[fresh])
        met.append(rows[fresh])
        count += len(distinct[-1])
        context.step(0.6 + 0.4 * start / len(order), "Numbering identifiers")
    return Merged(position, np.concatenate(met), tuple(distinct), packing)


def _packing(chunks: Sequence[Any], total: int, context: Context) -> _Packing | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = all(pa.types.is_string(chunk.type) and not chunk.null_count for chunk in chunks)
    if total < WORTH_IT or not plain:
        return None
    width = max(pc.max(pc.binary_length(chunk)).as_py() or 0 for chunk in chunks)
    if not 0 < width <= _WIDEST or any(pc.min(pc.binary_length(chunk)).as_py() == 0 for chunk in chunks):
        return None
    low, high = np.full(width, 255, np.uint8), np.zeros(width, np.uint8)
    done = 0
    for block in _blocks(chunks, width):
        low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
        done += len(block)
        context.step(0.2 * done / total, "Putting identifiers into order")
    radix = high.astype(np.uint64) - low + np.uint64(1)
    visible = bool(high.max() < 127) and low[0] > 32  # ASCII that begins with a visible character, so never blank
    return _Packing(low, radix) if visible and prod(int(r) for r in radix) < 1 << 64 else None


def _blocks(chunks: Sequence[Any], width: int) -> Iterator[NDArray[np.uint8]]:
    """The bytes of the texts, one row each, filled up with zeros."""
    for chunk in chunks:
        for start in range(0, len(chunk), _ROWS):
            texts = chunk.slice(start, _ROWS)
            _, ends, data = texts.buffers()
            offsets = np.frombuffer(ends, np.int32)[texts.offset : texts.offset + len(texts) + 1]
            joined = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
            lengths = np.diff(offsets)
            if (lengths == width).all():
                yield joined.reshape(len(texts), width)
                continue
            block = np.zeros((len(texts), width), np.uint8)
            block[np.arange(width) < lengths[:, None]] = joined
            yield block

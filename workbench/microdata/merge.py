"""Millions of short texts brought into order by their bytes packed into integers, where hashing would take too long.

Keys that are close together, as running numbers are, need no sorting: a table with a place for each tells which of them
occur, and counting along it numbers them. Others are sorted, which for integers is many times faster than for strings.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.progress import Context, Part
from workbench.core.together import together
from workbench.microdata.packed import Bytes, Keys, PackedTexts, Packing

WORTH_IT = 100_000  # below so many texts hashing is as good
CLOSE = 4  # so many places in the table per text at most: five bytes each, for a short time
_WIDEST = 24
_ROWS = 1 << 17
_PARTS = 8
_SENTENCE = "Putting identifiers into order"


@dataclass(frozen=True, slots=True)
class Merged:
    """The sorted distinct texts, and for every collected text its place among them."""

    values: PackedTexts
    position: NDArray[np.int32]


def merged(chunks: Sequence[Any], context: Context) -> Merged | None:
    """Sort and number the texts of Arrow string arrays; None where they are too few, too wide or not plain ASCII."""
    total = sum(len(chunk) for chunk in chunks)
    packing = _packing(chunks, total, Part(context, 0.0, 0.2))
    if packing is None:
        return None
    numbered = _counted if packing.span <= CLOSE * total else _sorted
    keys, position = numbered(chunks, total, packing, Part(context, 0.2, 1.0))
    return Merged(PackedTexts(keys, packing), position)


def _counted(chunks: Sequence[Any], total: int, packing: Packing, context: Context) -> tuple[Keys, NDArray[np.int32]]:
    """Keys close together: mark each that occurs, count along the marks."""
    keys, met = np.empty(total, packing.kind), np.zeros(packing.span, bool)
    _pack(chunks, packing, keys, Part(context, 0.0, 0.3))
    for start in range(0, total, _ROWS):
        met[keys[start : start + _ROWS]] = True
        context.step(0.3 + 0.1 * start / total, _SENTENCE)
    number = np.empty(packing.span, np.int32)
    count = 0
    for start in range(0, packing.span, _ROWS):
        counted = number[start : start + _ROWS]
        np.cumsum(met[start : start + _ROWS], dtype=np.int32, out=counted)
        counted += np.int32(count - 1)
        count = int(counted[-1]) + 1
        context.step(0.4 + 0.2 * start / packing.span, _SENTENCE)
    position = np.empty(total, np.int32)
    for start in range(0, total, _ROWS):
        np.take(number, keys[start : start + _ROWS], out=position[start : start + _ROWS], mode="wrap")
        context.step(0.6 + 0.4 * start / total, "Numbering identifiers")
    return np.flatnonzero(met).astype(packing.kind), position


def _sorted(chunks: Sequence[Any], total: int, packing: Packing, context: Context) -> tuple[Keys, NDArray[np.int32]]:
    """Keys far apart: sort them. Where both fit into one integer, each carries the place it came from along."""
    shift = int(total).bit_length()
    both = packing.span << shift < 1 << 64
    keys = np.empty(total, np.uint64)
    _pack(chunks, packing, keys, Part(context, 0.0, 0.3))
    if both:
        keys <<= np.uint64(shift)
        keys |= np.arange(total, dtype=np.uint64)
        _sort(keys, Part(context, 0.3, 0.6))
        order = (keys & np.uint64((1 << shift) - 1)).view(np.int64)
        ordered = np.right_shift(keys, np.uint64(shift), out=keys)
    else:
        order = np.argsort(keys)
        ordered = np.take(keys, order)
    context.step(0.6, _SENTENCE)
    return _numbered(ordered, order, packing, Part(context, 0.6, 1.0))


def _sort(keys: Keys, context: Context) -> None:
    """Sort in place: first so that each part holds smaller keys than the next, then the parts side by side."""
    ends = [len(keys) * part // _PARTS for part in range(_PARTS + 1)]
    keys.partition(ends[1:-1])
    context.step(0.3, _SENTENCE)
    together([keys[start:end].sort for start, end in itertools.pairwise(ends)], Part(context, 0.3, 1.0), _SENTENCE)


def _numbered(
    ordered: Keys, order: NDArray[np.int64], packing: Packing, context: Context
) -> tuple[Keys, NDArray[np.int32]]:
    """Number the sorted keys, equal ones alike, and write each number back to where its text came from."""
    position = np.empty(len(order), np.int32)
    distinct: list[NDArray[Any]] = []
    count = 0
    for start in range(0, len(order), _ROWS):
        part = ordered[start : start + _ROWS]
        fresh = np.empty(len(part), bool)
        fresh[0] = start == 0 or part[0] != ordered[start - 1]
        np.not_equal(part[1:], part[:-1], out=fresh[1:])
        position[order[start : start + _ROWS]] = count - 1 + np.cumsum(fresh)
        distinct.append(part[fresh].astype(packing.kind))
        count += len(distinct[-1])
        context.step(start / len(order), "Numbering identifiers")
    return np.concatenate(distinct), position


def _pack(chunks: Sequence[Any], packing: Packing, into: Keys, context: Context) -> None:
    """Write the keys of all texts, in their order."""
    blocks = tuple(_blocks(chunks, packing.width))
    ends = list(itertools.accumulate((len(block) for block in blocks), initial=0))
    parts = [into[start:end] for start, end in itertools.pairwise(ends)]
    together(list(map(partial(partial, packing.pack), blocks, parts)), context, _SENTENCE)


def _packing(chunks: Sequence[Any], total: int, context: Context) -> Packing | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = all(pa.types.is_string(chunk.type) and not chunk.null_count for chunk in chunks)
    if total < WORTH_IT or not plain:
        return None
    width = max(pc.max(pc.binary_length(chunk)).as_py() or 0 for chunk in chunks)
    if not 0 < width <= _WIDEST or any(pc.min(pc.binary_length(chunk)).as_py() == 0 for chunk in chunks):
        return None
    if any(_joined(chunk).min(initial=255) == 0 for chunk in chunks):
        return None  # a zero byte could not be told from filling up
    found = together([partial(_smallest_and_largest, block) for block in _blocks(chunks, width)], context, _SENTENCE)
    low, high = np.min([low for low, _ in found], axis=0), np.max([high for _, high in found], axis=0)
    packing = Packing(low, high.astype(np.uint64) - low + np.uint64(1))
    visible = bool(high.max() < 127) and low[0] > 32  # ASCII that begins with a visible character, so never blank
    return packing if visible and packing.span < 1 << 64 else None


def _smallest_and_largest(block: Bytes) -> tuple[Bytes, Bytes]:
    return _folded(np.minimum, block), _folded(np.maximum, block)


def _folded(choose: Callable[..., Bytes], block: Bytes) -> Bytes:
    """The smallest or largest byte of every position. Halves laid on each other: long runs instead of short rows."""
    while len(block) > 1:
        half = len(block) // 2
        folded: Bytes = choose(block[:half], block[half : 2 * half])
        if len(block) % 2:
            choose(folded[:1], block[-1:], out=folded[:1])
        block = folded
    smallest: Bytes = block[0]
    return smallest


def _blocks(chunks: Sequence[Any], width: int) -> Iterator[Bytes]:
    """The bytes of the texts, one row each, filled up with zeros."""
    for chunk in chunks:
        for start in range(0, len(chunk), _ROWS):
            texts = chunk.slice(start, _ROWS)
            lengths = np.diff(_offsets(texts))
            if (lengths == width).all():
                yield _joined(texts).reshape(len(texts), width)
                continue
            block = np.zeros((len(texts), width), np.uint8)
            block[np.arange(width) < lengths[:, None]] = _joined(texts)
            yield block


def _offsets(texts: Any) -> NDArray[np.int32]:
    """Where each text of an Arrow array begins, and where the last one ends."""
    return np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]


def _joined(texts: Any) -> Bytes:
    """The bytes of all texts of an Arrow array, one after the other."""
    offsets, data = _offsets(texts), texts.buffers()[2]
    return np.frombuffer(data or b"", np.uint8)[offsets[0] : offsets[-1]]

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
_Apart = Callable[[slice], tuple[Keys, NDArray[np.int64]]]


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
    for rows in _slices(total):
        met[keys[rows]] = True
        context.step(0.3 + 0.1 * rows.start / total, _SENTENCE)
    marks = [partial(_met, met, places, packing.kind) for places in _slices(packing.span)]
    found = together(marks, Part(context, 0.4, 0.5), _SENTENCE)
    number, position = np.empty(packing.span, np.int32), np.empty(total, np.int32)
    firsts = itertools.accumulate((len(part) for part in found[:-1]), initial=0)
    counts = [partial(_count, number, part, first) for part, first in zip(found, firsts, strict=True)]
    together(counts, Part(context, 0.5, 0.6), _SENTENCE)
    looking = [partial(np.take, number, keys[rows], out=position[rows], mode="wrap") for rows in _slices(total)]
    together(looking, Part(context, 0.6, 1.0), "Numbering identifiers")
    distinct: Keys = np.concatenate(found)
    return distinct, position


def _met(met: NDArray[np.bool_], places: slice, kind: np.dtype[Any]) -> NDArray[Any]:
    """The keys between two places that occur."""
    found = np.flatnonzero(met[places]).astype(kind)
    found += kind.type(places.start)
    return found


def _count(number: NDArray[np.int32], keys: Keys, first: int) -> None:
    """Number the keys of one stretch from `first` on."""
    number[keys] = np.arange(first, first + len(keys), dtype=np.int32)


def _sorted(chunks: Sequence[Any], total: int, packing: Packing, context: Context) -> tuple[Keys, NDArray[np.int32]]:
    """Keys far apart: sort them. Where both fit into one integer, each carries the place it came from along."""
    shift = int(total).bit_length()
    keys = np.empty(total, np.uint64)
    _pack(chunks, packing, keys, Part(context, 0.0, 0.3))
    if packing.span << shift < 1 << 64:
        together([partial(_carry, keys, rows, shift) for rows in _slices(total)], Part(context, 0.3, 0.35), _SENTENCE)
        _sort(keys, Part(context, 0.35, 0.6))
        apart: _Apart = partial(_carried, keys, shift)
    else:
        order = np.argsort(keys)
        apart = partial(_ordered, keys, order)
    context.step(0.6, _SENTENCE)
    return _numbered(apart, total, packing, Part(context, 0.6, 1.0))


def _carry(keys: Keys, rows: slice, shift: int) -> None:
    """Put the place of each key into its lowest bits, block by block: whole arrays would leave the cache."""
    block = keys[rows]
    block <<= np.uint64(shift)
    block |= np.arange(rows.start, rows.start + len(block), dtype=np.uint64)


def _carried(keys: Keys, shift: int, rows: slice) -> tuple[Keys, NDArray[np.int64]]:
    """Keys and places apart again."""
    return keys[rows] >> np.uint64(shift), (keys[rows] & np.uint64((1 << shift) - 1)).view(np.int64)


def _ordered(keys: Keys, order: NDArray[np.int64], rows: slice) -> tuple[Keys, NDArray[np.int64]]:
    """Keys in their order, and the places that they came from."""
    taken: Keys = keys[order[rows]]
    return taken, order[rows]


def _sort(keys: Keys, context: Context) -> None:
    """Sort in place: halve until each part holds smaller keys than the next, then sort the parts, all side by side."""
    parts = [keys]
    while len(parts) < _PARTS:
        together([partial(part.partition, len(part) // 2) for part in parts], Part(context, 0.0, 0.3), _SENTENCE)
        parts = [half for part in parts for half in (part[: len(part) // 2], part[len(part) // 2 :])]
    together([part.sort for part in parts], Part(context, 0.3, 1.0), _SENTENCE)


def _numbered(apart: _Apart, total: int, packing: Packing, context: Context) -> tuple[Keys, NDArray[np.int32]]:
    """Number the sorted keys, equal ones alike, and write each number back to where its text came from.

    A stretch can be numbered once it is known how many different keys stand before it: they are found first.
    """
    stretches = list(_slices(total))
    finding = [partial(_fresh, apart, rows, packing.kind) for rows in stretches]
    found = together(finding, Part(context, 0.0, 0.4), "Numbering identifiers")
    position = np.empty(total, np.int32)
    firsts = itertools.accumulate((len(distinct) for _, distinct in found), initial=0)
    numbering = [
        partial(_number, apart, rows, fresh, first, position)
        for rows, (fresh, _), first in zip(stretches, found, firsts, strict=False)
    ]
    together(numbering, Part(context, 0.4, 1.0), "Numbering identifiers")
    return np.concatenate([distinct for _, distinct in found]), position


def _fresh(apart: _Apart, rows: slice, kind: np.dtype[Any]) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which keys of a stretch are the first of their kind, and these keys."""
    keys, _ = apart(rows)
    fresh = np.empty(len(keys), bool)
    fresh[0] = not rows.start or apart(slice(rows.start - 1, rows.start))[0][0] != keys[0]
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return fresh, keys[fresh].astype(kind)


def _number(apart: _Apart, rows: slice, fresh: NDArray[np.bool_], first: int, position: NDArray[np.int32]) -> None:
    """Number one stretch, `first` being how many different keys stand before it."""
    _, places = apart(rows)
    numbers = np.cumsum(fresh, dtype=np.int32)
    numbers += np.int32(first - 1)
    position[places] = numbers


def _slices(total: int) -> Iterator[slice]:
    return (slice(start, min(start + _ROWS, total)) for start in range(0, total, _ROWS))


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
    found = together([partial(_smallest_and_largest, block) for block in _blocks(chunks, width)], context, _SENTENCE)
    low, high = np.min([low for low, _ in found], axis=0), np.max([high for _, high in found], axis=0)
    if not low.all() and any(_joined(chunk).min(initial=255) == 0 for chunk in chunks):
        return None  # a zero byte could not be told from filling up
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

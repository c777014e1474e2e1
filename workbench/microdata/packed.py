"""Short texts kept as integers: the bytes of each, filled up with zeros, are digits of a mixed-radix number.

Position j has as many digits as there are bytes between the smallest and the largest met there. UTF-8 keeps the order
of characters, so the numbers have the order of the texts. Eight bytes a text instead of four a character, and nothing
is spelt out before somebody looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

IN_CACHE = 1 << 13
_TABLE = 1 << 14  # entries of a table that spells out several bytes at once: it stays in the cache too
Keys = NDArray[np.uint32] | NDArray[np.uint64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Neighbouring bytes, one, two or four, and what they are for each of their joint digits: one word apiece."""

    first: int
    words: NDArray[Any]

    def write(self, digits: Keys, into: Bytes) -> None:
        size = self.words.itemsize
        into[:, self.first : self.first + size].view(self.words.dtype)[:, 0] = self.words[digits]


@dataclass(frozen=True)
class Packing:
    """How texts become numbers: per position the smallest byte and how many bytes from there on."""

    low: Bytes
    radix: NDArray[np.uint64]

    @property
    def width(self) -> int:
        """The bytes of the longest text."""
        return len(self.low)

    @property
    def span(self) -> int:
        """Every key is below this number."""
        return prod(int(radix) for radix in self.radix)

    @property
    def kind(self) -> np.dtype[Any]:
        """The smallest type that holds every key."""
        return np.dtype(np.uint32 if self.span <= 1 << 32 else np.uint64)

    def pack(self, block: Bytes, into: Keys) -> None:
        """Write the key of every row of bytes. Small pieces, so that a piece stays in the processor's cache.

        Bytes are copied before they are added, which is quicker than adding them as they lie. The smallest ones are
        subtracted at the end, all at once: what overflows on the way comes back, as keys are integers modulo 2^n.
        """
        kind, used = into.dtype.type, np.flatnonzero(self.radix > 1).tolist()
        least, room = 0, np.empty(IN_CACHE, into.dtype)
        for place in used:
            least = least * int(self.radix[place]) + int(self.low[place])
        for start in range(0, len(block), IN_CACHE):
            rows, keys = block[start : start + IN_CACHE], into[start : start + IN_CACHE]
            digits = room[: len(keys)]
            keys[:] = 0
            for place in used:
                keys *= kind(self.radix[place])
                digits[:] = rows[:, place]
                keys += digits
            keys -= kind(least % (1 << 8 * into.dtype.itemsize))

    def unpack(self, keys: Keys, into: Bytes) -> None:
        """Write the bytes of each key's text, one row each."""
        for start in range(0, len(keys), IN_CACHE):
            rest: Keys = keys[start : start + IN_CACHE].astype(self.kind)
            rows = into[start : start + IN_CACHE]
            for stretch in self._stretches:
                span = rest.dtype.type(len(stretch.words))
                whole = rest // span
                stretch.write(rest - whole * span, rows)
                rest = whole

    @cached_property
    def _stretches(self) -> tuple[_Stretch, ...]:
        """The whole width from its end on, in the longest stretches whose tables are small."""
        found, end = [], self.width
        while end:
            size = next(size for size in (4, 2, 1) if size <= end and self._span_of(end - size, end) <= _TABLE)
            found.append(_Stretch(end - size, self._words(end - size, end)))
            end -= size
        return tuple(found)

    def _span_of(self, first: int, end: int) -> int:
        return prod(int(radix) for radix in self.radix[first:end])

    def _words(self, first: int, end: int) -> NDArray[Any]:
        """The bytes between two places for every joint digit, each as one word."""
        rest = np.arange(self._span_of(first, end))
        spelt = np.empty((len(rest), end - first), np.uint8)
        for place in reversed(range(first, end)):
            rest, digit = np.divmod(rest, int(self.radix[place]))
            spelt[:, place - first] = digit + self.low[place]
        return spelt.view(f"u{end - first}")[:, 0]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PackedTexts(Sequence[str]):
    """Texts as sorted keys, spelt out on demand. Like the values of any column they are confidential: no repr."""

    keys: Keys
    packing: Packing

    def __len__(self) -> int:
        return len(self.keys)

    def __repr__(self) -> str:
        return f"<PackedTexts of {self.packing.width} bytes>"

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> PackedTexts: ...
    def __getitem__(self, which: int | slice) -> str | PackedTexts:
        if isinstance(which, slice):
            return PackedTexts(self.keys[which], self.packing)
        return str(_spelt(self.packing, self.keys[which : which + 1 or None])[0])

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), IN_CACHE):
            yield from _spelt(self.packing, self.keys[start : start + IN_CACHE]).tolist()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """All of them as a numpy array of text."""
        del copy  # it is always a new one
        return _spelt(self.packing, self.keys).astype(dtype or np.str_, copy=False)

    @property
    def may_end_blank(self) -> bool:
        """False where no text can end with a blank: all are equally long, and every last byte is visible."""
        return int(self.packing.low[-1]) <= ord(" ")

    def separated(self) -> memoryview:
        """The texts as UTF-8, a zero byte before each."""
        block = np.zeros((len(self), self.packing.width + 1), np.uint8)
        self.packing.unpack(self.keys, block[:, 1:])
        if self.packing.low.all():  # no place is ever filled up with a zero
            return block.data
        kept = block != 0
        kept[:, 0] = True
        found: Bytes = block[kept]
        return found.data

    def as_arrow(self) -> Any:
        """All of them as an Arrow array of text."""
        import pyarrow as pa

        block = np.empty((len(self), self.packing.width), np.uint8)
        self.packing.unpack(self.keys, block)
        kept = block != 0
        ends = np.zeros(len(self) + 1, np.int32)
        np.cumsum(np.count_nonzero(kept, axis=1), out=ends[1:])
        return pa.StringArray.from_buffers(len(self), pa.py_buffer(ends), pa.py_buffer(block[kept]))


def _spelt(packing: Packing, keys: Keys) -> NDArray[np.str_]:
    listed = np.empty(len(keys), f"<U{packing.width}")
    characters = listed.view(np.uint32).reshape(len(keys), packing.width)
    bytes_ = np.empty((min(len(keys), IN_CACHE), packing.width), np.uint8)
    for start in range(0, len(keys), IN_CACHE):
        part = keys[start : start + IN_CACHE]
        packing.unpack(part, bytes_[: len(part)])
        characters[start : start + len(part)] = bytes_[: len(part)]
    return listed

"""Short texts kept as integers: the bytes of each, filled up with zeros, are digits of a mixed-radix number.

Position j has as many digits as there are bytes between the smallest and the largest met there. UTF-8 keeps the order
of characters, so the numbers have the order of the texts. Eight bytes a text instead of four a character, and nothing
is spelt out before somebody looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

IN_CACHE = 1 << 13
Keys = NDArray[np.uint32] | NDArray[np.uint64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
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
        """Write the key of every row of bytes. Small pieces, so that a piece stays in the processor's cache."""
        into[:] = 0
        for start in range(0, len(block), IN_CACHE):
            rows, keys = block[start : start + IN_CACHE], into[start : start + IN_CACHE]
            for place in np.flatnonzero(self.radix > 1).tolist():
                keys *= self.radix[place].astype(keys.dtype)
                keys += rows[:, place] - self.low[place]

    def unpack(self, keys: Keys, into: NDArray[Any]) -> None:
        """Write the bytes of each key's text, one row each, as integers of any type."""
        for start in range(0, len(keys), IN_CACHE):
            rest = keys[start : start + IN_CACHE].astype(self.kind)
            bytes_ = into[start : start + IN_CACHE]
            for place in reversed(range(self.width)):
                if self.radix[place] == 1:
                    bytes_[:, place] = self.low[place]
                    continue
                radix = self.radix[place].astype(self.kind)
                whole = rest // radix
                np.add(rest - whole * radix, self.low[place], out=bytes_[:, place], casting="unsafe")
                rest = whole


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

    def separated(self) -> bytes:
        """The texts as UTF-8, a zero byte before each."""
        block = np.zeros((len(self), self.packing.width + 1), np.uint8)
        self.packing.unpack(self.keys, block[:, 1:])
        if not block[:, 1:].all():
            kept = block != 0
            kept[:, 0] = True
            block = block[kept]
        return bytes(block.data)

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
    packing.unpack(keys, listed.view(np.uint32).reshape(len(keys), packing.width))
    return listed

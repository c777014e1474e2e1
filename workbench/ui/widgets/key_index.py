"""KeyIndex: the text keys of a long table as integers, built in slices so that the window keeps answering.

A column of keys has few different texts. Once each row holds a small number instead, sorting by a key and searching
for a word are numpy operations of a few milliseconds at half a million rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_SLICE = 20_000


class KeyIndex:
    """Call `go_on()` until it returns True; `finish()` does the rest at once."""

    def __init__(self, keys: tuple[tuple[str, ...], ...]) -> None:
        self.rows = len(keys[0]) if keys else 0
        self._codes = [np.zeros(self.rows, dtype=np.int32) for _ in keys]
        self._names: list[dict[str, int]] = [{} for _ in keys]
        self._steps = self._encode(keys)
        self.ready = False

    def _encode(self, keys: tuple[tuple[str, ...], ...]) -> Iterator[None]:
        for column, codes, names in zip(keys, self._codes, self._names, strict=True):
            for start in range(0, self.rows, _SLICE):
                part = column[start : start + _SLICE]
                codes[start : start + len(part)] = [names.setdefault(text, len(names)) for text in part]
                yield

    def go_on(self) -> bool:
        """Encode the next slice; True once all is done."""
        self.ready = self.ready or next(self._steps, self) is self
        return self.ready

    def finish(self) -> None:
        while not self.go_on():
            pass

    def order(self, column: int) -> NDArray[np.intp]:
        """The rows sorted by the texts of a column; rows with the same text keep their order."""
        self.finish()
        names = self._names[column]
        rank = np.zeros(len(names), dtype=np.int32)
        rank[[names[name] for name in sorted(names)]] = np.arange(len(names), dtype=np.int32)
        return np.argsort(rank[self._codes[column]], kind="stable")

    def matching(self, text: str) -> NDArray[np.bool_]:
        """Rows in which every word of the text occurs in one of the keys, whatever the case."""
        self.finish()
        kept = np.ones(self.rows, dtype=np.bool_)
        for word in text.lower().split():
            found = np.zeros(self.rows, dtype=np.bool_)
            for codes, names in zip(self._codes, self._names, strict=True):
                hits = np.fromiter((word in name.lower() for name in names), np.bool_, len(names))
                found |= hits[codes]
            kept &= found
        return kept

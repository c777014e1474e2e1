"""Published values as CSV: UTF-8, numbers as numbers, no cell that a spreadsheet would run as a formula.

What begins a formula gets an apostrophe in front, so that spreadsheets show it; a negative number is no formula and
stays one. Cells with a semicolon or a tab are quoted as well, because spreadsheets of many countries part cells there.
Control characters and marks that turn the direction of text become the replacement sign, as in the report. Lines end
as RFC 4180 says.

Each different text is written once and laid out by its codes, a block of rows at a time: every column fills a strip of
bytes that its longest cell fits into, and what is left over in the strips, NUL bytes that no cell holds, is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.published import MISSING, Coded, Codes, Published, Units
from workbench.core.spreadsheets import starts_a_formula
from workbench.core.together import in_order
from workbench.core.visible import visible

_NEEDS_QUOTES = re.compile('[",;\t\r\n]')
_BLOCK = 2**21  # bytes of a block of rows: what the processor keeps at hand
_MOST_ROWS = 2**14
_WORDS = (1, 2, 4, 8)  # bytes of what a processor moves at once
_MOST_COMBINED = 2**12
_MOST_TEXT = 2**28  # bytes of all values of a column at their widest; beyond, each is kept at its own length

Strip = NDArray[np.uint8]  # rows × bytes, NUL where a cell is shorter than the strip is wide


def csv_bytes(published: Published) -> bytes:
    """The table or the records as the bytes that are published: a line of names, then one for each row."""
    header = ",".join(_cell(name) for name in published.names) + "\r\n"
    return b"".join([header.encode("utf-8"), *_blocks(published)])


def _blocks(published: Published) -> Iterator[bytes]:
    strips = _strips(published)
    step = max(1, min(_MOST_ROWS, _BLOCK // sum(strip.width for strip in strips)))
    starts = range(0, published.rows, step)
    return in_order(partial(_block, strips, slice(start, min(start + step, published.rows))) for start in starts)


def _block(strips: Sequence[_Texts | _Numbers], rows: slice) -> bytes:
    whole = np.empty((rows.stop - rows.start, sum(strip.width for strip in strips)), np.uint8)
    place = 0
    for strip in strips:
        strip.fill(whole[:, place : place + strip.width], rows)
        place += strip.width
    return whole.tobytes().translate(None, b"\x00")


def _strips(published: Published) -> list[_Texts | _Numbers]:
    """One for each column; neighbours with few and short texts share one: a single look then finds several cells."""
    strips: list[_Texts | _Numbers] = []
    for column in published.columns:
        end = b"\r\n" if column is published.columns[-1] else b","
        strip = _texts(column, end) if isinstance(column, Coded) else _Numbers(column, end)
        before = strips[-1] if strips else None
        joined = before.joined(strip) if isinstance(before, _Texts) and isinstance(strip, _Texts) else None
        strips[-1 if joined else len(strips) :] = [joined or strip]
    return strips


def _texts(column: Coded, end: bytes) -> _Texts:
    """Each value once as bytes, the empty cell of NO_CODE last."""
    return _Texts([column.codes], [[_cell(text).encode("utf-8", "replace") + end for text in (*column.values, "")]])


class _Texts:
    """Columns of codes beside each other: every combination of their cells once, found by one number for each row."""

    def __init__(self, codes: list[Codes], cells: list[list[bytes]]) -> None:
        self._codes, self._cells = codes, cells
        self._all = [b"".join(row) for row in product(*cells)]
        wide = max(map(len, self._all))
        self.width = next((size for size in _WORDS if wide <= size), wide)
        self._kind = np.dtype(f"S{self.width}")
        compact = self.width * len(self._all) <= _MOST_TEXT
        self._table = np.array(self._all, dtype=self._kind if compact else object)
        if self.width in _WORDS and compact:
            self._table = self._table.view(f"u{self.width}")  # a word is looked up faster than a text

    def joined(self, other: _Texts) -> _Texts | None:
        """Both in one strip, or None where their combinations would be too many or too long."""
        wide = max(map(len, self._all)) + max(map(len, other._all))
        if wide > max(_WORDS) or len(self._all) * len(other._all) > _MOST_COMBINED:
            return None
        return _Texts([*self._codes, *other._codes], [*self._cells, *other._cells])

    def fill(self, strip: Strip, rows: slice) -> None:
        found = self._table[self._places(rows)]
        if found.dtype == object:
            found = found.astype(self._kind)
        strip.view(found.dtype)[:, 0] = found

    def _places(self, rows: slice) -> NDArray[np.signedinteger[Any]]:
        """The number of each row's combination; NO_CODE is the last cell of its column."""
        if len(self._codes) == 1:
            return self._codes[0][rows]
        place = np.zeros(rows.stop - rows.start, np.int32)
        for codes, cells in zip(self._codes, self._cells, strict=True):
            own = codes[rows].astype(np.int32)
            own[own < 0] = len(cells) - 1
            place *= len(cells)
            place += own
        return place


class _Numbers:
    """A column of numbers: sign, digits, decimals."""

    def __init__(self, column: Units, end: bytes) -> None:
        self._column, self._end = column, np.frombuffer(end, np.uint8)
        largest = max((abs(int(bound)) for bound in _bounds(column)), default=0)
        self._digits = max(len(str(largest)), column.decimals + 1)
        self.width = 1 + self._digits + (1 if column.decimals else 0) + len(end)

    def fill(self, strip: Strip, rows: slice) -> None:
        units = self._column.integers[rows]
        given = units != MISSING if self._column.gaps else None
        strip[:] = 0
        strip[:, -len(self._end) :] = self._end
        strip[:, 0] = np.where(units < 0, ord("-"), 0)
        self._write(strip, np.where(units < 0, -units, units).view(np.uint64))  # −2⁶³ is its own negative: 2⁶³ unsigned
        if given is not None:
            strip[~given, : -len(self._end)] = 0

    def _write(self, strip: Strip, left: NDArray[np.uint64]) -> None:
        place = self.width - len(self._end) - 1
        for digit in range(self._digits):
            if digit == self._column.decimals and digit:
                strip[:, place] = ord(".")
                place -= 1
            left, last = np.divmod(left, np.uint64(10))
            written = last.astype(np.uint8) + ord("0")
            if digit > self._column.decimals:  # no zeros in front
                written[(left == 0) & (last == 0)] = 0
            strip[:, place] = written
            place -= 1


def _bounds(column: Units) -> NDArray[np.int64]:
    return np.array([column.integers.min(), column.integers.max()]) if len(column) else np.zeros(0, np.int64)


def _cell(text: str) -> str:
    shown = visible(text)
    if starts_a_formula(shown):
        shown = f"'{shown}"
    return '"' + shown.replace('"', '""') + '"' if _NEEDS_QUOTES.search(shown) else shown

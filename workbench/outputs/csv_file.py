"""Published values as CSV: UTF-8, numbers as numbers, no cell that a spreadsheet would run as a formula.

What begins a formula gets an apostrophe in front, so that spreadsheets show it; a negative number is no formula and
stays one. Cells with a semicolon or a tab are quoted as well, because spreadsheets of many countries part cells there.
Control characters and marks that turn the direction of text become the replacement sign, as in the report. Lines end
as RFC 4180 says.

Each different text is written once and laid out by its codes, a block of rows at a time: every column fills a strip of
bytes as wide as its longest cell, and what is left over in the strips, NUL bytes that no cell holds, is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from workbench.core.published import Coded, Column, Published, Units
from workbench.core.visible import visible

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NEGATIVE_NUMBER = re.compile(r"-\d+(\.\d+)?")
_NEEDS_QUOTES = re.compile('[",;\t\r\n]')
_BLOCK = 2**21  # bytes of a block of rows: what the processor keeps at hand
_MOST_ROWS = 2**15
_MOST_TEXT = 2**28  # bytes of all values of a column at their widest; beyond, each is kept at its own length

Strip = NDArray[np.uint8]  # rows × bytes, NUL where a cell is shorter than the strip is wide


def csv_bytes(published: Published) -> bytes:
    """The table or the records as the bytes that are published: a line of names, then one for each row."""
    header = ",".join(_cell(name) for name in published.names) + "\r\n"
    return b"".join([header.encode("utf-8"), *_blocks(published)])


def _blocks(published: Published) -> Iterator[bytes]:
    last = len(published.columns) - 1
    made = [_strips(column, b"," if place < last else b"\r\n") for place, column in enumerate(published.columns)]
    step = max(1, min(_MOST_ROWS, _BLOCK // sum(strip.width for strip in made)))
    for start in range(0, published.rows, step):
        rows = slice(start, min(start + step, published.rows))
        whole = np.concatenate([strip.of(rows) for strip in made], axis=1).ravel()
        yield whole[whole != 0].tobytes()


def _strips(column: Column, end: bytes) -> _Texts | _Numbers:
    return _Texts(column, end) if isinstance(column, Coded) else _Numbers(column, end)


class _Texts:
    """A column of codes: each value once as bytes, the empty cell of NO_CODE last."""

    def __init__(self, column: Coded, end: bytes) -> None:
        cells = [_cell(text).encode("utf-8", "replace") + end for text in (*column.values, "")]
        self.width = max(map(len, cells))
        self._kind = np.dtype(f"S{self.width}")
        compact = self.width * len(cells) <= _MOST_TEXT
        self._cells = np.array(cells, dtype=self._kind if compact else object)
        self._codes = column.codes

    def of(self, rows: slice) -> Strip:
        found = self._cells[self._codes[rows]].astype(self._kind, copy=False)
        return found.view(np.uint8).reshape(len(found), self.width)


class _Numbers:
    """A column of numbers: sign, digits, decimals."""

    def __init__(self, column: Units, end: bytes) -> None:
        self._column, self._end = column, np.frombuffer(end, np.uint8)
        largest = max((abs(int(bound)) for bound in _bounds(column)), default=0)
        self._digits = max(len(str(largest)), column.decimals + 1)
        self.width = 1 + self._digits + (1 if column.decimals else 0) + len(end)

    def of(self, rows: slice) -> Strip:
        units = self._column.integers[rows]
        given = self._column.given()[rows] if self._column.gaps else None
        strip = np.zeros((len(units), self.width), np.uint8)
        strip[:, -len(self._end) :] = self._end
        strip[:, 0] = np.where(units < 0, ord("-"), 0)
        self._write(strip, np.where(units < 0, -units, units).view(np.uint64))  # −2⁶³ is its own negative: 2⁶³ unsigned
        if given is not None:
            strip[~given, : -len(self._end)] = 0
        return strip

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
    if shown.startswith(_STARTS_A_FORMULA) and not _NEGATIVE_NUMBER.fullmatch(shown):
        shown = f"'{shown}"
    return '"' + shown.replace('"', '""') + '"' if _NEEDS_QUOTES.search(shown) else shown

"""Fingerprints: of the file's bytes, and of the content whatever the order of rows and columns and the file format.

Content fingerprint. Columns are taken in the order of their names. A coded column's distinct values are sorted, so its
codes mean the same in every file of the same content; SHA-256 covers names, values and the number of rows. Rows are
covered by a sum that does not depend on their order:

    row  = Σ over columns of h(column, code)      two 64-bit lanes, modulo 2^64
    sum  = Σ over rows of mix(row)                two 64-bit lanes, modulo 2^64

where h and mix are the splitmix64 finaliser keyed with SHA-256 of the column's name, and numbers enter by the bits of
their double. A sum, not an exclusive or, so that a repeated row counts. The result is SHA-256 over all of these.

Limits. Two different contents agree by accident with probability about 2^-128. It is no defence against a person who
searches for a second data set with the same sum: splitmix64 is no secret and no cryptographic hash. The file's own
SHA-256 is that defence. It covers the columns that were loaded, in the way they were loaded: another choice of roles,
or 1.50 against 1.5 in a column kept as text, is another content. Labels and titles are not part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.core.plain import digest
from workbench.core.progress import Context, Part
from workbench.core.together import side_by_side, together
from workbench.microdata.files import is_pattern, parquet_files, unreadable
from workbench.microdata.packed import PackedTexts
from workbench.microdata.table import MISSING, CodedColumn, Codes, Column, NumericColumn, Texts

Lanes = NDArray[np.uint64]  # shape: 2 × rows

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ROWS = 1 << 15  # a block and its sums stay in the second cache; with much smaller ones threads wait for each other
_BLOCKS = 8
_VALUES = 1 << 13
_TABLE = 1 << 16  # a larger table would not stay in the cache: mixing is then quicker than looking up
_SENTENCE = "Taking the content's fingerprint"
_SHARED = 1 << 13  # several columns share a table of at most so many combinations


def of_file(path: Path, context: Context) -> str:
    """SHA-256 of the bytes on disk; of a folder, over the names and sums of its files."""
    if path.is_dir() or is_pattern(path):
        home = path if path.is_dir() else path.parent
        named = [(part.relative_to(home).as_posix(), of_file(part, context)) for part in parquet_files(path)]
        return digest(named)
    hashed = hashlib.sha256()
    size = max(path.stat().st_size, 1)
    done = 0
    try:
        with path.open("rb") as stream:
            while block := stream.read(1 << 22):
                hashed.update(block)
                done += len(block)
                context.step(done / size, "Taking the file's fingerprint")
    except OSError as wrong:
        raise unreadable(path, wrong) from None
    return hashed.hexdigest()


def of_content(columns: Mapping[str, Column], rows: int, context: Context) -> str:
    """SHA-256 over names, values and the order-free sum of the rows.

    Values and rows go side by side: SHA-256 takes the values one after the other, and the sums fill the other cores.
    """
    ordered = [columns[name] for name in sorted(columns)]
    tasks: list[Callable[[Context], Any]] = [partial(_described, ordered), partial(_sum_of_rows, _cells(ordered), rows)]
    described, (first, second) = side_by_side(tasks, context)
    return digest({
        "version": 1, "rows": rows, "columns": described, "sum": [f"{first:016x}", f"{second:016x}"],
    })  # fmt: skip


def _described(columns: Sequence[Column], context: Context) -> list[list[str]]:
    """The name of each column, and SHA-256 of its sorted distinct values, each preceded by a separator."""
    found = []
    for number, column in enumerate(columns):
        part = Part(context, number / len(columns), (number + 1) / len(columns))
        found.append([column.name, "numbers" if isinstance(column, NumericColumn) else _of_values(column.values, part)])
    return found


def _of_values(values: Texts, context: Context) -> str:
    hashed = hashlib.sha256()
    for start in range(0, len(values), _VALUES):
        hashed.update(_separated(values[start : start + _VALUES]))
        context.step(start / len(values), _SENTENCE)
    return hashed.hexdigest()


def _separated(values: Texts) -> bytes | memoryview:
    """The texts as UTF-8, a zero byte before each. Arrays of ASCII take a way without Python objects."""
    if isinstance(values, PackedTexts):
        return values.separated()
    if isinstance(values, np.ndarray):
        points = np.ascontiguousarray(values).view(np.uint32).reshape(len(values), -1)
        if points.max(initial=0) < 128:
            block = np.zeros((len(values), points.shape[1] + 1), np.uint8)
            block[:, 1:] = points
            kept = block != 0
            kept[:, 0] = True
            return bytes(block[kept].data)
        values = values.tolist()
    return "".join(f"\0{text}" for text in values).encode("utf-8", "surrogatepass")


def _sum_of_rows(cells: Sequence[_Cells], rows: int, context: Context) -> NDArray[np.uint64]:
    """The sum of all rows, in both lanes."""
    step = _ROWS * _BLOCKS
    blocks = [partial(_sum_of_block, cells, start, min(start + step, rows)) for start in range(0, rows, step)]
    found: NDArray[np.uint64] = np.array(together(blocks, context, _SENTENCE), np.uint64).reshape(-1, 2).sum(axis=0)
    return found


def _sum_of_block(cells: Sequence[_Cells], first: int, last: int) -> NDArray[np.uint64]:
    """The sum of the rows first … last-1, a piece that fits the cache after the other."""
    total = np.zeros(2, np.uint64)
    for start in range(first, last, _ROWS):
        stop = min(start + _ROWS, last)
        summed = np.zeros((2, stop - start), np.uint64)
        for each in cells:
            each.add(start, stop, summed)
        total += _mixed(summed).sum(axis=1, dtype=np.uint64)
    return total


class _Cells(Protocol):
    """One column, or several together, as the hash adds them up."""

    def add(self, start: int, stop: int, summed: Lanes) -> None:
        """Add to each row what its cells contribute."""


@dataclass(frozen=True, slots=True)
class _Looked:
    """Columns of few values: one table of what each combination of their cells adds, a missing cell being the first."""

    columns: tuple[CodedColumn, ...]
    table: Lanes

    def add(self, start: int, stop: int, summed: Lanes) -> None:
        place = self.columns[0].codes.reveal()[start:stop].astype(np.int32)
        place += 1
        for column in self.columns[1:]:
            place *= len(column.values) + 1
            place += column.codes.reveal()[start:stop]
            place += 1
        index, found = place.astype(np.intp), np.empty(stop - start, np.uint64)
        for lane, table in zip(summed, self.table, strict=True):
            lane += np.take(table, index, out=found, mode="clip")  # no place is outside: that saves the asking

    def and_also(self, other: _Looked) -> _Looked:
        """Both in one table: a sum does not ask in how many steps it is taken."""
        table = self.table[:, :, None] + other.table[:, None, :]
        return _Looked((*self.columns, *other.columns), table.reshape(2, -1))


@dataclass(frozen=True, slots=True)
class _Mixing:
    """A column of very many values, or of numbers: a table would not stay in the cache, so each cell is mixed."""

    column: Column
    salt: NDArray[np.uint64]

    def add(self, start: int, stop: int, summed: Lanes) -> None:
        if isinstance(self.column, CodedColumn):
            summed += _mixed(_counter(self.column.codes.reveal()[start:stop]) + self.salt[:, None])
            return
        numbers = self.column.numbers.reveal()[start:stop] + 0.0  # turns -0.0 into 0.0
        bits = np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)
        summed += _mixed(bits ^ self.salt[:, None])


def _cells(columns: Iterable[Column]) -> list[_Cells]:
    """What adds up the rows of all columns: those of few values share tables as long as these stay small."""
    found: list[_Cells] = []
    shared: _Looked | None = None
    for column in columns:
        salt = np.frombuffer(hashlib.sha256(column.name.encode("utf-8")).digest()[:16], "<u8").astype(np.uint64)
        if isinstance(column, NumericColumn) or len(column.values) > _TABLE:
            found.append(_Mixing(column, salt))
            continue
        codes = np.arange(MISSING, len(column.values), dtype=np.int32)
        looked = _Looked((column,), _mixed(_counter(codes) + salt[:, None]))
        if shared is not None and shared.table.size * looked.table.shape[1] <= 2 * _SHARED:
            shared = shared.and_also(looked)
        elif looked.table.size <= 2 * _SHARED:
            found.extend([shared] if shared else [])
            shared = looked
        else:
            found.append(looked)
    return [*found, *([shared] if shared else [])]


def _counter(codes: Codes) -> NDArray[np.uint64]:
    """A number per code for the mixer: 0 where missing, otherwise the golden ratio times 1, 2, 3 …"""
    counted = codes.astype(np.int64)
    counted += 1
    counter = counted.view(np.uint64)
    counter *= _GOLDEN
    return counter


def _mixed(lanes: Lanes) -> Lanes:
    """The finaliser of splitmix64 (Steele, Lea and Flood 2014), modulo 2^64. It overwrites what it is given."""
    lanes += _GOLDEN
    shifted = lanes >> np.uint64(30)
    lanes ^= shifted
    lanes *= np.uint64(0xBF58476D1CE4E5B9)
    lanes ^= np.right_shift(lanes, np.uint64(27), out=shifted)
    lanes *= np.uint64(0x94D049BB133111EB)
    lanes ^= np.right_shift(lanes, np.uint64(31), out=shifted)
    return lanes

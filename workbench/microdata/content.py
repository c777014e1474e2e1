"""Content fingerprint, version 2: free of row order and of file layout, and the same wherever the rows are read.

    cell   = XXH64(value, seed = XXH64("lane:column", 42))      a missing cell is its seed
    row    = XOR over columns of cell                            two 64-bit lanes
    sum    = Σ over rows of XXH64(row, 42)                       modulo 2^64
    result = SHA-256 over the version, names and kinds of the columns, the number of rows and both sums

Texts enter by their UTF-8, numbers by the bits of their double, −0 as 0. Names are part of the seeds, so that two equal
columns do not cancel. Version 1 (`fingerprint.py`) needs the rank of every value among all others, and so all of them
in one place. Two different contents agree by accident with probability about 2^-128; it is no defence against a
person who searches for a second data set with the same sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.plain import digest
from workbench.core.progress import Context
from workbench.microdata import xxhash
from workbench.microdata.table import CodedColumn, Column, NumericColumn

SEED = 42
LANES = 2
_MASK = (1 << 64) - 1
_ROWS = 1 << 16


def seed_of(lane: int, column: str) -> int:
    return xxhash.of_text(f"{lane}:{column}", SEED)


def fingerprint_of(kinds: Mapping[str, str], rows: int, sums: tuple[int, ...]) -> str:
    """The fingerprint from what any engine adds up: `kinds` are "codes" or "numbers" by column."""
    said = [[name, kinds[name]] for name in sorted(kinds)]
    return digest({"version": 2, "rows": rows, "columns": said, "sum": [f"{each & _MASK:016x}" for each in sums]})


def of_columns(columns: Mapping[str, Column], rows: int, context: Context) -> str:
    """The fingerprint of data in memory: each different value is hashed once."""
    tables = {name: _table(column) for name, column in columns.items() if isinstance(column, CodedColumn)}
    sums = [0] * LANES
    for start in range(0, rows, _ROWS):
        context.step(start / max(rows, 1), "Taking the content's fingerprint")
        stop = min(start + _ROWS, rows)
        for lane in range(LANES):
            row = np.zeros(stop - start, np.uint64)
            for name, column in columns.items():
                row ^= _cells(column, tables.get(name), lane, slice(start, stop))
            sums[lane] = (sums[lane] + added(row)) & _MASK
    kinds = {name: "codes" if isinstance(column, CodedColumn) else "numbers" for name, column in columns.items()}
    return fingerprint_of(kinds, rows, tuple(sums))


def added(row: NDArray[np.uint64]) -> int:
    """Σ XXH64(row) modulo 2^64."""
    return int(xxhash.of_longs(row, SEED).sum(dtype=np.uint64)) if len(row) else 0


def of_numbers(numbers: NDArray[np.float64], seed: int) -> NDArray[np.uint64]:
    """The cells of a column of numbers; not-a-number is missing."""
    made = xxhash.of_longs(np.ascontiguousarray(numbers + 0.0), seed)
    return np.where(np.isnan(numbers), np.uint64(seed), made)


def of_arrow_texts(texts: Any, seed: int) -> NDArray[np.uint64]:
    """The cells of a column of texts in Arrow; null is missing. Repeated texts are hashed once."""
    coded = texts.dictionary_encode()
    table: NDArray[np.uint64] = np.append(xxhash.of_texts(coded.dictionary, seed), np.uint64(seed))
    place: NDArray[np.int64] = coded.indices.fill_null(len(coded.dictionary)).to_numpy(zero_copy_only=False)
    return table[place]


def _table(column: CodedColumn) -> list[NDArray[np.uint64]]:
    """Per lane one hash for every code, and the last for missing."""
    import pyarrow as pa

    from workbench.microdata.packed import PackedTexts

    values = column.values
    texts = values.as_arrow() if isinstance(values, PackedTexts) else pa.array(values, pa.string())
    seeds = [seed_of(lane, column.name) for lane in range(LANES)]
    return [np.append(xxhash.of_texts(texts, seed), np.uint64(seed)) for seed in seeds]


def _cells(
    column: Column, table: list[NDArray[np.uint64]] | None, lane: int, rows: slice
) -> NDArray[np.uint64]:  # fmt: skip
    if isinstance(column, NumericColumn):
        return of_numbers(column.numbers.reveal()[rows], seed_of(lane, column.name))
    return np.take(table[lane], column.codes.reveal()[rows], mode="wrap")  # type: ignore[index]

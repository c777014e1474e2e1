"""Some rows of loaded microdata, as microdata again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.microdata.packed import PackedTexts
from workbench.microdata.table import MISSING, CodedColumn, Codes, Column, Microdata, Texts
from workbench.microdata.texts import smallest_integer

_ROWS = 1 << 16


def take_rows(microdata: Microdata, rows: NDArray[Any]) -> Microdata:
    """The rows with these numbers, in this order. The fingerprint stays that of the file they come from."""
    columns = {name: take(column, rows) for name, column in microdata.columns.items()}
    return replace(microdata, rows=len(rows), columns=columns, stayed=None, seen=None)


def leave_rows(microdata: Microdata, rows: NDArray[Any]) -> Microdata:
    """The same as a step of shaping, which remembers the rows of the file that stay."""
    before = microdata.stayed
    stayed = rows.astype(np.int64) if before is None else before.reveal()[rows]
    return replace(take_rows(microdata, rows), stayed=Confidential(stayed))


def seen_rows(microdata: Microdata, rows: NDArray[Any]) -> Microdata:
    """The same, each column taken when it is first asked for: the rows they come from stay in memory."""
    columns: Mapping[str, Column] = microdata.columns
    seen = rows if microdata.seen is None else microdata.seen.reveal()[rows]
    if isinstance(columns, _Seen):
        rows, columns = seen, columns.whole
    return replace(microdata, rows=len(rows), columns=_Seen(columns, rows), stayed=None, seen=Confidential(seen))


def as_held(microdata: Microdata, name: str) -> tuple[Column, NDArray[Any] | None]:
    """A column as it is in memory and which of its rows are seen; None where it is all of them."""
    columns = microdata.columns
    return columns.held(name) if isinstance(columns, _Seen) else (columns[name], None)


class _Seen(Mapping[str, Column]):
    """Columns of some rows, taken one by one."""

    def __init__(self, whole: Mapping[str, Column], rows: NDArray[Any]) -> None:
        self.whole, self.rows = whole, rows
        self._taken: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        if name not in self._taken:
            self._taken[name] = take(self.whole[name], self.rows)
        return self._taken[name]

    def held(self, name: str) -> tuple[Column, NDArray[Any] | None]:
        taken = self._taken.get(name)
        return (self.whole[name], self.rows) if taken is None else (taken, None)

    def __contains__(self, name: object) -> bool:
        return name in self.whole

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole)

    def __len__(self) -> int:
        return len(self.whole)


def take(column: Column, rows: NDArray[Any]) -> Column:
    """A column of these rows only; values that no row has any more are no longer listed."""
    if not isinstance(column, CodedColumn):
        numbers = np.take(column.numbers.reveal(), rows)
        return replace(column, numbers=Confidential(numbers), missing=int(np.count_nonzero(np.isnan(numbers))))
    return recoded(column, np.take(column.codes.reveal(), rows), column.values)


def recoded(column: CodedColumn, codes: NDArray[Any], values: Texts) -> CodedColumn:
    """The column with other codes into sorted `values`, of which only those that occur are kept."""
    kept = np.flatnonzero(_met(codes, len(values)))
    missing = int(np.count_nonzero(codes < 0))
    if len(kept) < len(values):
        number = np.full(len(values) + 1, MISSING, np.int32)
        number[kept] = np.arange(len(kept), dtype=np.int32)
        codes, values = np.take(number, codes, mode="wrap"), listed(values, kept)
    narrow: Codes = np.asarray(codes, dtype=np.dtype(smallest_integer(len(values))))
    return replace(column, codes=Confidential(narrow), values=values, missing=missing)


def _met(codes: NDArray[Any], size: int) -> NDArray[np.bool_]:
    """Which codes occur. A few rows often have all of them already."""
    met = np.zeros(size + 1, bool)
    for start in range(0, len(codes), _ROWS):
        met[codes[start : start + _ROWS]] = True  # missing cells write to the last entry
        if met[:-1].all():
            break
    return met[:-1]


def listed(values: Texts, which: NDArray[Any]) -> Texts:
    """The texts at these places."""
    if isinstance(values, PackedTexts):
        return PackedTexts(values.keys[which], values.packing)
    if isinstance(values, np.ndarray):
        chosen: NDArray[np.str_] = values[which]
        return chosen
    return tuple(values[place] for place in which.tolist())

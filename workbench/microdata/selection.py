"""Some rows of loaded microdata, as microdata again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.microdata.packed import PackedTexts
from workbench.microdata.table import MISSING, CodedColumn, Codes, Column, Microdata, Texts
from workbench.microdata.texts import smallest_integer


def take_rows(microdata: Microdata, rows: NDArray[Any]) -> Microdata:
    """The rows with these numbers, in this order. The fingerprint stays that of the file they come from."""
    columns = {name: take(column, rows) for name, column in microdata.columns.items()}
    return replace(microdata, rows=len(rows), columns=columns)


def take(column: Column, rows: NDArray[Any]) -> Column:
    """A column of these rows only; values that no row has any more are no longer listed."""
    if not isinstance(column, CodedColumn):
        numbers = column.numbers.reveal()[rows]
        return replace(column, numbers=Confidential(numbers), missing=int(np.count_nonzero(np.isnan(numbers))))
    return recoded(column, column.codes.reveal()[rows], column.values)


def recoded(column: CodedColumn, codes: NDArray[Any], values: Texts) -> CodedColumn:
    """The column with other codes into sorted `values`, of which only those that occur are kept."""
    met = np.zeros(len(values) + 1, bool)
    met[codes] = True  # missing cells write to the last entry
    met[-1] = False
    kept = np.flatnonzero(met)
    missing = int(np.count_nonzero(codes < 0))
    if len(kept) < len(values):
        number = np.full(len(values) + 1, MISSING, np.int32)
        number[kept] = np.arange(len(kept), dtype=np.int32)
        codes, values = np.take(number, codes, mode="wrap"), listed(values, kept)
    narrow: Codes = np.asarray(codes, dtype=np.dtype(smallest_integer(len(values))))
    return replace(column, codes=Confidential(narrow), values=values, missing=missing)


def listed(values: Texts, which: NDArray[Any]) -> Texts:
    """The texts at these places."""
    if isinstance(values, PackedTexts):
        return PackedTexts(values.keys[which], values.packing)
    if isinstance(values, np.ndarray):
        chosen: NDArray[np.str_] = values[which]
        return chosen
    return tuple(values[place] for place in which.tolist())

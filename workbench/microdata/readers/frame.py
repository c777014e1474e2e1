"""A data frame as microdata: pandas, Arrow, Polars and whatever speaks Arrow's interface, without a file between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from workbench.core.errors import UserProblem
from workbench.microdata.files import Kind
from workbench.microdata.header import named_twice, require_named
from workbench.microdata.readers.contract import Batch, Opened, Unreadable

_ROWS_AT_ONCE = 1 << 20
_NESTED = Unreadable("lists or records", "Keep one plain value per cell, or give it the role ignore")
NAME = "data frame"


def opened_frame(frame: Any) -> Opened:
    """A frame as a reader gives a file. Columns that are codes already (categories, dictionaries) stay codes."""
    import pyarrow as pa

    if hasattr(frame, "iloc"):  # pandas: Arrow refuses such names without saying why
        _refuse_twice(tuple(str(name) for name in frame.columns))
    table = _as_arrow(frame)
    names = tuple(str(name) for name in table.column_names)
    _refuse_twice(names)
    require_named(Path(NAME), names, "Name every column")
    if not names:
        raise UserProblem("The data frame has no columns", NAME, "Pass a frame with data")
    nested = {name: _NESTED for name, kind in zip(names, table.schema.types, strict=True) if pa.types.is_nested(kind)}

    def batches(columns: tuple[str, ...]) -> Iterator[Batch]:
        chosen, done = _met_only(table.select(list(columns)).unify_dictionaries()), 0
        for batch in chosen.to_batches(max_chunksize=_ROWS_AT_ONCE):
            done += batch.num_rows
            yield Batch({name: batch.column(name) for name in columns}, batch.num_rows, done / max(table.num_rows, 1))

    return Opened(kind=Kind.FRAME, columns=names, found=(NAME,), batches=batches, unreadable=nested)


def _met_only(table: Any) -> Any:
    """Categories that no row has are no values of the data: the same rows read from a file would not list them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if not pa.types.is_dictionary(column.type) or not column.num_chunks:
            continue
        dictionary = column.chunk(0).dictionary
        met = np.zeros(len(dictionary) + 1, bool)
        for chunk in column.chunks:
            met[pc.fill_null(chunk.indices, len(dictionary)).to_numpy(zero_copy_only=False)] = True
        if not met[:-1].all():
            few = pc.if_else(pa.array(met[:-1]), dictionary, pa.scalar(None, dictionary.type))
            chunks = [pa.DictionaryArray.from_arrays(chunk.indices, few) for chunk in column.chunks]
            table = table.set_column(place, name, pa.chunked_array(chunks))
    return table


def _refuse_twice(names: tuple[str, ...]) -> None:
    twice = named_twice(names)
    if twice:
        listed = ", ".join(f"“{name}”" for name in twice[:5])
        raise UserProblem(f"More than one column is called {listed}", NAME, "Give every column its own name")


def _as_arrow(frame: Any) -> Any:
    import pyarrow as pa

    try:
        if isinstance(frame, pa.Table):
            return frame
        if hasattr(frame, "columns") and hasattr(frame, "iloc"):  # pandas: its index is no column
            _refuse_mixed(frame)
            return pa.Table.from_pandas(frame, preserve_index=False)
        return pa.table(frame)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, ValueError):
        do = "Pass a pandas, Polars or Arrow frame whose columns hold one type each"
        raise UserProblem("This cannot be read as a data frame", NAME, do) from None


def _refuse_mixed(frame: Any) -> None:
    """Text and numbers in one column: 1 and "1" would be one code or two, and nobody would know which."""
    import pandas as pd
    from pandas.api.types import infer_dtype

    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        if column.dtype != object or not infer_dtype(column, skipna=True).startswith("mixed"):
            continue
        kinds = {type(value) for value in column if value is not None and value is not pd.NA and value == value}
        if len(kinds) > 1 and not kinds <= {list, tuple, dict, set, np.ndarray}:
            do = "Make it text or numbers throughout, for example with .astype(str)"
            raise UserProblem(f"“{name}” holds values of different types", NAME, do)

"""A data frame as microdata: pandas, Arrow, Polars and whatever speaks Arrow's interface, without a file between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from workbench.core.errors import UserProblem
from workbench.microdata.files import Kind
from workbench.microdata.header import named_twice, require_named
from workbench.microdata.readers.categories import met_only
from workbench.microdata.readers.contract import Batch, Opened, Unreadable, without_plain_values

_ROWS_AT_ONCE = 1 << 20
NAME = "data frame"
_ONE_TYPE = "Make it text or numbers throughout, for example with .astype(str)"


def opened_frame(frame: Any) -> Opened:
    """A frame as a reader gives a file. Columns that are codes already (categories, dictionaries) stay codes.

    A column whose cells cannot be taken is no obstacle until it gets a role.
    """
    import pyarrow as pa

    if _is_pandas(frame):  # Arrow refuses such names without saying why
        names = tuple("" if name is None or name != name else str(name) for name in frame.columns)
        _refuse_names(names)
    table, odd = _as_arrow(frame)
    if not _is_pandas(frame):
        names = tuple(str(name) for name in (frame.columns if odd else table.column_names))
        _refuse_names(names)
    if not names:
        raise UserProblem("The data frame has no columns", NAME, "Pass a frame with data")
    if not (len(frame) if odd else table.num_rows):
        raise UserProblem("The data frame has no rows", NAME, "Pass a frame with data")
    odd |= without_plain_values(table.column_names, table.schema.types, verb="Keep")

    def batches(columns: tuple[str, ...]) -> Iterator[Batch]:
        chosen, done = table.select(list(columns)).unify_dictionaries(), 0
        for place, (name, column) in enumerate(zip(columns, chosen.columns, strict=True)):
            if pa.types.is_dictionary(column.type) and column.num_chunks:
                chosen = chosen.set_column(place, name, pa.chunked_array(met_only(column.chunks)))
        for batch in chosen.to_batches(max_chunksize=_ROWS_AT_ONCE):
            done += batch.num_rows
            yield Batch({name: batch.column(name) for name in columns}, batch.num_rows, done / max(table.num_rows, 1))

    return Opened(kind=Kind.FRAME, columns=names, found=(NAME,), batches=batches, unreadable=odd)


def _refuse_names(names: tuple[str, ...]) -> None:
    _refuse_twice(names)
    require_named(Path(NAME), names, "Name every column")


def _refuse_twice(names: tuple[str, ...]) -> None:
    twice = named_twice(names)
    if twice:
        listed = ", ".join(f"“{name}”" for name in twice[:5])
        raise UserProblem(f"More than one column is called {listed}", NAME, "Give every column its own name")


def _is_pandas(frame: Any) -> bool:
    return hasattr(frame, "iloc") and hasattr(frame, "columns")


def _as_arrow(frame: Any) -> tuple[Any, dict[str, Unreadable]]:
    """The columns that Arrow takes, and what the others hold."""
    import pyarrow as pa

    try:
        if isinstance(frame, pa.Table):
            return frame, {}
        if _is_pandas(frame):
            return _from_pandas(frame)
        odd = _objects(frame)
        return pa.table(frame.drop(list(odd)) if odd else frame), odd
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        do = "Pass a pandas, Polars or Arrow frame whose columns hold one type each"
        if callable(getattr(frame, "collect", None)):
            do = "It is not computed yet: pass what .collect() gives"
        raise UserProblem("This cannot be read as a data frame", NAME, do) from None


def _from_pandas(frame: Any) -> tuple[Any, dict[str, Unreadable]]:
    """The same for pandas; its index is no column."""
    import pyarrow as pa

    odd = _mixed(frame)
    written = _as_written(_without(frame, odd))
    try:
        return pa.Table.from_pandas(written, preserve_index=False), odd
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        more = _not_for_arrow(written)
        if not more:
            raise
        return pa.Table.from_pandas(_without(written, more), preserve_index=False), odd | more


def _without(frame: Any, odd: Mapping[str, Unreadable]) -> Any:
    if not odd:
        return frame
    return frame.iloc[:, [place for place, name in enumerate(frame.columns) if str(name) not in odd]]


def _not_for_arrow(frame: Any) -> dict[str, Unreadable]:
    """The columns that Arrow takes in no way."""
    import pyarrow as pa

    found = {}
    for position, name in enumerate(frame.columns):
        try:
            pa.Array.from_pandas(frame.iloc[:, position])
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            found[str(name)] = Unreadable("values that are no text, number or date", _ONE_TYPE)
    return found


def _as_written(frame: Any) -> Any:
    """Classes of pandas.cut, periods and durations as pandas writes them: Arrow has no text for (0, 15]."""
    import pandas as pd

    changed = frame
    for position in range(len(frame.columns)):
        column = frame.iloc[:, position]
        if isinstance(column.dtype, pd.SparseDtype):
            made = column.sparse.to_dense()
        elif _written_by_pandas(column.dtype):
            made = column.astype("category")
        else:
            made = column
        kind = made.dtype
        if isinstance(kind, pd.CategoricalDtype) and _written_by_pandas(kind.categories.dtype):
            made = made.cat.rename_categories([str(each) for each in kind.categories])
        if made is not column:
            changed = frame.copy(deep=False) if changed is frame else changed
            changed.isetitem(position, made)
    return changed


def _written_by_pandas(kind: Any) -> bool:
    import pandas as pd

    return isinstance(kind, pd.IntervalDtype | pd.PeriodDtype) or kind.kind == "m"


def _objects(frame: Any) -> dict[str, Unreadable]:
    """Polars hands on the addresses of Python objects, not what they are."""
    if not type(frame).__module__.startswith("polars") or not hasattr(frame, "__arrow_c_stream__"):
        return {}  # a frame that is not computed yet has no rows to take
    kinds = dict(getattr(frame, "schema", {}))
    do = "Make it text or numbers throughout, for example with .cast(pl.String)"
    held = Unreadable("values that are no text, number or date", do)
    return {str(name): held for name, kind in kinds.items() if str(kind).startswith("Object")}


def _mixed(frame: Any) -> dict[str, Unreadable]:
    """Columns of text and numbers: 1 and "1" would be one code or two, and nobody would know which."""
    import pandas as pd
    from pandas.api.types import infer_dtype

    found = {}
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        if column.dtype != object or not infer_dtype(column, skipna=True).startswith("mixed"):
            continue
        kinds = {type(value) for value in column if value is not None and value is not pd.NA and value == value}
        if len(kinds) > 1 and not kinds <= {list, tuple, dict, set, np.ndarray}:
            found[str(name)] = Unreadable("values of different types", _ONE_TYPE)
    return found

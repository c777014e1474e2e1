"""Parquet, read straight into dictionaries where the file stores text."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from workbench.core.progress import Context
from workbench.core.together import in_order, still_wanted
from workbench.microdata.files import Kind, corrupt, require_modest
from workbench.microdata.options import ReadOptions
from workbench.microdata.readers.categories import met_only
from workbench.microdata.readers.contract import Batch, Opened, without_plain_values

_ROWS_AT_ONCE = 1 << 18
_BYTES_OF_A_CODE = 4
_FEW_ROWS = 10_000
_LONGEST_LIST = 4096
_FEWEST_GROUPS = 4
_LARGEST_GROUP = 1 << 20
_MOST_CELLS, _MOST_BYTES = 1 << 24, 1 << 27  # of a group of rows, of which several are held at once


def opened(path: Path, options: ReadOptions, context: Context) -> Opened:
    """Open a Parquet file by its footer; no row is read yet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    del options  # a Parquet file says everything about itself
    context.step(0.0, "Opening the Parquet file")
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            wide = _long_hand(file.metadata)
            _require_modest(path, file.metadata)
    except (pa.ArrowException, OSError):
        raise corrupt(path, Kind.PARQUET) from None
    nested = without_plain_values(schema.names, schema.types)
    texts = [field.name for field in schema if _is_text(field.type) and field.name not in wide]

    categories = {field.name for field in schema if pa.types.is_dictionary(field.type)}

    def batches(columns: tuple[str, ...]) -> Iterator[Batch]:
        for batch in _batches(path, columns, [name for name in texts if name in columns]):
            few = {name: met_only([batch.arrays[name]])[0] for name in columns if _is_list(name, batch, categories)}
            yield replace(batch, arrays={**batch.arrays, **few}) if few else batch

    return Opened(
        kind=Kind.PARQUET, columns=tuple(schema.names), found=("Parquet file",), batches=batches, unreadable=nested
    )


def _is_list(name: str, batch: Batch, categories: set[str]) -> bool:
    """Whether a column of categories is short enough to be a list of values; identifiers keep the file's dictionary."""
    return name in categories and len(batch.arrays[name].dictionary) <= _LONGEST_LIST


def _long_hand(about: Any) -> frozenset[str]:
    """Columns whose texts are mostly written out rather than listed once: dictionaries would only cost time."""
    if not about.num_row_groups:
        return frozenset()
    group = about.row_group(0)
    columns = (group.column(position) for position in range(group.num_columns))
    return frozenset(
        column.path_in_schema
        for column in columns
        if column.total_uncompressed_size > _BYTES_OF_A_CODE * max(column.num_values, _FEW_ROWS)
    )


def _require_modest(path: Path, about: Any) -> None:
    """By what the footer says of the texts, before any is read."""
    for group in (about.row_group(place) for place in range(about.num_row_groups)):
        for column in (group.column(place) for place in range(group.num_columns)):
            if column.physical_type == "BYTE_ARRAY":
                require_modest(path, packed=column.total_compressed_size, unpacked=column.total_uncompressed_size)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


def _batches(path: Path, columns: tuple[str, ...], texts: list[str]) -> Iterator[Batch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            total, done = max(file.metadata.num_rows, 1), 0
            for batch in _groups(path, file, columns, texts) or _one_by_one(file, columns):
                done += batch.num_rows
                arrays = {name: batch.column(name) for name in columns}
                yield Batch(arrays, batch.num_rows, done / total)
    except (pa.ArrowException, OSError):
        raise corrupt(path, Kind.PARQUET) from None


def _one_by_one(file: Any, columns: tuple[str, ...]) -> Iterator[Any]:
    """Batches in the order of the file; Arrow reads the columns of one batch side by side."""
    found: Iterator[Any] = file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=list(columns))
    return found


def _groups(path: Path, file: Any, columns: tuple[str, ...], texts: list[str]) -> Iterator[Any] | None:
    """The same batches with several groups of rows under way at once, so that no core waits for the longest column.

    None where groups are too few or too large to be held several at a time.
    """
    about = file.metadata
    rows = [about.row_group(place).num_rows for place in range(about.num_row_groups)]
    largest = max(rows, default=0)
    if len(rows) < _FEWEST_GROUPS or largest > _LARGEST_GROUP or largest * len(columns) > _MOST_CELLS:
        return None
    if max(about.row_group(place).total_byte_size for place in range(len(rows))) > _MOST_BYTES:
        return None
    tasks: list[Callable[[], list[Any]]] = [
        partial(_group, path, place, columns, texts, about) for place in range(len(rows))
    ]
    return (batch for group in in_order(tasks) for batch in group)


def _group(path: Path, place: int, columns: tuple[str, ...], texts: list[str], about: Any) -> list[Any]:
    """One group of rows, read by this thread alone."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, read_dictionary=texts, metadata=about) as file:
        found = file.iter_batches(
            batch_size=_ROWS_AT_ONCE, row_groups=[place], columns=list(columns), use_threads=False
        )
        return list(itertools.takewhile(lambda _: still_wanted(), found))

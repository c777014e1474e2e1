"""A folder of Parquet files with one schema, read as one table in the order of their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.core.quantities import counted
from workbench.microdata.files import Kind, parquet_files
from workbench.microdata.options import ReadOptions
from workbench.microdata.partitions import partitioned
from workbench.microdata.readers import parquet
from workbench.microdata.readers.contract import Batch, Opened

_ONE_LAYOUT = "Bring the files to one layout, or move the odd one away"


def opened(path: Path, options: ReadOptions, context: Context) -> Opened:
    """Every footer is read before any row: the file that differs is named, and what it differs in."""
    files = parquet_files(path)
    parts = [
        parquet.opened(file, options, Part(context, place / len(files), (place + 1) / len(files)))
        for place, file in enumerate(files)
    ]
    first, columns = files[0], parts[0].columns
    for file, part in zip(files[1:], parts[1:], strict=True):
        odd = sorted(set(columns) ^ set(part.columns))
        if odd:
            listed = ", ".join(f"“{name}”" for name in odd[:5])
            what = f"{file.name} and {first.name} do not have the same columns: {listed}"
            raise UserProblem(what, path.name, _ONE_LAYOUT)
    _require_types(path, files)

    shared = partitioned(path, files, columns)

    def batches(wanted: tuple[str, ...]) -> Iterator[Batch]:
        inside = tuple(name for name in wanted if name in columns) or columns[:1]
        for place, (part, values) in enumerate(zip(parts, shared, strict=True)):
            for batch in part.batches(inside):
                arrays = {**batch.arrays, **{name: _same(values[name], batch.rows) for name in values}}
                yield Batch(arrays, batch.rows, (place + batch.fraction) / len(parts))

    found: tuple[str, ...] = (f"folder of {counted(len(files), 'Parquet file')}",)
    if shared[0]:
        found = (*found, f"columns named by its folders: {', '.join(shared[0])}")
    return Opened(
        kind=Kind.PARQUET, columns=(*columns, *shared[0]), found=found, batches=batches,
        unreadable=parts[0].unreadable,
    )  # fmt: skip


def _same(text: str | None, rows: int) -> Any:
    """A column that holds one text in every row, or none."""
    import pyarrow as pa

    if text is None:
        return pa.nulls(rows, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array([text], pa.string()))


def _require_types(path: Path, files: Sequence[Path]) -> None:
    """One kind of value per column: 1 in one file and 01 in another would be two codes of one place."""
    import pyarrow.parquet as pq

    known: dict[str, tuple[str, Path]] = {}
    for file in files:
        for field in pq.read_schema(file):
            kind = _kind(field.type)
            if not kind:  # nothing but gaps, which fits every kind
                continue
            before, where = known.setdefault(field.name, (kind, file))
            if before != kind:
                what = f"“{field.name}” holds {kind} in {file.name} and {before} in {where.name}"
                raise UserProblem(what, path.name, _ONE_LAYOUT)


def _kind(kind: Any) -> str:
    """What a column holds, as far as its codes go: widths of integers and texts make no difference."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return _kind(kind.value_type)
    if types.is_null(kind):
        return ""
    if types.is_integer(kind):
        return "whole numbers"
    if types.is_floating(kind):
        return "numbers with fractions"
    return "text" if types.is_string(kind) or types.is_large_string(kind) else str(kind)

"""Published values as Parquet: categories as dictionaries, decimals as exact decimals, titles and labels as metadata.

The metadata of a field hold its title, its unit and, as JSON, the label of each value.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.published import NO_CODE, Coded, Column, Published, Units

if TYPE_CHECKING:
    import pyarrow as pa

_DIGITS = 19  # of the largest 64-bit integer


def parquet_bytes(published: Published) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [_array(column) for column in published.columns]
    fields = [
        pa.field(column.name, array.type, metadata=_metadata(column))
        for column, array in zip(published.columns, arrays, strict=True)
    ]
    file = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), file)
    return file.getvalue()


def _array(column: Column) -> pa.Array:
    import pyarrow as pa

    if isinstance(column, Coded):
        codes = pa.array(column.codes, mask=column.codes == NO_CODE)
        return pa.DictionaryArray.from_arrays(codes, pa.array([_storable(text) for text in column.values], pa.string()))
    if column.decimals:
        return _decimals(column)
    return pa.array(column.integers, mask=~column.given())


def _decimals(column: Units) -> pa.Array:
    """The integers are the decimals, once the column says where the point stands: 128 bits each, sign extended."""
    import pyarrow as pa

    wide = np.stack([column.integers, np.where(column.integers < 0, -1, 0)], axis=1).astype("<i8")
    given = pa.array(column.given()).buffers()[1]
    kind = pa.decimal128(_DIGITS, column.decimals)
    return pa.Array.from_buffers(kind, len(column), [given, pa.py_buffer(wide.tobytes())])


def _metadata(column: Column) -> dict[str, str]:
    told: dict[str, Any] = {"title": column.title}
    if isinstance(column, Units):
        told["unit"] = column.unit
    elif len(column.labels):
        told["labels"] = json.dumps(dict(zip(column.values, column.labels, strict=True)), ensure_ascii=False)
    return {name: _storable(text) for name, text in told.items() if text}


def _storable(text: str) -> str:
    """Text as UTF-8 can hold it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

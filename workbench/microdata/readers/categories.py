"""Columns that are categories already: only those that a row has are values of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_PROBE = 4_096  # rows in which most lists are met in full


def met_only(chunks: Sequence[Any]) -> list[Any]:
    """Stretches of a column that share one dictionary, without the categories of no row, and counted with signs.

    The same rows written as text would not list such categories, and other engines do not see them.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not chunks or not pa.types.is_dictionary(chunks[0].type):
        return list(chunks)
    words = chunks[0].dictionary
    polars = _as_polars_keeps_them(chunks[0].type)
    if not polars and len(chunks[0].slice(0, _PROBE).indices.drop_null().unique()) == len(words):
        return list(chunks)
    met = np.zeros(len(words) + 1, bool)
    for chunk in chunks:
        places = chunk.indices
        if places.null_count or not len(words):
            places = places.cast(pa.int64()).fill_null(len(words))  # narrow numbers may have no room for a gap
        met[places.to_numpy(zero_copy_only=False)] = True
    if met[:-1].all() and not polars:
        return list(chunks)
    if pa.types.is_string_view(words.type):
        words = words.cast(pa.string())
    if not met[:-1].all():
        words = pc.if_else(pa.array(met[:-1]), words, pa.scalar(None, words.type))
    return [pa.DictionaryArray.from_arrays(_signed(chunk.indices), words) for chunk in chunks]


def _as_polars_keeps_them(kind: Any) -> bool:
    """Polars counts categories with unsigned numbers and keeps texts as views."""
    import pyarrow as pa

    return bool(pa.types.is_unsigned_integer(kind.index_type) or pa.types.is_string_view(kind.value_type))


def _signed(places: Any) -> Any:
    """The same places as signed numbers, without a copy where they are wide enough."""
    import pyarrow as pa

    kind = places.type
    if not pa.types.is_unsigned_integer(kind):
        return places
    return places.view(pa.int32()) if kind.bit_width == 32 else places.cast(pa.int32())

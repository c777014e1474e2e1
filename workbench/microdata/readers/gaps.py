"""Missing-value codes in whatever a reader gives: Parquet, databases and Stata have them as well as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from workbench.microdata.readers.contract import Batch, Opened
from workbench.microdata.texts import as_text


def with_gaps(file: Opened, codes: tuple[str, ...]) -> Opened:
    """The same file, cells with one of these texts missing."""
    if not codes:
        return file

    def batches(columns: tuple[str, ...]) -> Iterator[Batch]:
        for batch in file.batches(columns):
            yield replace(batch, arrays={name: _without(array, codes) for name, array in batch.arrays.items()})

    return replace(file, batches=batches)


def _without(array: Any, codes: tuple[str, ...]) -> Any:
    """Judged by the distinct values: few of them, however many rows there are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    texts = pc.utf8_trim_whitespace(as_text(coded.dictionary))
    gone = pc.is_in(texts, pa.array(codes, texts.type))
    if not pc.any(gone, min_count=0).as_py():
        return array
    kinds = coded.dictionary.type
    kept = pa.DictionaryArray.from_arrays(coded.indices, pc.if_else(gone, pa.scalar(None, kinds), coded.dictionary))
    return kept if coded is array else kept.dictionary_decode()

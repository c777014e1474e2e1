"""A data dictionary as a notebook writes it: a mapping, or a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workbench.microdata.dictionary import ColumnWords, DataDictionary, code_text, read_csv

Dictionary = str | Path | Mapping[str, Mapping[str, str]]


def dictionary_of(said: Dictionary | None) -> DataDictionary | None:
    """The lists that a person declares public."""
    if said is None:
        return None
    if isinstance(said, str | Path):
        return read_csv(Path(said))
    columns = {
        column: ColumnWords(labels={code_text(value): str(label) for value, label in values.items()})
        for column, values in said.items()
    }
    return DataDictionary(columns=columns, name="dictionary")

"""The code book of a release as CSV: what every column holds, and the words for its values."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.published import Coded, Column, ColumnRole, Published, coded
from workbench.outputs.csv_file import csv_bytes

TITLES = ("column", "title", "holds", "unit", "decimals", "value", "label")
_MOST_VALUES = 1000  # a longer list without labels, such as all blocks of a state, says nothing that the file does not


def code_book(published: Published) -> bytes:
    """One line for every column, followed by one for each of its values; notes come last."""
    rows = [row for column in published.columns for row in _lines(column)]
    rows += [("", note, "note", "", "", "", "") for note in published.notes]
    columns = (coded(title, texts) for title, texts in zip(TITLES, zip(*rows, strict=True), strict=True))
    return csv_bytes(Published(columns=tuple(columns), records=True))


def _lines(column: Column) -> Iterator[tuple[str, ...]]:
    if not isinstance(column, Coded):
        holds = "counts" if column.counts else "numbers"
        empty = "; empty: no value" if column.gaps else ""
        yield column.name, column.title, f"{holds}{empty}", column.unit, str(column.decimals), "", ""
        return
    holds = "key" if column.role is ColumnRole.KEY else "category"
    empty = "" if column.given().all() else "; empty: no value"
    yield column.name, column.title, f"{holds}{empty}", "", "", "", ""
    if len(column.labels) or len(column.values) <= _MOST_VALUES:
        labels = column.labels if len(column.labels) else ("",) * len(column.values)
        for value, label in zip(column.values, labels, strict=True):
            yield column.name, "", "value", "", "", value, label

"""The first rows of a file as they are read, for a person who says what its columns mean. Confidential."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.progress import Context
from workbench.microdata.options import Header, ReadOptions
from workbench.microdata.readers import open_data
from workbench.microdata.texts import as_text

MOST_ROWS = 50
_LONGEST = 200  # characters of one cell: a preview is no place for a novel


@dataclass(frozen=True, slots=True, repr=False)
class FirstRows:
    """A few rows as text, empty text where a cell is missing."""

    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return f"<confidential FirstRows ({self.row_count} × {len(self.columns)})>"

    @property
    def row_count(self) -> int:
        return len(self.cells)

    def rows(self, start: int, stop: int) -> list[list[str]]:
        return [list(row) for row in self.cells[max(start, 0) : stop]]

    def examples(self, column: str, most: int = 3) -> tuple[str, ...]:
        """The first different values of a column."""
        position = self.columns.index(column)
        return tuple(dict.fromkeys(row[position] for row in self.cells if row[position]))[:most]


def first_rows(path: Path, options: ReadOptions, context: Context) -> FirstRows:
    """As far as the first rows can be read. Where nobody can tell whether the first line names the columns, it is shown
    as a row, so that a person can."""
    try:
        return _read(path, options, context)
    except UserProblem:
        if options.header is not Header.AUTO:
            raise
    return _read(path, replace(options, header=Header.ABSENT), context)


def _read(path: Path, options: ReadOptions, context: Context) -> FirstRows:
    file = open_data(path, options, context)
    names = tuple(name for name in file.columns if name not in file.unreadable)
    batches = file.batches(names)
    try:
        batch = next(iter(batches), None)
    finally:
        close = getattr(batches, "close", None)
        if close is not None:
            close()
    if batch is None or not names:
        return FirstRows(names, ())
    columns = []
    for name in names:
        texts = as_text(_plain(batch.arrays[name].slice(0, MOST_ROWS)))
        columns.append(["" if text is None else str(text)[:_LONGEST] for text in texts.to_pylist()])
    return FirstRows(names, tuple(zip(*columns, strict=True)))


def _plain(array: object) -> object:
    import pyarrow as pa

    return array.dictionary_decode() if isinstance(array, pa.DictionaryArray) else array

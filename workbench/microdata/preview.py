"""A window onto the rows: decoded on demand, for a virtual table. Confidential; for the reviewer's eyes only."""

from __future__ import annotations

import numpy as np

from workbench.microdata.dictionary import code_text
from workbench.microdata.table import MISSING, CodedColumn, Column, Microdata


class Preview:
    """Rows of loaded microdata as text. Nothing is decoded until it is asked for, and nothing is kept."""

    def __init__(self, microdata: Microdata) -> None:
        self._columns = tuple(microdata.columns.values())
        self.row_count = microdata.rows
        self.columns = tuple(microdata.columns)
        self.titles = tuple(column.title or column.name for column in self._columns)

    def __repr__(self) -> str:
        return f"<confidential Preview ({self.row_count} × {len(self.columns)})>"

    def rows(self, start: int, stop: int) -> list[list[str]]:
        """The rows start … stop-1 as lists of text, empty text where a cell is missing."""
        start, stop = max(start, 0), min(stop, self.row_count)
        decoded = [_decoded(column, start, stop) for column in self._columns]
        return [list(row) for row in zip(*decoded, strict=True)]


class PreviewOfCounts:
    """What can be shown of data whose rows stay elsewhere: one line per column, counts alone."""

    columns = ("column", "holds", "values", "missing")
    titles = columns

    def __init__(self, microdata: Microdata) -> None:
        self._lines = [
            [
                name,
                "codes" if isinstance(column, CodedColumn) else "numbers",
                f"{len(column.values):,}" if isinstance(column, CodedColumn) else "",
                f"{column.missing:,}",
            ]
            for name, column in microdata.columns.items()
        ]
        self.row_count = len(self._lines)

    def rows(self, start: int, stop: int) -> list[list[str]]:
        return self._lines[max(start, 0) : stop]


def _decoded(column: Column, start: int, stop: int) -> list[str]:
    if isinstance(column, CodedColumn):
        codes = column.codes.reveal()[start:stop].tolist()
        return ["" if code == MISSING else str(column.values[code]) for code in codes]
    numbers = column.numbers.reveal()[start:stop].tolist()
    return ["" if np.isnan(number) else code_text(number) for number in numbers]

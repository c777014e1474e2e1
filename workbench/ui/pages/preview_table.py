"""The rows of the microdata, decoded only where they are looked at."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from workbench.ui.widgets.tables.table_views import Column, TableView

_BLOCK = 20


class Rows(Protocol):
    """Rows as text, decoded when they are asked for."""

    columns: tuple[str, ...]
    row_count: int

    def rows(self, start: int, stop: int) -> list[list[str]]: ...


class PreviewTable(TableView):
    """A virtual table over 10.9 million rows as over twenty."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Preview of the microdata")
        self._preview: Rows | None = None
        self._block: tuple[int, list[list[str]]] = (-1, [])

    def set_preview(self, preview: Rows | None) -> None:
        self._preview = preview
        self._block = (-1, [])
        names = preview.columns if preview is not None else ()
        columns = [Column(name, partial(self._cell, column=i)) for i, name in enumerate(names)]
        self.set_table(columns, preview.row_count if preview is not None else 0)

    def _shrinkable(self) -> list[bool]:
        """Identifiers and codes are read whole or not at all; the table scrolls sideways instead."""
        return [False] * self.table.columnCount()

    def sampled_rows(self) -> range:
        """Only rows of one block: decoding elsewhere would cost more than the widths are worth."""
        return range(min(self.table.rowCount(), _BLOCK))

    def _cell(self, row: int, column: int) -> str:
        """Cells are asked for one by one; a block of rows is decoded at a time."""
        start = row - row % _BLOCK
        if self._block[0] != start and self._preview is not None:
            self._block = (start, self._preview.rows(start, start + _BLOCK))
        return self._block[1][row - start][column]

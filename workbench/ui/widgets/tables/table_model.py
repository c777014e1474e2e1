"""ArrayTableModel: a table of any length that is never copied; a cell is made when it is looked at.

    ArrayTableModel((Column("place", lambda row: codes[row]), Column("size", counts.__getitem__, number=True)), rows=n)
    model.set_order(permutation)     shows these source rows in this order (sorting and filtering); None: all, as stored
    model.source_row(row)            from a shown row to the stored one

Rows are fetched on demand by the view itself: nothing is built per row, so 10.9 million rows cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from workbench.core.quantities import show
from workbench.ui.widgets.plain_tip import plain_tip

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Column:
    """One column: a title, where its cells come from, and how they are shown."""

    title: str
    cell: Callable[[int], object]
    number: bool = False
    show: Callable[[object], str] | None = None
    tip: str = ""
    told: Callable[[int], str] | None = None  # what there is to say of a row's cell when the pointer rests on it


def shown(value: object) -> str:
    """A cell as a person reads it: thousands separated, no needless decimals, a dash where there is nothing."""
    if value is None:
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}".replace("-", "−")
    if isinstance(value, float | np.floating):
        number = float(value)
        if math.isnan(number):
            return "–"
        if math.isinf(number):
            return "∞" if number > 0 else "−∞"
        cents = 1000 <= abs(number) < 1e9 and number != round(number)
        return (f"{number:,.1f}" if cents else show(number)).replace("-", "−")
    if isinstance(value, Decimal):
        return show(value).replace("-", "−")
    return str(value)


class ArrayTableModel(QAbstractTableModel):
    """A read-only table over callables."""

    def __init__(self, columns: Sequence[Column] = (), rows: int = 0) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._rows = rows
        self.order: NDArray[np.intp] | None = None
        self._sorted: tuple[int, str] | None = None

    def set_table(self, columns: Sequence[Column], rows: int) -> None:
        self.beginResetModel()
        self._columns, self._rows, self.order, self._sorted = tuple(columns), rows, None, None
        self.endResetModel()

    def set_order(self, order: NDArray[np.intp] | None) -> None:
        self.beginResetModel()
        self.order = order
        self.endResetModel()

    def set_sorted(self, column: int | None, *, descending: bool = True) -> None:
        """Which heading shows an arrow. The order itself is set with `set_order`."""
        self._sorted = None if column is None else (column, "↓" if descending else "↑")
        if self._columns:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)

    def source_row(self, row: int) -> int:
        return row if self.order is None else int(self.order[row])

    def column(self, number: int) -> Column:
        return self._columns[number]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        if parent.isValid():
            return 0
        return self._rows if self.order is None else len(self.order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        column = self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            value = column.cell(self.source_row(index.row()))
            return column.show(value) if column.show else shown(value)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            if column.told is not None:
                return plain_tip(column.told(self.source_row(index.row())) or "") or None
            return (
                None if column.number else plain_tip(str(self.data(index) or ""))
            )  # a narrow column shortens its words
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Vertical:
            return f"{self.source_row(section) + 1:,}" if role == Qt.ItemDataRole.DisplayRole else None
        column = self._columns[section] if 0 <= section < len(self._columns) else None
        if column is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = f" {self._sorted[1]}" if self._sorted and self._sorted[0] == section else ""
            return column.title + arrow
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(column.tip or column.title.replace("\n", " "))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

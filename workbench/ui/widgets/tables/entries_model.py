"""The lines of a data dictionary for one column: value, label, parent and population, typed or pasted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from workbench.review.run.dictionary_view import Entry

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_FIELDS = ("value", "label", "parent", "population")
_HELP = (
    "The code as the data write it; 01 and 1 differ.",
    "What readers see.",
    "The coarser code it belongs to, where there is one.",
    "Public number of inhabitants, where sizes of places matter.",
)


class EntriesModel(QAbstractTableModel):
    """`entries` is what stands there now; `edited` says that a person changed it."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []

    def show_entries(self, entries: Iterable[Entry]) -> None:
        self.beginResetModel()
        self.entries = list(entries)
        self.endResetModel()

    def add(self, entries: Sequence[Entry]) -> None:
        if entries:
            self.beginInsertRows(_ROOT, len(self.entries), len(self.entries) + len(entries) - 1)
            self.entries += entries
            self.endInsertRows()
            self.edited.emit()

    def remove(self, rows: Iterable[int]) -> None:
        gone = set(rows)
        if gone:
            self.show_entries(entry for row, entry in enumerate(self.entries) if row not in gone)
            self.edited.emit()

    def paste(self, text: str, at: Index) -> None:
        """Lines of a spreadsheet, cells separated by tabs, from the current cell on; new lines are added as needed."""
        row, first = (at.row(), at.column()) if at.isValid() else (len(self.entries), 0)
        for line in text.rstrip("\r\n").splitlines():
            if row >= len(self.entries):
                self.add([Entry()])
            cells = dict(zip(_FIELDS[first:], (cell.strip() for cell in line.split("\t")), strict=False))
            self.entries[row] = replace(self.entries[row], **cells)
            row += 1
        if self.entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.entries) - 1, len(_FIELDS) - 1))
            self.edited.emit()

    # What a view asks
    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(_FIELDS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return {Qt.ItemDataRole.DisplayRole: _FIELDS, Qt.ItemDataRole.ToolTipRole: _HELP}.get(
            Qt.ItemDataRole(role), (None,) * len(_FIELDS)
        )[section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return getattr(self.entries[index.row()], _FIELDS[index.column()])
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if not index.isValid() or role != Qt.ItemDataRole.EditRole:
            return False
        changed = replace(self.entries[index.row()], **{_FIELDS[index.column()]: str(value).strip()})
        if changed != self.entries[index.row()]:
            self.entries[index.row()] = changed
            self.dataChanged.emit(index, index)
            self.edited.emit()
        return True

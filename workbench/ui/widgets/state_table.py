"""A table whose first column is the state of a release: an icon beside the word, never colour alone."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from workbench.ui.widgets.icons import icon
from workbench.ui.widgets.table_model import ArrayTableModel
from workbench.ui.widgets.words import release_look

Index = QModelIndex | QPersistentModelIndex


class StateModel(ArrayTableModel):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and index.column() == 0 and role == Qt.ItemDataRole.DecorationRole:
            look = release_look(str(super().data(index)))
            return icon(look.icon, look.role)
        if index.isValid() and role == Qt.ItemDataRole.ToolTipRole:
            return str(super().data(index) or "")
        return super().data(index, role)

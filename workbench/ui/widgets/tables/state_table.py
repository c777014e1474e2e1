"""A table whose first column is the state of a release: an icon beside the word, never colour alone."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon

from workbench.ui import theme
from workbench.ui.widgets.icons import icon
from workbench.ui.widgets.plain_tip import plain_tip
from workbench.ui.widgets.tables.table_model import ArrayTableModel
from workbench.ui.widgets.words import release_look

Index = QModelIndex | QPersistentModelIndex


class StateModel(ArrayTableModel):
    """Icons are made once per state and theme: a view asks for them with every painting."""

    def __init__(self) -> None:
        super().__init__()
        self._icons: dict[str, QIcon] = {}
        self._drawn = theme.tokens()

    def _icon(self, state: str) -> QIcon:
        if self._drawn is not theme.tokens():
            self._icons, self._drawn = {}, theme.tokens()
        if state not in self._icons:
            look = release_look(state)
            self._icons[state] = icon(look.icon, look.role)
        return self._icons[state]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and index.column() == 0 and role == Qt.ItemDataRole.DecorationRole:
            return self._icon(str(super().data(index)))
        if index.isValid() and role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(str(super().data(index) or ""))
        return super().data(index, role)

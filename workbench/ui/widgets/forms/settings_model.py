"""The cells of a table of settings as they are typed: a row for each name, a column for each field.

What stands in a cell is what a person typed or chose, for `core.params` to judge; what is wrong is laid over the cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor

from workbench.core.params import Field, fields_of
from workbench.ui import theme
from workbench.ui.widgets.icons import icon

Index = QModelIndex | QPersistentModelIndex
Cell = tuple[str, str]  # the row's name and the field's
_ROOT = QModelIndex()


class SettingsModel(QAbstractTableModel):
    """`raw()` is the table as a plan would hold it; `edited` says that a person changed it."""

    edited = Signal()

    def __init__(self, params: type[Any], by: str) -> None:
        super().__init__()
        self.fields = fields_of(params)
        self._default = params()
        self._by = by
        self._rows: dict[str, dict[str, object]] = {}
        self._titles: dict[str, str] = {}
        self._wrong: dict[Cell, str] = {}

    # What it holds
    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._rows)

    def raw(self) -> dict[str, dict[str, object]]:
        return {name: dict(cells) for name, cells in self._rows.items()}

    def show_rows(self, rows: Mapping[str, Any]) -> None:
        """Show these rows; nothing is changed where they are shown already, half a number in a cell least of all."""
        wanted = {name: self._plain(row) for name, row in rows.items()}
        if {name: self._plain_raw(cells) for name, cells in self._rows.items()} != wanted:
            self._reset(wanted)

    def set_titles(self, titles: Mapping[str, str]) -> None:
        """Longer names of rows, for their tool tips."""
        self._titles = dict(titles)

    def set_wrong(self, wrong: Mapping[Cell, str]) -> None:
        if self._wrong != dict(wrong):
            self._wrong = dict(wrong)
            if self._rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.fields)))

    # What a person does
    def add(self, names: Iterable[str]) -> None:
        new = [name for name in names if name and name not in self._rows]
        if new:
            self._reset({**self._rows, **{name: self._plain(self._default) for name in new}})
            self.edited.emit()

    def remove(self, places: Iterable[int]) -> None:
        gone = {self.names[place] for place in places}
        if gone:
            self._reset({name: cells for name, cells in self._rows.items() if name not in gone})
            self.edited.emit()

    def fill(self, column: int, source: int, places: Iterable[int]) -> None:
        """Write the value of one row into others, in one column."""
        field = self.fields[column - 1].name
        value = self._rows[self.names[source]][field]
        for place in places:
            self._rows[self.names[place]][field] = value
        self.dataChanged.emit(self.index(0, column), self.index(len(self._rows) - 1, column))
        self.edited.emit()

    # What a view asks
    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else 1 + len(self.fields)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        field = self.field_at(section)
        if role == Qt.ItemDataRole.DisplayRole:
            unit = f" ({field.unit})" if field is not None and field.unit else ""
            return self._by if field is None else f"{field.label}{unit}"
        if role == Qt.ItemDataRole.ToolTipRole and field is not None:
            return f"{field.label}. {field.help}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        plain = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        field = self.field_at(index.column())
        if field is None:
            return plain
        return plain | (Qt.ItemFlag.ItemIsUserCheckable if field.type is bool else Qt.ItemFlag.ItemIsEditable)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        name, field = self.names[index.row()], self.field_at(index.column())
        if field is None:
            return self._of_name(name, role)
        value, wrong = self._rows[name][field.name], self._wrong.get((name, field.name), "")
        if field.type is bool:
            if role == Qt.ItemDataRole.CheckStateRole:
                return Qt.CheckState.Checked if value is True else Qt.CheckState.Unchecked
            value = ""
        if role == Qt.ItemDataRole.DisplayRole:
            return _shown(field, value)
        if role == Qt.ItemDataRole.EditRole:
            return value if field.choices else _text(value)
        if role == Qt.ItemDataRole.ToolTipRole:
            return wrong or field.help
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{name}, {field.label}: {wrong or _shown(field, self._rows[name][field.name])}"
        if wrong and role == Qt.ItemDataRole.DecorationRole:
            return icon("cross", "fail")
        if wrong and role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme.tokens().fail)
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        field = self.field_at(index.column()) if index.isValid() else None
        if field is None:
            return False
        if role == Qt.ItemDataRole.CheckStateRole:
            value = Qt.CheckState(value) is Qt.CheckState.Checked
        elif role != Qt.ItemDataRole.EditRole:
            return False
        cells = self._rows[self.names[index.row()]]
        new = value.strip() if isinstance(value, str) else value
        if new != cells[field.name]:
            cells[field.name] = new
            self.dataChanged.emit(index, index)
            self.edited.emit()
        return True

    def field_at(self, column: int) -> Field | None:
        return None if column == 0 else self.fields[column - 1]

    def _of_name(self, name: str, role: int) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return name
        return self._titles.get(name, name) if role == Qt.ItemDataRole.ToolTipRole else None

    def _plain(self, row: Any) -> dict[str, object]:
        return {field.name: _raw(getattr(row, field.name)) for field in self.fields}

    def _plain_raw(self, cells: Mapping[str, object]) -> dict[str, object]:
        return {name: _raw(value) for name, value in cells.items()}

    def _reset(self, rows: Mapping[str, Mapping[str, object]]) -> None:
        self.beginResetModel()
        self._rows = {name: dict(cells) for name, cells in rows.items()}
        self.endResetModel()


def _raw(value: object) -> object:
    """A value as it is typed: numbers as their text, choices by name, lists with commas."""
    if isinstance(value, bool):
        return value
    if isinstance(value, StrEnum):
        return str(value.value)
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else _text(value)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _shown(field: Field, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field.choices and value in field.choices:
        return field.choice_labels[field.choices.index(str(value))]
    return _text(value)


def cells_wrong(problems: Sequence[tuple[tuple[str, ...], str]]) -> dict[Cell, str]:
    """Problems laid on cells: (path inside the table, words) → (row, field) → words."""
    return {(path[0], path[1]): words for path, words in problems if len(path) > 1}

"""The columns of a data file with a role for each: suggested with a reason, chosen by a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QHeaderView, QTableWidget, QTableWidgetItem

from workbench.microdata.inspect import ColumnInfo
from workbench.microdata.roles import ROLE_HELP, Role
from workbench.microdata.table import CodedColumn, Column, Microdata

_ROLE, _REASON, _FACT = 200, 150, 66  # pixels
_HEADINGS = ("column", "role", "why this role", "type", "distinct", "missing")


def _facts(column: Column | None) -> tuple[str, str, str, str]:
    if column is None:
        return "confirmed", "", "", ""
    if isinstance(column, CodedColumn):
        return "confirmed", "codes", f"{len(column.values):,}", f"{column.missing:,}"
    return "confirmed", "numbers", "", f"{column.missing:,}"


def _told(name: str, texts: tuple[str, str, str, str]) -> str:
    """Everything known of a column, for its tool tip: a narrow table shows only some of it."""
    reason, kind, distinct, missing = texts
    counted = (f"{distinct} distinct" if distinct else "", f"{missing} missing" if missing else "")
    facts = " · ".join(part for part in (kind, *counted) if part)
    return "\n".join(part for part in (name, facts, reason) if part)


class RolesTable(QTableWidget):
    roles_changed = Signal()

    def __init__(self) -> None:
        super().__init__(0, len(_HEADINGS))
        self.setHorizontalHeaderLabels(list(_HEADINGS))
        self.setAccessibleName("Columns and roles")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setAlternatingRowColors(True)
        self.setTabKeyNavigation(False)  # Tab goes on to the choosers and out again, not through every cell
        self.verticalHeader().hide()
        self.setShowGrid(False)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(48)
        header.setMaximumSectionSize(230)  # a longer name is shortened; its tool tip has it all
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Interactive)
        self.setColumnWidth(1, _ROLE)
        self.setColumnWidth(3, 84)
        self._reasons = False
        self.verticalHeader().setDefaultSectionSize(38)
        self.setWordWrap(True)  # a row is high enough for two lines

    def set_columns(self, columns: Sequence[ColumnInfo], confirmed: Mapping[str, Role]) -> None:
        """Show inspected columns; a role confirmed earlier wins over a suggestion. Reasons matter until then."""
        self._show_reasons(not confirmed)
        self.setRowCount(len(columns))
        for row, column in enumerate(columns):
            texts = (column.reason, column.type, f"{column.distinct:,}", f"{column.missing:,}")
            self._fill(row, column.name, confirmed.get(column.name, column.suggested_role), texts)
        self._make_room()

    def set_confirmed(self, roles: Mapping[str, Role], microdata: Microdata | None) -> None:
        """Show the roles a plan already holds, with what is known of the columns once they are loaded."""
        self._show_reasons(False)
        self.setRowCount(len(roles))
        for row, (name, role) in enumerate(roles.items()):
            self._fill(row, name, role, _facts(microdata.columns.get(name) if microdata else None))
        self._make_room()

    def _show_reasons(self, shown: bool) -> None:
        self._reasons = shown
        self.setColumnHidden(2, not shown)
        header = self.horizontalHeader()
        header.setSectionResizeMode(
            0, QHeaderView.ResizeMode.ResizeToContents if shown else QHeaderView.ResizeMode.Stretch
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Facts that do not fit are left to the tool tip of the name: nobody looks for them behind a scroll bar."""
        room = self.viewport().width() - self.sizeHintForColumn(0) - _ROLE - (_REASON if self._reasons else 0)
        for column in (5, 4, 3):
            wide = 84 if column == 3 else max(self.sizeHintForColumn(column), _FACT)
            room -= wide
            self.setColumnHidden(column, room < 0)

    def roles(self) -> dict[str, Role]:
        """The roles as chosen now, in the order of the file."""
        chosen: dict[str, Role] = {}
        for row in range(self.rowCount()):
            name, box = self.item(row, 0), self.cellWidget(row, 1)
            if name is not None and isinstance(box, QComboBox):
                chosen[name.text()] = Role(box.currentData())
        return chosen

    def box(self, column: str) -> QComboBox:
        """The chooser of one column."""
        for row in range(self.rowCount()):
            item, box = self.item(row, 0), self.cellWidget(row, 1)
            if item is not None and item.text() == column and isinstance(box, QComboBox):
                return box
        raise KeyError(column)

    def _fill(self, row: int, name: str, role: Role, texts: tuple[str, str, str, str]) -> None:
        known = self.item(row, 0)
        same = known is not None and known.text() == name
        named = QTableWidgetItem(name)
        named.setToolTip(_told(name, texts))
        self.setItem(row, 0, named)
        for i, text in enumerate(texts):
            item = QTableWidgetItem(text)
            item.setToolTip(text)
            if i in (2, 3):
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.setItem(row, 2 + i, item)
        chooser = self.cellWidget(row, 1)
        if same and isinstance(chooser, QComboBox):  # making a chooser is slow; one for the same column serves on
            chooser.setCurrentText(role.value)
        else:
            chooser = self._chooser(name, role)
            self.setCellWidget(row, 1, chooser)
        chooser.setToolTip(f"Suggested: {texts[0]}" if texts[0] and texts[0] != "confirmed" else "")

    def _chooser(self, name: str, role: Role) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(f"Role of {name}")
        for i, choice in enumerate(Role):
            box.addItem(choice.value, choice.value)
            box.setItemData(i, ROLE_HELP[choice], Qt.ItemDataRole.ToolTipRole)
        box.setCurrentText(role.value)
        # The wheel scrolls the table; it must never change a role by accident.
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        box.currentIndexChanged.connect(self.roles_changed)
        return box

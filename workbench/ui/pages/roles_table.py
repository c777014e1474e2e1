"""The columns of a data file with a role for each: suggested with a reason, chosen by a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QHeaderView, QTableWidget, QTableWidgetItem

from workbench.review.run.data_view import ColumnRow, gaps_offered
from workbench.ui.widgets.plain_tip import plain_tip

_ROLE, _REASON, _FACT, _GAP = 200, 140, 66, 152  # pixels
_LEAST_NAME, _LEAST_ROLE, _LEAST_GAP = 112, 136, 112  # in a very narrow table
_HEADINGS = ("column", "role", "first values", "type", "distinct", "missing", "if missing")
_GAPS = 6
_NAME, _VALUES = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1


def _number(count: int | None) -> str:
    return "" if count is None else f"{count:,}"


def _told(column: ColumnRow) -> str:
    """Everything known of a column, for its tool tip: a narrow table shows only some of it."""
    counts = ((column.distinct, "distinct"), (column.missing, "missing"))
    counted = (f"{_number(count)} {what}" for count, what in counts if count is not None)
    facts = " · ".join(part for part in (column.type, *counted) if part)
    return "\n".join(part for part in (column.name, facts, column.reason, ", ".join(column.examples)) if part)


def _seen(column: ColumnRow) -> str:
    """A few values, and below them why the role is suggested."""
    return "\n".join(part for part in (", ".join(column.examples), column.reason) if part) or "confirmed"


def _chosen(column: ColumnRow, role: str) -> ColumnRow:
    """The column with the role that a person chose: the reason of a suggestion that was not followed is none."""
    if role == column.role or not column.reason:
        return column
    return replace(column, reason=f"your choice (suggested: {column.role})")


def _has_gaps(column: ColumnRow) -> bool:
    return bool(column.missing) or bool(column.gap)


class RolesTable(QTableWidget):
    roles_changed = Signal()

    def __init__(self) -> None:
        super().__init__(0, len(_HEADINGS))
        self.setHorizontalHeaderLabels(list(_HEADINGS))
        for counted in (4, 5):  # over numbers, which stand at the right
            if (heading := self.horizontalHeaderItem(counted)) is not None:
                heading.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setAccessibleName("Columns and roles")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setAlternatingRowColors(True)
        self.setTabKeyNavigation(False)  # Tab goes on to the choosers and out again, not through every cell
        self.verticalHeader().hide()
        self.setShowGrid(False)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)  # as what is below
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(48)
        header.setMaximumSectionSize(230)  # a longer name is shortened; its tool tip has it all
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Interactive)
        self.setColumnWidth(1, _ROLE)
        self.setColumnWidth(3, 84)
        self._reasons = self._gaps = False
        self._offered: tuple[tuple[str, str], ...] = ()
        self._columns: dict[str, ColumnRow] = {}
        self._roles_by_hand: dict[str, str] = {}  # chosen and not confirmed yet
        self._gaps_by_hand: dict[str, str] = {}
        self._filling = False
        header.setSectionResizeMode(_GAPS, QHeaderView.ResizeMode.Fixed)
        self.setColumnWidth(_GAPS, _GAP)
        self.verticalHeader().setDefaultSectionSize(38)
        self.setWordWrap(True)  # a row is high enough for two lines

    def set_columns(self, columns: Sequence[ColumnRow], offered: Sequence[tuple[str, str]], *, confirmed: bool) -> None:
        """Show columns, each with a chooser among the roles offered. Reasons matter until a person confirmed."""
        self._reasons = not confirmed
        if tuple(offered) != self._offered:
            self._offered = tuple(offered)
            self.setRowCount(0)  # other choosers
        self.setRowCount(len(columns))
        self._columns = {column.name: column for column in columns}
        self._filling = True
        for row, column in enumerate(columns):
            self._fill(row, column)
        self._filling = False
        self._gaps = any(_has_gaps(column) for column in columns)
        self._make_room()

    def forget_choices(self) -> None:
        """Another file, or roles confirmed: what was chosen by hand before counts no longer."""
        self._roles_by_hand, self._gaps_by_hand = {}, {}

    def _role_chosen(self, name: str, role: str) -> None:
        if self._filling:
            return
        self._roles_by_hand[name] = role
        for row in range(self.rowCount()):
            if (item := self.item(row, 0)) is not None and item.data(_NAME) == name:
                self._say(row, _chosen(self._columns[name], role))
        self._make_room()
        self.roles_changed.emit()

    def _gap_chosen(self, name: str, gap: str) -> None:
        if not self._filling:
            self._gaps_by_hand[name] = gap
            self.roles_changed.emit()

    def _show_values(self, shown: bool) -> None:
        self.setColumnHidden(2, not shown)
        self.horizontalHeader().setSectionResizeMode(
            0, QHeaderView.ResizeMode.ResizeToContents if shown else QHeaderView.ResizeMode.Stretch
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Facts that do not fit are left to the tool tip of the name: nobody looks for them behind a scroll bar."""
        self._name(with_values=False)  # they take what room there is, and must not ask for it
        names = self.sizeHintForColumn(0)
        room = self.viewport().width() - names - _ROLE
        # Once confirmed, a narrow table needs the roles more; a person who drags it wider has the choosers back.
        gaps = self._gaps and (room >= _GAP or self._reasons)
        self._narrow(room + names - max(names, _LEAST_NAME) - (_GAP if gaps else 0))
        self.setColumnHidden(_GAPS, not gaps)
        room -= _GAP if gaps else 0
        beside = self._reasons and room >= _REASON  # otherwise values stand under the name; a tool tip has the reason
        self._show_values(beside)
        self._name(with_values=self._reasons and not beside)
        room -= _REASON if beside else 0
        for column in (5, 4, 3):
            heading = self.horizontalHeader().sectionSizeHint(column)
            wide = 84 if column == 3 else max(self.sizeHintForColumn(column), heading, _FACT)
            room -= wide
            self.setColumnHidden(column, room < 0)

    def _narrow(self, spare: int) -> None:
        """Names come first: nobody can choose a role for a column without reading which one it is. What is lacking is
        taken from both choosers, as far as their words can still be told apart."""
        role, gap = _ROLE - _LEAST_ROLE, _GAP - _LEAST_GAP
        lacking = min(max(-spare, 0), role + gap)
        from_role = lacking * role // (role + gap)
        self.setColumnWidth(1, _ROLE - from_role)
        self.setColumnWidth(_GAPS, _GAP - min(lacking - from_role, gap))

    def _name(self, *, with_values: bool) -> None:
        """The first values under the name of their column, where they have no column of their own: nobody can say what
        a column means without seeing any of it."""
        room = max(self.columnWidth(0) - 16, 60)
        for row in range(self.rowCount()):
            if (item := self.item(row, 0)) is not None:
                values = self.fontMetrics().elidedText(item.data(_VALUES), Qt.TextElideMode.ElideRight, room)
                item.setText(f"{item.data(_NAME)}\n{values}" if with_values and values else item.data(_NAME))

    @property
    def by_hand(self) -> Mapping[str, str]:
        """The roles that a person chose and has not confirmed yet."""
        return self._roles_by_hand

    def roles(self) -> dict[str, str]:
        """The roles as chosen now, in the order of the file."""
        chosen: dict[str, str] = {}
        for row in range(self.rowCount()):
            name, box = self.item(row, 0), self.cellWidget(row, 1)
            if name is not None and isinstance(box, QComboBox):
                chosen[name.data(_NAME)] = str(box.currentData())
        return chosen

    def gaps(self) -> dict[str, str]:
        """What becomes of rows without a value, for the columns that have some."""
        chosen: dict[str, str] = {}
        for row in range(self.rowCount()):
            name, box = self.item(row, 0), self.cellWidget(row, _GAPS)
            if name is not None and isinstance(box, QComboBox):
                chosen[name.data(_NAME)] = str(box.currentData())
        return chosen

    def box(self, column: str, *, gaps: bool = False) -> QComboBox:
        """The chooser of one column."""
        for row in range(self.rowCount()):
            item, box = self.item(row, 0), self.cellWidget(row, _GAPS if gaps else 1)
            if item is not None and item.data(_NAME) == column and isinstance(box, QComboBox):
                return box
        raise KeyError(column)

    def _fill(self, row: int, column: ColumnRow) -> None:
        known = self.item(row, 0)
        same = known is not None and known.data(_NAME) == column.name
        role = self._roles_by_hand.get(column.name, column.role)
        if role not in {offered for offered, _words in self._offered}:
            role = column.role
        chooser = self.cellWidget(row, 1)
        if same and isinstance(chooser, QComboBox):  # making a chooser is slow; one for the same column serves on
            self._choose(chooser, role)
        else:
            self.setCellWidget(row, 1, self._chooser(column, role))
        self._say(row, _chosen(column, role))
        self._fill_gap(row, column, same=same)

    def _say(self, row: int, column: ColumnRow) -> None:
        """What is known of a column, in words."""
        named = QTableWidgetItem(column.name)
        named.setData(_NAME, column.name)
        named.setData(_VALUES, ", ".join(column.examples))
        named.setToolTip(plain_tip(_told(column)))
        self.setItem(row, 0, named)
        for i, text in enumerate((_seen(column), column.type, _number(column.distinct), _number(column.missing))):
            item = QTableWidgetItem(text)
            item.setToolTip(plain_tip(text))
            if i in (2, 3):
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.setItem(row, 2 + i, item)
        if (chooser := self.cellWidget(row, 1)) is not None:
            followed = bool(column.reason) and column.reason == self._columns[column.name].reason
            chooser.setToolTip(plain_tip(f"Suggested: {column.reason}" if followed else column.reason))

    def _fill_gap(self, row: int, column: ColumnRow, *, same: bool) -> None:
        """A chooser only where rows lack a value: whoever has none need not be asked."""
        box = self.cellWidget(row, _GAPS)
        if not _has_gaps(column):
            if box is not None:
                self.removeCellWidget(row, _GAPS)
            return
        if not (same and isinstance(box, QComboBox)):
            box = QComboBox()
            box.setAccessibleName(f"Rows without a value of {column.name}")
            box.setToolTip("How rows without a value are handled")
            box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            for value, words in gaps_offered():
                box.addItem(words, value)
            chosen = box
            box.currentIndexChanged.connect(
                lambda _at, name=column.name: self._gap_chosen(name, str(chosen.currentData()))
            )
            self.setCellWidget(row, _GAPS, box)
        self._choose(box, self._gaps_by_hand.get(column.name, column.gap))

    def _choose(self, box: QComboBox, role: str) -> None:
        """A role that the product does not offer, kept from an earlier plan, is shown as it is."""
        if box.findData(role) < 0:
            box.addItem(role, role)
        box.setCurrentIndex(box.findData(role))

    def _chooser(self, column: ColumnRow, role: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(f"Role of {column.name}")
        for i, (offered, words) in enumerate(self._offered):
            box.addItem(offered, offered)
            box.setItemData(i, words, Qt.ItemDataRole.ToolTipRole)
        self._choose(box, role)
        # The wheel scrolls the table; it must never change a role by accident.
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        name = column.name
        box.currentIndexChanged.connect(lambda _at: self._role_chosen(name, str(box.currentData())))
        return box

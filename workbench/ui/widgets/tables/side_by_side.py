"""SideBySideView: confidential values, current SDL, other methods and this release, row by row, with their errors.

    view.set_tables((side_by_side, …))   of core.side_by_side; the list above the table offers what each compares
    view.next_flagged() / view.previous_flagged()      also F3 and Shift+F3; returns whether there is one
    view.set_filter("3600112")           also the box above the table
    view.choose("mean pay")              also the list above the table, where several quantities are compared
    view.row_selected                    Signal(int): the stored row number

It shows confidential values: only a reviewer's screen may hold it. Sorting is by a click on a heading. The keys
are indexed in slices after `set_rows`, so that the window keeps answering at half a million rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from workbench.core.side_by_side import Compared, SideBySide
from workbench.ui import theme
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.icons import TextButton, icon
from workbench.ui.widgets.key_index import KeyIndex
from workbench.ui.widgets.plain_tip import plain_tip
from workbench.ui.widgets.tables.side_columns import (
    by_distance,
    by_error,
    by_number,
    errors_column,
    offered,
    values_column,
)
from workbench.ui.widgets.tables.table_model import ArrayTableModel, Column, shown
from workbench.ui.widgets.tables.table_views import FLAG_ROOM, TableView, divided

Index = QModelIndex | QPersistentModelIndex
_NAME = 74  # least width of what names a row; the tool tip has it whole
_WHOLE_NAME = 124  # names that need no more than this are never cut; wider ones leave room for numbers


class SideBySideModel(ArrayTableModel):
    """The table with its flags: a flagged row has an icon in its first cell and a tinted ground."""

    def __init__(self) -> None:
        super().__init__()
        self.flagged: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.flag_rule = ""

    def shown_flags(self) -> NDArray[np.bool_]:
        """The flags in the order and choice of rows shown."""
        return self.flagged if self.order is None else self.flagged[self.order]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and role in _FLAG_ROLES and self.flagged[self.source_row(index.row())]:
            if role == Qt.ItemDataRole.BackgroundRole:
                return QColor(theme.tokens().warn_soft)
            if role == Qt.ItemDataRole.ToolTipRole:
                return plain_tip(f"{super().data(index, role) or ''}\nFlagged: {self.flag_rule}".strip())
            if index.column() == 0 and role == Qt.ItemDataRole.DecorationRole:
                return icon("flag", "warn", size=14)
            if index.column() == 0 and role == Qt.ItemDataRole.AccessibleTextRole:
                return f"flagged, {super().data(index)}"
        return super().data(index, role)


_FLAG_ROLES = {
    Qt.ItemDataRole.BackgroundRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.DecorationRole,
    Qt.ItemDataRole.AccessibleTextRole,
}


class _Tinted(QStyledItemDelegate):
    """Paints the ground of flagged rows, which a style sheet would leave out. Codes that are cut keep their ends."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        ground = index.data(Qt.ItemDataRole.BackgroundRole)
        if isinstance(ground, QColor) and not option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, ground)
        if str(index.data() or "")[-1:].isdigit():  # areas of one place differ at their ends, words at their beginnings
            option.textElideMode = Qt.TextElideMode.ElideMiddle
        super().paint(painter, option, index)


class _ManyColumns(TableView):
    """Names of rows give way further than elsewhere, so that every method's value is seen without scrolling."""

    def _divided(self, room: int) -> list[int]:
        """Short names stay whole: “Univer…” would stand for every university. Long ones are cut where room is short.

        Numbers give way as far as they are whole, and headings always are.
        """
        words = self._shrinkable()
        least = [
            width if width <= _WHOLE_NAME else max(_NAME, heading)
            for width, heading in zip(self._wanted, self._headings, strict=True)
        ]
        if self._wanted[0] - self.flag_room <= _WHOLE_NAME:  # the icon makes no name longer
            least[0] = self._wanted[0]
        least = [low if named else tight for low, tight, named in zip(least, self._tight, words, strict=True)]
        return divided(self._wanted, [True] * len(least), room, least)


class SideBySideView(QWidget):
    """Summary, filter, previous and next flagged, table."""

    row_selected = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._model = SideBySideModel()
        self._view = _ManyColumns(self._model)
        self._index = KeyIndex(())
        self._sorters: list[Callable[[], NDArray[np.intp]]] = []
        self._kept: NDArray[np.bool_] | None = None
        self._sorted: NDArray[np.intp] | None = None
        self._sorting: tuple[int, bool] | None = None  # column, descending
        self._offers: list[tuple[SideBySide, Compared]] = []
        self._rows: SideBySide | None = None
        self._unit = ""
        self._columns = QComboBox()
        self._summary = wrapped("", "muted")
        self._rule = wrapped("", "muted")  # on a line of its own: beside the buttons it took five
        self._filter = QLineEdit()
        self._next = TextButton("Next flagged", "flag", ink="warn")
        self._timer = QTimer(self)
        self._build()

    def _build(self) -> None:
        self._filter.setPlaceholderText("Filter rows")
        self._filter.setAccessibleName("Filter rows")
        self._filter.setClearButtonEnabled(True)
        self._filter.setMaximumWidth(240)
        self._filter.textChanged.connect(self.set_filter)
        self._columns.setAccessibleName("What is compared")
        self._columns.hide()
        self._columns.currentIndexChanged.connect(self._on_column)
        self._next.setToolTip("F3; Shift+F3 goes back")
        self._next.clicked.connect(lambda: self.next_flagged())
        self._view.setAccessibleName("Confidential values, current SDL, other methods and this release side by side")
        self._view.setItemDelegate(_Tinted(self._view))
        heads = self._view.horizontalHeader()
        heads.setSectionsClickable(True)
        heads.setTextElideMode(Qt.TextElideMode.ElideNone)  # their widths are those of their longest words
        heads.sectionClicked.connect(self._on_heading)
        self._view.selectionModel().currentRowChanged.connect(self._on_row)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._index_on)
        for keys, go in (("F3", self.next_flagged), ("Shift+F3", self.previous_flagged)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(go)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._summary, 1)
        top.addWidget(self._columns)
        top.addWidget(self._filter)
        top.addWidget(self._next)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(8)
        whole.addLayout(top)
        whole.addWidget(self._rule)
        whole.addWidget(self._view, 1)

    def set_tables(self, tables: Sequence[SideBySide]) -> None:
        """Show another comparison. The order, the filter and what is compared start afresh."""
        self._offers = [(table, compared) for table in tables for compared in table.compared]
        self._columns.blockSignals(True)
        self._columns.clear()
        self._columns.addItems([offered(*offer) for offer in self._offers])
        self._columns.blockSignals(False)
        self._columns.setVisible(len(self._offers) > 1)
        self._rows = None
        self._show(*self._offers[0])

    def choose(self, name: str) -> None:
        """Compare the quantity of that name; order starts afresh, the filter stays while the rows do."""
        self._columns.setCurrentText(name)

    def _on_column(self, place: int) -> None:
        if 0 <= place < len(self._offers):
            self._show(*self._offers[place])
            self._reorder()

    def _name_rows(self, rows: SideBySide) -> None:
        """Other rows: their keys are indexed, and what was filtered among the old ones is forgotten."""
        self._rows = rows
        self._index = KeyIndex(rows.keys)
        self._timer.start()
        self._model.flagged, self._model.flag_rule = rows.flagged.reveal(), rows.flag_rule
        self._kept = None
        self._filter.blockSignals(True)
        self._filter.clear()
        self._filter.blockSignals(False)

    def _show(self, rows: SideBySide, compared: Compared) -> None:
        if rows is not self._rows:
            self._name_rows(rows)
        true = compared.true.reveal()
        columns = [Column(title, keys.__getitem__) for title, keys in zip(rows.key_titles, rows.keys, strict=True)]
        columns += [values_column(column, compared) for column in compared.columns]
        columns += [errors_column(column, compared) for column in compared.others]
        far = by_error if compared.relative else by_distance
        self._sorters = [
            *(partial(self._index.order, place) for place in range(len(rows.keys))),
            *(partial(by_number, column.values.reveal()) for column in compared.columns),
            *(partial(far, column.values.reveal(), true) for column in compared.others),
        ]
        self._sorted = self._sorting = None
        self._unit = compared.unit
        self._view.flag_room = FLAG_ROOM if self._model.flagged.any() else 0
        self._view.set_table(columns, compared.rows)
        self._say()

    def sort_by(self, title: str, *, descending: bool = True) -> None:
        """Sort by a column's title, as a click on its heading does."""
        for column in range(self._model.columnCount()):
            if self._model.column(column).title.replace("\n", " ") == title:
                self._sort((column, descending))

    def _on_heading(self, column: int) -> None:
        """First click: largest first. Second: smallest first. Third: as stored."""
        after: dict[tuple[int, bool] | None, tuple[int, bool] | None] = {
            (column, True): (column, False),
            (column, False): None,
        }
        self._sort(after.get(self._sorting, (column, True)))

    def set_filter(self, text: str) -> None:
        """Keep the rows whose keys contain every word; applied once the keys are indexed."""
        if self._filter.text() != text:
            self._filter.setText(text)
        elif self._index.ready:
            self._kept = self._index.matching(text) if text.split() else None
            self._reorder()

    def _index_on(self) -> None:
        if self._index.go_on():
            self._timer.stop()
            if self._filter.text().strip():
                self.set_filter(self._filter.text())

    def filtering(self) -> bool:
        """True while a filter waits for the keys to be indexed."""
        return bool(self._filter.text().strip()) and not self._index.ready

    def _sort(self, wish: tuple[int, bool] | None) -> None:
        self._sorting = wish
        if wish is None:
            self._sorted = None
            self._model.set_sorted(None)
        else:
            ascending = self._sorters[wish[0]]()
            self._sorted = ascending[::-1] if wish[1] else ascending
            self._model.set_sorted(wish[0], descending=wish[1])
        self._reorder()

    def _reorder(self) -> None:
        order = self._sorted
        if self._kept is not None:
            order = np.flatnonzero(self._kept) if order is None else order[self._kept[order]]
        self._model.set_order(order)
        self._say()

    def _say(self) -> None:
        shown_rows, flags = self._model.rowCount(), self._model.flagged
        flagged = int(flags.sum()) if self._kept is None else int((flags & self._kept).sum())
        rows = f"{shown(shown_rows)} rows" if self._kept is None else f"{shown(shown_rows)} of {shown(len(flags))} rows"
        words = (f"Values in {self._unit}." if self._unit else "", self._model.flag_rule if flagged else "")
        self._rule.setText(" ".join(filter(None, words)))
        self._rule.setVisible(any(words))
        self._summary.setText(f"{rows} · {shown(flagged)} flagged")
        self._next.setEnabled(flagged > 0)

    def next_flagged(self) -> bool:
        return self._go(forward=True)

    def previous_flagged(self) -> bool:
        return self._go(forward=False)

    def current_row(self) -> int:
        """The stored row that is chosen, or -1."""
        index = self._view.currentIndex()
        return self._model.source_row(index.row()) if index.isValid() else -1

    def _go(self, *, forward: bool) -> bool:
        places = np.flatnonzero(self._model.shown_flags())
        if not len(places):
            return False
        index = self._view.currentIndex()
        at = index.row() if index.isValid() else (-1 if forward else self._model.rowCount())
        beyond = places[places > at] if forward else places[places < at][::-1]
        around = places[0] if forward else places[-1]
        self._view.go_to(int(beyond[0] if len(beyond) else around))
        return True

    def _on_row(self, now: QModelIndex) -> None:
        if now.isValid():
            self.row_selected.emit(self._model.source_row(now.row()))

"""The editor of a table of settings: a row for each variable or year, edited in place, filled down, added and removed.

Enter or a double click edits a cell, Space ticks one, Ctrl+D fills the column down, Delete removes the chosen rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from workbench.core.errors import Problem
from workbench.core.params import Field, path_of
from workbench.core.quantities import agreeing
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.forms.columns import Columns, having
from workbench.ui.widgets.forms.field_editors import Choice, Options
from workbench.ui.widgets.forms.settings_model import SettingsModel, cells_wrong
from workbench.ui.widgets.icons import TextButton

_ROW, _HEAD = 30, 34  # pixels
_LEAST_ROWS, _MOST_ROWS = 2, 12
_LEAST_WIDTH, _MOST_WIDTH, _PADDING, _ARROW = 64, 150, 26, 40
_WIDEST = 300  # of a column, and about what a form has for its table
_TOLD = 3  # problems in words beneath the table; all others are marked in their cells
_ALL = "\0all"


class _Cells(QStyledItemDelegate):
    """Edits a cell: a list for a choice, a line for everything else."""

    def __init__(self, offered: Mapping[str, Options]) -> None:
        super().__init__()
        self.offered = dict(offered)

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        model = index.model()
        field = model.field_at(index.column()) if isinstance(model, SettingsModel) else None
        options = self._options(field)
        if options is None:
            return super().createEditor(parent, option, index)
        choice = Choice(options)
        choice.setParent(parent)
        choice.edited.connect(partial(self._chosen, choice))
        return choice

    def _chosen(self, choice: Choice) -> None:
        self.commitData.emit(choice)
        self.closeEditor.emit(choice)

    def _options(self, field: Field | None) -> Options | None:
        if field is None:
            return None
        if field.choices:
            return tuple(zip(field.choices, field.choice_labels, strict=True))
        return self.offered.get(field.name)

    def setEditorData(self, editor: QWidget, index: QModelIndex | QPersistentModelIndex) -> None:
        if isinstance(editor, Choice):
            editor.show_value(index.data(Qt.ItemDataRole.EditRole))
            editor.showPopup()
        else:
            super().setEditorData(editor, index)

    def setModelData(
        self, editor: QWidget, model: QAbstractItemModel, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if isinstance(editor, Choice):
            model.setData(index, editor.raw(), Qt.ItemDataRole.EditRole)
        else:
            super().setModelData(editor, model, index)


class _View(QTableView):
    """As high as its rows, from two to a dozen; more are scrolled."""

    def sizeHint(self) -> QSize:
        rows = min(max(self.model().rowCount(), _LEAST_ROWS), _MOST_ROWS)
        return QSize(super().sizeHint().width(), _HEAD + rows * _ROW + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())


class SettingsTable(QWidget):
    """`raw()`, `show_value(rows)` and `edited`, like every editor; `set_columns` offers the columns rows can name."""

    edited = Signal()

    def __init__(self, field: Field) -> None:
        super().__init__()
        assert field.rows is not None
        self._field = field
        self._offered: Options = ()
        self._columns: Columns = ()
        self.model = SettingsModel(field.rows, field.by)
        self.view = self._made_view()
        self.model.edited.connect(self._changed)
        self.model.modelReset.connect(self._show_size)
        self.chooser, self.name = Choice(), QLineEdit()
        self.size_note = wrapped("", "small")
        self.fill_button, self.remove_button = TextButton("Fill down"), TextButton("Remove")
        self._build()
        self._show_size()

    def _made_view(self) -> _View:
        view = _View()
        self._cells = _Cells({})
        view.setModel(self.model)
        view.setItemDelegate(self._cells)
        view.setAlternatingRowColors(True)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        triggers = QAbstractItemView.EditTrigger
        view.setEditTriggers(triggers.DoubleClicked | triggers.AnyKeyPressed | triggers.EditKeyPressed)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        view.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(_ROW)
        header = view.horizontalHeader()
        header.setFixedHeight(_HEAD)
        header.setMinimumSectionSize(_LEAST_WIDTH)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setHighlightSections(False)
        letters, taken = view.fontMetrics(), 0
        for column, field in enumerate(self.model.fields, 1):
            words = max((*field.choice_labels, field.label), key=len)
            wide = letters.horizontalAdvance(words) + (_ARROW if field.choices else _PADDING)
            taken += min(max(wide, _LEAST_WIDTH), _MOST_WIDTH)
            view.setColumnWidth(column, min(max(wide, _LEAST_WIDTH), _MOST_WIDTH))
        header.setMaximumSectionSize(_WIDEST)
        # beside many settings a stretched column would shrink to its least width, and names would be cut
        fits = taken + _MOST_WIDTH <= _WIDEST
        names = QHeaderView.ResizeMode.Stretch if fits else QHeaderView.ResizeMode.ResizeToContents
        header.setSectionResizeMode(0, names)
        return view

    def _build(self) -> None:
        self.chooser.setAccessibleName(f"Add a {self._field.by} to {self._field.label}")
        self.chooser.edited.connect(self._chosen)
        self.name.setPlaceholderText(f"Add a {self._field.by}…")
        self.name.setAccessibleName(f"Add a {self._field.by} to {self._field.label}")
        self.name.returnPressed.connect(self._named)
        self.fill_button.setToolTip("Copy this cell to the chosen rows, or to all rows below (Ctrl+D)")
        self.fill_button.clicked.connect(self.fill_down)
        self.remove_button.clicked.connect(self.remove_chosen)
        for keys, does in (
            (QKeySequence("Ctrl+D"), self.fill_down),
            (QKeySequence.StandardKey.Delete, self.remove_chosen),
        ):
            shortcut = QShortcut(keys, self.view)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(does)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.setSpacing(6)
        buttons.addWidget(self.fill_button)
        buttons.addWidget(self.remove_button)
        buttons.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(6)
        whole.addWidget(self.view)
        whole.addWidget(self.chooser)  # a line of its own: beside the buttons it is too wide for a small window
        whole.addWidget(self.name)
        whole.addLayout(buttons)
        whole.addWidget(self.size_note)
        self.setFocusProxy(self.view)
        self._offer()

    # Like every editor
    def raw(self) -> object:
        return self.model.raw()

    def show_value(self, value: object) -> None:
        if isinstance(value, Mapping):
            self.model.show_rows(value)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.view.setAccessibleName(name)

    def set_columns(self, columns: Columns) -> None:
        """Offer the columns that have the roles of the rows, and of those fields that name one."""
        if tuple(columns) == self._columns:
            return
        self._columns = tuple(columns)
        self._cells.offered = {
            field.name: having(columns, field) for field in self.model.fields if field.roles and not field.many
        }
        if self._field.roles:
            self._offered = having(columns, self._field)
            self.model.set_titles(dict(self._offered))
            self._offer()

    def offer(self, name: str, options: Options) -> None:
        """What the cells of one field can be chosen from, whatever roles columns have."""
        self._cells.offered[name] = tuple(options)

    def focus_inside(self, path: Sequence[str]) -> None:
        """Go to the cell of a row and a field."""
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        fields = [field.name for field in self.model.fields]
        if path[0] in self.model.names:
            column = 1 + fields.index(path[1]) if len(path) > 1 and path[1] in fields else 0
            self.view.setCurrentIndex(self.model.index(self.model.names.index(path[0]), column))

    def show_inner(self, problems: Sequence[Problem]) -> str:
        """Mark the cells; the words to stand beneath the table, with the names of the rows."""
        found = [(path_of(problem)[1:], Problem(problem.what, "", problem.do).sentence()) for problem in problems]
        self.model.set_wrong(cells_wrong(found))
        told = [f"{path[0]}: {words}" if path else words for path, words in found]
        more = len(told) - _TOLD
        return " ".join(
            (*told[:_TOLD], *((f"{more} more {agreeing(more, 'is', 'are')} marked in the table.",) if more > 0 else ()))
        )

    # What a person does
    def fill_down(self) -> None:
        """The current cell's value for the other chosen rows, or for all below where none is chosen."""
        at = self.view.currentIndex()
        if at.isValid() and at.column() > 0:
            chosen = [place for place in self._chosen_rows() if place != at.row()]
            self.model.fill(at.column(), at.row(), chosen or range(at.row() + 1, self.model.rowCount()))

    def remove_chosen(self) -> None:
        self.model.remove(self._chosen_rows())

    def _chosen_rows(self) -> list[int]:
        return sorted({index.row() for index in self.view.selectionModel().selectedIndexes()})

    def _chosen(self) -> None:
        name = str(self.chooser.raw())
        self.model.add([each for each, _ in self._offered] if name == _ALL else [name])
        self.view.scrollToBottom()

    def _named(self) -> None:
        self.model.add([self.name.text().strip()])
        self.name.clear()
        self.view.scrollToBottom()

    def _changed(self) -> None:
        self.edited.emit()

    def _show_size(self) -> None:
        rows = self.model.rowCount()
        self.size_note.setText(f"{rows} rows" if rows != 1 else "1 row")
        self.view.updateGeometry()
        self._offer()

    def _offer(self) -> None:
        """Rows that can still be added. Where they are named after columns, only columns are offered."""
        left = [each for each in self._offered if each[0] not in self.model.names]
        every = [(_ALL, f"Add all {len(left)}")] if len(left) > 1 else []
        self.chooser.set_options([("", f"Add a {self._field.by}…"), *every, *left])
        self.chooser.setCurrentIndex(0)
        self.chooser.setEnabled(bool(left))
        self.chooser.setVisible(bool(self._field.roles))
        self.name.setVisible(not self._field.roles)

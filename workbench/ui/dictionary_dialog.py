"""The data dictionary in the window: labels and hierarchy of every column, and which lists are public."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from workbench.review.run.dictionary_view import ColumnDraft, Draft, Entry, filled_up, problems_of_draft
from workbench.review.session import ReviewSession
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.tables.entries_model import EntriesModel

_PUBLIC = "Declare these values public"
_INTRODUCTION = "Labels and public values. Lines of a spreadsheet can be pasted."
_NOTHING = "No columns are known yet. Load the data or choose a dictionary first."
_MEANING = (
    "Tick it only if the list would be the same without these data: a classification, a register, a list of places. "
    "A list taken from the data proves nothing: it loses a value with its last person."
)


class DictionaryDialog(QDialog):
    """Columns at the left, the values of the one chosen at the right. Nothing is written before it is saved."""

    def __init__(
        self,
        parent: QWidget,
        session: ReviewSession,
        draft: Draft,
        save: Callable[[Draft, Path], None],
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Data dictionary")
        self.resize(860, 620)
        self._session, self.draft, self._save, self._shown = session, dict(draft), save, ""
        self.columns, self.title = QListWidget(), QLineEdit()
        self.public = QCheckBox(_PUBLIC)
        self.model, self.table = EntriesModel(), QTableView()
        self.fill_button = TextButton("Fill in from the data")
        self.add_button, self.remove_button = TextButton("Add a value", "plus"), TextButton("Remove")
        self.problem = wrapped("", "problem")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self._build()
        self._connect()
        self.columns.addItems(list(draft))
        self._name_columns()
        self.columns.setCurrentRow(0)
        if not draft:
            for each in (self.fill_button, self.add_button, self.remove_button, self.public, self.title):
                each.setEnabled(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def _build(self) -> None:
        self.columns.setAccessibleName("Columns")
        self.columns.setFixedWidth(250)
        self.title.setAccessibleName("Title of the column")
        self.title.setPlaceholderText("Title of the column, as readers see it")
        self.table.setModel(self.model)
        self.table.setAccessibleName("Values of the column")
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        actions = QHBoxLayout()
        for button in (self.fill_button, self.add_button, self.remove_button):
            actions.addWidget(button)
        actions.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.title)
        right.addWidget(self.public)
        right.addWidget(wrapped(_MEANING, "small"))
        right.addWidget(self.table, 1)
        right.addLayout(actions)
        both = QHBoxLayout()
        both.addWidget(self.columns)
        both.addLayout(right, 1)
        self.buttons.button(QDialogButtonBox.StandardButton.Save).setText("Save dictionary…")
        whole = QVBoxLayout(self)
        whole.addWidget(wrapped(_INTRODUCTION if self.draft else _NOTHING, "muted"))
        whole.addLayout(both, 1)
        whole.addWidget(self.problem)
        whole.addWidget(self.buttons)

    def _connect(self) -> None:
        self.columns.currentTextChanged.connect(lambda _text: self._show())
        self.title.textEdited.connect(lambda text: self._change(title=text))
        self.public.toggled.connect(lambda on: self._change(public=on))
        self.model.edited.connect(lambda: self._change(entries=tuple(self.model.entries)))
        self.fill_button.clicked.connect(self._fill)
        self.add_button.clicked.connect(self._add)
        self.remove_button.clicked.connect(self._remove)
        self.buttons.accepted.connect(self._choose_path)
        self.buttons.rejected.connect(self.reject)
        paste = QShortcut(QKeySequence.StandardKey.Paste, self.table)
        paste.setContext(Qt.ShortcutContext.WidgetShortcut)
        paste.activated.connect(
            lambda: self.model.paste(QGuiApplication.clipboard().text(), self.table.currentIndex())
        )  # fmt: skip

    def _current(self) -> str:
        row = self.columns.currentRow()
        return list(self.draft)[row] if row >= 0 else ""

    def _show(self) -> None:
        self._shown = ""  # what is shown now is nobody's edit
        column = self.draft.get(self._current(), ColumnDraft())
        self.title.setText(column.title)
        self.public.setChecked(column.public)
        self.model.show_entries(column.entries)
        self.fill_button.setEnabled(self._values() is not None)
        self._shown = self._current()

    def _values(self) -> object:
        loaded = self._session.loaded
        return loaded.microdata.columns.get(self._current()) if loaded is not None else None

    def _change(self, **settings: object) -> None:
        if self._shown:
            self.draft[self._shown] = replace(self.draft[self._shown], **settings)  # type: ignore[arg-type]
            self._name_columns()
            self.problem.setText("")

    def _name_columns(self) -> None:
        for row, (name, column) in enumerate(self.draft.items()):
            item = self.columns.item(row)
            item.setText(f"{name}\n{column.summary()}")

    def _fill(self) -> None:
        loaded = self._session.loaded
        if loaded is not None and self._shown:
            self.draft[self._shown] = filled_up(self.draft[self._shown], loaded.microdata.coded(self._shown))
            self._name_columns()
            self._show()

    def _add(self) -> None:
        self.model.add([Entry()])
        last = self.model.index(self.model.rowCount() - 1, 0)
        self.table.setCurrentIndex(last)
        self.table.edit(last)

    def _remove(self) -> None:
        self.model.remove(index.row() for index in self.table.selectionModel().selectedIndexes())

    def _choose_path(self) -> None:
        wrong = problems_of_draft(self.draft)
        if wrong:
            self.problem.setText(" ".join(problem.sentence() for problem in wrong[:3]))
            return
        named = self._session.plan.data.dictionary
        start = self._session.base / (named or "dictionary.csv")
        dialog = FileDialog(self, "Save the data dictionary", str(start), kinds="Data dictionary (*.csv)")
        dialog.setAcceptMode(FileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.fileSelected.connect(lambda name: self.save(Path(name)))
        dialog.open()

    def save(self, path: Path) -> None:
        """Write the dictionary and take it into the plan."""
        self._save(self.draft, path)
        self.accept()

"""The public files a product takes beside the data: a button for each, and which file it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from workbench.review.run.data_view import CompanionRow, companions_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.icons import TextButton

_FILES = "Public data (*.csv *.tsv *.txt *.gz *.parquet *.xlsx);;All files (*)"


class CompanionButtons(QWidget):
    """Hidden for products that take no other file."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._shown: tuple[str, ...] = ()
        self.buttons: dict[str, TextButton] = {}
        self.names: dict[str, ElidedLabel] = {}
        self.none_buttons: dict[str, TextButton] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self.hide()

    def show_session(self, session: ReviewSession) -> None:
        companions = companions_of(session)
        if tuple(each.name for each in companions) != self._shown:
            self._make(companions)
        self.setVisible(bool(companions))
        for companion in companions:
            missing = "needed" if companion.required else "none"
            self.names[companion.name].set_text(
                Path(companion.path).name if companion.path else missing, companion.path
            )
            self.none_buttons[companion.name].setVisible(bool(companion.path))

    def _make(self, companions: tuple[CompanionRow, ...]) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self._shown, self.buttons, self.names = tuple(each.name for each in companions), {}, {}
        self.none_buttons = {}
        for row, companion in enumerate(companions):
            button = TextButton(f"{companion.title}…", "folder")
            button.setToolTip(companion.help)
            button.clicked.connect(lambda _checked=False, chosen=companion: self._choose(chosen))
            self.buttons[companion.name] = button
            self._grid.addWidget(button, row, 0)
            self.names[companion.name] = ElidedLabel("muted", mode=Qt.TextElideMode.ElideMiddle)
            self._grid.addWidget(self.names[companion.name], row, 1)
            none = TextButton("Remove")
            none.setAccessibleName(f"Remove: {companion.title}")
            none.clicked.connect(lambda _checked=False, name=companion.name: self.use(name, ""))
            self.none_buttons[companion.name] = none
            self._grid.addWidget(none, row, 2)

    def _choose(self, companion: CompanionRow) -> None:
        dialog = FileDialog(self, f"Choose: {companion.title}", kinds=_FILES)
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.use(companion.name, name))
        dialog.open()

    def use(self, name: str, path: str) -> None:
        """Take a file; the data have to be loaded again then."""
        session = self._editor.session
        if session is not None:
            data = session.plan.data
            beside = {**data.companions, name: path}
            step = "choose a public file" if path else "remove a public file"
            self._editor.edit(step, data=replace(data, companions=beside))

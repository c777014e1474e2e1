"""Whose keys the project knows, which one is whose who sits here, and a word for somebody whose key is new."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from workbench.core.local_time import local_minute
from workbench.core.people import same_person
from workbench.review.decide.keyring import KeyRow
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.voices import Voices
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.tables.table_views import Column, TableView

_WORDS = (
    "The first key under a name is trusted. A second one counts once two reviewers who have signed here vouch for it. "
    "Confirm its fingerprint with the owner by phone first."
)


class KeysDialog(QDialog):
    def __init__(self, parent: QWidget, file: ProjectFile, voices: Voices) -> None:
        super().__init__(parent)
        self.setWindowTitle("Signing keys")
        self.resize(640, 400)
        self._file, self._voices = file, voices
        self.keys: tuple[KeyRow, ...] = ()
        self.table = TableView()
        self.table.setAccessibleName("Keys of the project")
        self.table.selectionModel().currentRowChanged.connect(lambda _now, _before: self._ready())
        self.none = wrapped("No key yet. Yours is made when you first vote or decide.", "muted")
        self.vouch = TextButton("Vouch for this key")
        self.vouch.clicked.connect(self._vouch)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.vouch, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(wrapped(f"You are {file.person}. {_WORDS}"))
        layout.addWidget(self.none)
        layout.addWidget(self.table, 1)
        layout.addWidget(buttons)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        file.changed.connect(self._read)
        self._show(())
        self._read()

    def _read(self) -> None:
        self._voices.read_keys(self._show)

    def _show(self, keys: tuple[KeyRow, ...]) -> None:
        self.keys = keys
        self.table.set_table(
            (
                Column("name", lambda row: keys[row].name),
                Column("fingerprint", lambda row: keys[row].fingerprint, number=True),
                Column("counts as", lambda row: keys[row].standing),
                Column("since", lambda row: local_minute(keys[row].enrolled_at)),
            ),
            len(keys),
        )
        self.none.setVisible(not keys)
        self.table.setVisible(bool(keys))
        self._ready()

    def _chosen(self) -> KeyRow | None:
        row = self.table.currentIndex().row()
        return self.keys[row] if 0 <= row < len(self.keys) else None

    def _ready(self) -> None:
        chosen = self._chosen()
        stranger = chosen is not None and chosen.stranger
        own = chosen is not None and same_person(chosen.name, self._file.person)
        self.vouch.setEnabled(self._file.writable and stranger and not own)

    def _vouch(self) -> None:
        chosen, voices = self._chosen(), self._voices
        if chosen is not None:
            told = chosen.fingerprint
            voices.unlocked(lambda: voices.vouch(told))


def show_keys(parent: QWidget, file: ProjectFile, voices: Voices) -> None:
    KeysDialog(parent, file, voices).open()

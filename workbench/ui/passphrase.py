"""Asking for a passphrase: typed once to open, twice for a new lock. The fields are emptied before anything is done."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from workbench.core.errors import UserProblem
from workbench.core.passphrase import SHORTEST, Passphrase
from workbench.ui.controller.questions import PassphraseQuestion
from workbench.ui.widgets.card import wrapped


class PassphraseDialog(QDialog):
    """Hands over a value that cannot be printed or logged, and keeps nothing itself."""

    def __init__(self, parent: QWidget, question: PassphraseQuestion) -> None:
        super().__init__(parent)
        self._question = question
        self.setWindowTitle(question.title)
        self.setMinimumWidth(440)
        self.first, self.again = _field("Passphrase"), _field("Repeat the passphrase")
        self.show_signs = QCheckBox("Show what is typed")
        self.show_signs.toggled.connect(self._show)
        self.problem = wrapped(question.wrong, "problem")
        self.problem.setVisible(bool(question.wrong))
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.finished.connect(lambda _code: self._forget())
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(wrapped(question.words))
        layout.addWidget(_label("Passphrase"))
        layout.addWidget(self.first)
        if question.new:
            layout.addWidget(_label("Repeat passphrase"))
            layout.addWidget(self.again)
        for widget in (self.show_signs, self.problem):
            layout.addWidget(widget)
        layout.addStretch(1)  # labels stay with their fields
        layout.addWidget(self.buttons)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.first.setFocus()

    def _show(self, shown: bool) -> None:
        mode = QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password
        self.first.setEchoMode(mode)
        self.again.setEchoMode(mode)

    def accept(self) -> None:
        typed, again = self.first.text(), self.again.text()
        if self._question.new and typed != again:
            self._say("The two passphrases differ. Type both again.")
            return
        try:
            given = Passphrase(typed)
            if self._question.new:
                given.long_enough()
        except UserProblem:
            self._say(f"Use at least {SHORTEST} characters." if typed else "Type the passphrase first.")
            return
        self._forget()
        super().accept()
        self._question.answer(given)

    def _say(self, words: str) -> None:
        self.problem.setText(words)
        self.problem.show()
        self._forget()
        self.first.setFocus()

    def _forget(self) -> None:
        """Emptied, and the memory of undo with it."""
        self.first.clear()
        self.again.clear()


def _label(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "label")
    return label


def _field(name: str) -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setEchoMode(QLineEdit.EchoMode.Password)
    field.setInputMethodHints(Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText)
    return field

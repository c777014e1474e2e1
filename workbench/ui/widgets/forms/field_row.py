"""One field of a form: label, editor with unit, what is wrong, help, note."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from workbench.core.errors import Problem
from workbench.core.params import Field
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.forms.columns import Columns, having
from workbench.ui.widgets.forms.field_editors import Options, editor_for, with_unit
from workbench.ui.widgets.icons import IconLabel

_BRIEF = 84  # a chooser among columns shortens its words rather than widening its column


class ProblemLine(QWidget):
    """An icon and the words of what is wrong; hidden where nothing is.

    Once something was wrong, the room for it stays until the page is left or shows something else: fields below must
    not move away from under the mouse of whoever corrects it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._words, self._icon = wrapped("", "problem"), IconLabel("cross", "fail", size=14)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)
        self.hide()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        self.say(" ".join(Problem(problem.what, "", problem.do).sentence() for problem in problems))

    def say(self, text: str) -> None:
        if not text and self.isVisible():
            self.setMinimumHeight(self.height())
        elif text:
            self.setMinimumHeight(0)
        self._words.setText(text)
        self._icon.setVisible(bool(text))
        if text or not self.isVisible():
            self.setVisible(bool(text))

    def give_up_room(self) -> None:
        """Nobody is correcting anything here any more."""
        if not self._words.text():
            self.setMinimumHeight(0)
            self.hide()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.give_up_room()

    def text(self) -> str:
        return self._words.text()


class FieldRow(QWidget):
    """Label, editor with unit, what is wrong, help, note."""

    edited = Signal()

    def __init__(self, field: Field, options: Options | None, *, brief: bool = False) -> None:
        super().__init__()
        self.field = field
        self._offered: Options | None = None
        self.editor: Any = editor_for(field, options)
        self.editor.setAccessibleName(field.label)
        if brief:
            self.editor.setMinimumWidth(_BRIEF)
        self.editor.edited.connect(self.edited)
        self.problem, self._note = ProblemLine(), wrapped("", "muted")
        self._help = wrapped(help_text(field), "small")
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        if field.type is not bool:
            label = wrapped(field.label, "label") if brief else _plain_label(field.label)
            label.setBuddy(self.editor)
            whole.addWidget(label)
        whole.addWidget(with_unit(self.editor, field.unit))
        for widget in (self.problem, self._help, self._note):
            whole.addWidget(widget)
        self._help.setVisible(bool(self._help.text()) and not brief)
        if brief:
            self.setToolTip(self._help.text())
        self.set_note("")
        self.show_problems(())

    def set_note(self, text: str) -> None:
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def set_columns(self, columns: Columns) -> None:
        """Offer the columns of the data, in a group or a table of settings to the fields inside."""
        if hasattr(self.editor, "set_columns"):
            self.editor.set_columns(columns)
        elif self.field.roles:
            self.set_options(having(columns, self.field))

    def set_options(self, options: Options) -> None:
        if hasattr(self.editor, "set_options") and self._offered != tuple(options):
            self._offered = tuple(options)
            self.editor.blockSignals(True)
            self.editor.set_options(options)
            self.editor.blockSignals(False)

    def focus(self, path: Sequence[str] = ()) -> None:
        """Go to the editor, or to what the path names inside it."""
        if path and hasattr(self.editor, "focus_inside"):
            self.editor.focus_inside(path)
        else:
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        if hasattr(self.editor, "show_inner"):  # it marks what is wrong itself, and says what there is to say beneath
            self.problem.say(self.editor.show_inner(problems))
            return
        self.problem.show_problems(problems)
        wrong = bool(problems)
        if self.editor.property("wrong") != wrong:
            self.editor.setProperty("wrong", wrong)
            self.editor.style().unpolish(self.editor)
            self.editor.style().polish(self.editor)
        spoken = f"{self.problem.text()} {self._help.text()}" if wrong else self._help.text()
        self.editor.setAccessibleDescription(spoken)


def _plain_label(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", "label")
    return label


def help_text(field: Field) -> str:
    """The help beneath a field: its words and, where there is one, the source."""
    parts = (field.help, f"Source: {field.source}." if field.source else "")
    return " ".join(part for part in parts if part)

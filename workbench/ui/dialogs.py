"""The few dialogs. All are opened, never executed: the event loop is never nested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QInputDialog,
    QLineEdit,
    QMessageBox,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

import workbench
from workbench.core.files import read_text
from workbench.core.resources import resource
from workbench.ui.widgets.card import wrapped

if TYPE_CHECKING:
    from workbench.ui.controller.editor import Editor
    from workbench.ui.controller.releases import Releases
    from workbench.ui.controller.voices import Voices
    from workbench.ui.main_window import MainWindow


def show_defect(parent: QWidget, details: str) -> None:
    """The program's own mistake: say so, keep the work, and offer details that hold no data."""
    box = QMessageBox(QMessageBox.Icon.Warning, "Program error", "", parent=parent)
    box.setText("The program made an error. Nothing was stored; your earlier work is kept.")
    box.setInformativeText(
        "The details show where it occurred and contain no data. Please send them to the developers."
    )
    box.setDetailedText(details)
    copy = box.addButton("Copy details", QMessageBox.ButtonRole.ActionRole)
    box.addButton(QMessageBox.StandardButton.Close)
    copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(details))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


class NewRelease(QDialog):
    """Title and product of a new release."""

    def __init__(self, parent: QWidget, create: Callable[[str, str], None]) -> None:
        from workbench.review.plan.offers import products

        super().__init__(parent)
        self.setWindowTitle("New release")
        self.setMinimumWidth(420)
        self._create = create
        self.name = QLineEdit()
        self.name.setAccessibleName("Title of the release")
        self.name.setPlaceholderText("for example: 2026 Q2 employment by place")
        self.product = QComboBox()
        self.product.setAccessibleName("Product")
        offered = products()
        for product in offered:
            self.product.addItem(product.title, product.id)
        self.summary = wrapped(offered[0].summary, "muted")
        self.product.currentIndexChanged.connect(lambda i: self.summary.setText(offered[i].summary))
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setText("Create")
        ok.setEnabled(False)
        self.name.textChanged.connect(lambda text: ok.setEnabled(bool(text.strip())))
        layout = QVBoxLayout(self)
        for widget in (
            wrapped("Title"),
            self.name,
            wrapped("What is released"),
            self.product,
            self.summary,
            self.buttons,
        ):
            layout.addWidget(widget)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def accept(self) -> None:
        self._create(str(self.product.currentData()), self.name.text().strip())
        super().accept()


def ask_new_release(parent: QWidget, create: Callable[[str, str], None]) -> None:
    NewRelease(parent, create).open()


class ChangeBudget(QDialog):
    """Another cap for a data set: the number, and why."""

    def __init__(self, parent: QWidget, editor: Editor, voices: Voices) -> None:
        super().__init__(parent)
        self.setWindowTitle("Change the budget of the data set")
        self.setMinimumWidth(440)
        self._voices = voices
        budget = editor.session.budget if editor.session is not None else None
        now = budget.cap if budget is not None else None
        self.cap = QLineEdit(f"{now.normalize():f}" if now else "")
        self.cap.setAccessibleName("Largest total ε")
        self.reason = QLineEdit()
        self.reason.setAccessibleName("Reason")
        self.problem = wrapped("", "problem")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Change")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (wrapped("Largest total ε of all approved releases from these data"), self.cap,
                       wrapped("Who decided it, and why (stays in the journal)"), self.reason, self.problem,
                       self.buttons):  # fmt: skip
            layout.addWidget(widget)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def accept(self) -> None:
        try:
            cap = Decimal(self.cap.text().strip())
        except InvalidOperation:
            cap = Decimal(0)
        if not (cap.is_finite() and cap > 0) or not self.reason.text().strip():
            self.problem.setText("Give a number above 0 and a reason.")
            return
        self._voices.set_cap(cap, self.reason.text().strip())
        super().accept()


class SeparateData(QDialog):
    """Which data set holds other people than this one, and why."""

    def __init__(self, parent: QWidget, shared: Sequence[str], answer: Callable[[int, str], None]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Separate data sets")
        self.setMinimumWidth(460)
        self._answer = answer
        self.other = QComboBox()
        self.other.setAccessibleName("Data set")
        self.other.addItems(list(shared))
        self.reason = QLineEdit()
        self.reason.setAccessibleName("Reason")
        self.problem = wrapped("", "problem")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Separate")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (wrapped("These data share a budget with"), self.other,
                       wrapped("Why they describe other people (kept in the journal, cannot be undone)"),
                       self.reason, self.problem, self.buttons):  # fmt: skip
            layout.addWidget(widget)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def accept(self) -> None:
        if not self.reason.text().strip():
            self.problem.setText("Give a reason.")
            return
        self._answer(self.other.currentIndex(), self.reason.text().strip())
        super().accept()


def ask_budget(parent: QWidget, editor: Editor, voices: Voices) -> None:
    ChangeBudget(parent, editor, voices).open()


def ask_withdraw(parent: QWidget, releases: Releases, voices: Voices, release_id: str) -> None:
    """A withdrawn release cannot be taken back into the list, so it is asked about."""
    box = QMessageBox(QMessageBox.Icon.Question, "Withdraw release", "", parent=parent)
    box.setText(f"Withdraw {release_id}?")
    box.setInformativeText("It is removed from the list for good. Its draws and decisions stay in the project file.")
    withdraw = box.addButton("Withdraw", QMessageBox.ButtonRole.DestructiveRole)
    keep = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(keep)
    withdraw.clicked.connect(
        lambda: voices.under_own_name(lambda: releases.withdraw(release_id, take_pen=voices.take_pen))
    )
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


def ask_identity(window: MainWindow) -> None:
    """The preparer of a release cannot decide on it, so the program needs your name."""
    dialog = QInputDialog(window)
    dialog.setWindowTitle("Who am I")
    dialog.setLabelText("Your name as it will appear in decisions and the journal:")
    dialog.setTextValue(window.controller.file.person)

    def named(name: str) -> None:
        if name.strip():
            window.settings.identity = name.strip()
            window.controller.file.person = name.strip()
            window.controller.voices.keyring.forget()
            window.controller.jobs.noted.emit(f"You are {name.strip()}.")
            window.controller.file.changed.emit()
            window.controller.editor.changed.emit()

    dialog.textValueSelected.connect(named)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def show_guide(parent: QWidget) -> None:
    HelpWindow(parent, "Guide", "guide.md").show()


def show_glossary(parent: QWidget) -> None:
    HelpWindow(parent, "Glossary", "glossary.md").show()


class HelpWindow(QDialog):
    """A page of help beside the work, not before it, with a search."""

    def __init__(self, parent: QWidget, title: str, page: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(False)
        self.resize(760, 640)
        self.text, self.search = QTextBrowser(), QLineEdit()
        self.text.setOpenExternalLinks(False)
        self.text.setMarkdown(read_text(resource("help", page), "a page of help"))
        self.search.setPlaceholderText("Find in this page")
        self.search.setAccessibleName("Find in this page")
        self.search.setClearButtonEnabled(True)
        self.search.textEdited.connect(self._from_the_top)
        self.search.returnPressed.connect(self._next)
        layout = QVBoxLayout(self)
        layout.addWidget(self.search)
        layout.addWidget(self.text)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def _from_the_top(self) -> None:
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        self._next()

    def _next(self) -> None:
        words = self.search.text()
        if words and not self.text.find(words):
            self.text.moveCursor(QTextCursor.MoveOperation.Start)
            self.text.find(words)


def show_about(parent: QWidget) -> None:
    box = QMessageBox(QMessageBox.Icon.Information, "About", "", parent=parent)
    box.setText(f"Disclosure Workbench {workbench.__version__}")
    box.setInformativeText("Review a statistical release before it leaves the agency.")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()

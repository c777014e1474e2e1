"""Questions and results of verbs as dialogs. All are opened, never executed: the event loop is never nested."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QMessageBox, QVBoxLayout, QWidget

from workbench.review.told import Told
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.publishing import Publishing
from workbench.ui.controller.questions import OutsideQuestion, PassphraseQuestion, Question, Questions
from workbench.ui.controller.releases import Releases
from workbench.ui.passphrase import PassphraseDialog
from workbench.ui.widgets.card import CardColumn, Scrolling, wrapped
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.icons import IconLabel

_REPORTS = "Reports (*.json *.html *.pdf);;All files (*)"
_BUNDLES = "Release bundles (*.zip);;All files (*)"
_PLANS = "Plans (*.toml)"
_PROJECTS = "Disclosure Workbench project (*.dwb)"


def connect_questions(window: QWidget, questions: Questions) -> None:
    """Every question opens its dialog on the window."""
    questions.passphrase.connect(lambda question: ask_passphrase(window, question))
    questions.outside.connect(lambda question: ask_outside(window, question))
    questions.asked.connect(lambda question: ask(window, question))
    questions.told.connect(lambda title, told: tell(window, title, told))


def ask(window: QWidget, question: Question) -> None:
    """Yes by its own words; Enter and Escape leave everything as it is."""
    box = QMessageBox(QMessageBox.Icon.Question, question.title, "", parent=window)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question.words)
    box.setInformativeText(question.more)
    yes = box.addButton(question.yes, QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    yes.clicked.connect(lambda: question.go_on())
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


def ask_passphrase(window: QWidget, question: PassphraseQuestion) -> None:
    PassphraseDialog(window, question).open()


def ask_outside(window: QWidget, question: OutsideQuestion) -> None:
    """A plan may come from anybody; the person at this machine says whether it may read elsewhere."""
    box = QMessageBox(QMessageBox.Icon.Question, "A file outside the project's folder", "", parent=window)
    box.setTextFormat(Qt.TextFormat.PlainText)
    names = "\n".join(str(path) for path in question.paths)
    box.setText(f"The plan of this release reads files outside {question.base}:\n\n{names}")
    box.setInformativeText("Allow this only if you know these files. The answer is remembered for them.")
    read = box.addButton("Read them", QMessageBox.ButtonRole.AcceptRole)
    keep = box.addButton("Leave them", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    read.clicked.connect(lambda: question.go_on())
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


def choose_plan(window: QWidget, releases: Releases) -> None:
    dialog = FileDialog(window, "New release from a plan", kinds=f"{_PLANS};;All files (*)")
    dialog.setFileMode(FileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(lambda name: releases.from_plan(Path(name)))
    dialog.open()


def choose_plan_path(window: QWidget, releases: Releases) -> None:
    dialog = FileDialog(window, "Save the plan", "plan.toml", kinds=_PLANS)
    dialog.setAcceptMode(FileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("toml")
    dialog.fileSelected.connect(lambda name: releases.save_plan(Path(name)))
    dialog.open()


class ToldDialog(QDialog):
    """What a check found: one sentence, and its details one below the other."""

    def __init__(self, parent: QWidget, title: str, told: Told) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(520)
        icon = IconLabel(*(("check", "passed") if told.ok else ("cross", "fail")), size=22)
        self.sentence = wrapped(told.sentence, "heading")
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.sentence, 1)
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        layout.addLayout(head)
        self.lines = told.lines
        if told.lines:
            details = Scrolling(CardColumn(*(wrapped(f"•  {line}") for line in told.lines)), "Details")
            details.setMinimumHeight(min(300, 40 * len(told.lines) + 20))
            layout.addWidget(details, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)


def tell(window: QWidget, title: str, told: Told) -> None:
    ToldDialog(window, title, told).open()


def choose_report(window: QWidget, publishing: Publishing) -> None:
    _choose(window, "Choose the report to check", _REPORTS, publishing.verify_report)


def choose_bundle(window: QWidget, publishing: Publishing) -> None:
    _choose(window, "Choose the bundle to check", _BUNDLES, publishing.check_bundle)


def choose_copy(window: QWidget, file: ProjectFile) -> None:
    _choose(window, "Choose the copy whose votes are to be merged", _PROJECTS, lambda path: file.merge(path))


def _choose(window: QWidget, title: str, kinds: str, chosen: Callable[[Path], None]) -> None:
    dialog = FileDialog(window, title, kinds=kinds)
    dialog.setFileMode(FileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def ask_decrypt(window: QWidget, file: ProjectFile) -> None:
    """In clear anybody who has the file can read it, so it is asked about."""
    more = "Anyone who has the file can then read every plan, comment and internal finding in it."
    ask(
        window,
        Question(
            title="Decrypt project",
            words="Decrypt the project?",
            more=more,
            yes="Decrypt",
            go_on=file.decrypt,
        ),
    )

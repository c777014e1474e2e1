"""The policy of a project: what it asks, in words, and another one put in force with a reason."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from workbench.core.errors import UserProblem
from workbench.review.decide.policy_book import SECTION_TITLES, PolicyPage, offered, page_of, read_policy
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.voices import Voices
from workbench.ui.widgets.card import CardColumn, Scrolling, wrapped
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.pairs import Pairs

_NOW = "In force now"
_NONE = "No policy is set: the program's defaults apply"


class PolicyDialog(QDialog):
    """The rules in force, those that come with the program, or a file; only another one can be put in force."""

    def __init__(self, parent: QWidget, file: ProjectFile, voices: Voices) -> None:
        super().__init__(parent)
        self.setWindowTitle("Policy")
        self.resize(620, 640)
        self._file, self._voices = file, voices
        policy = file.view.policy if file.view is not None else None
        self._pages: list[PolicyPage] = [page_of(policy), *offered()]
        self.choice = QComboBox()
        self.choice.setAccessibleName("Policy")
        self.choice.addItem(f"{_NOW}: {policy.title}" if policy is not None else _NONE)
        self.choice.addItems([each.title for each in self._pages[1:]])
        self.choice.currentIndexChanged.connect(lambda _index: self._show())
        self.from_file = TextButton("From a file…", "folder")
        self.from_file.clicked.connect(self._choose_file)
        self.summary = wrapped("", "muted")
        self._sections = {name: Pairs() for name in SECTION_TITLES}
        column = CardColumn()
        for name, pairs in self._sections.items():
            column.add(wrapped(SECTION_TITLES[name], "heading"))
            column.add(pairs)
        self.reason = QLineEdit()
        self.reason.setAccessibleName("Reason")
        self.reason.setPlaceholderText("Who decided it, and why (stays in the journal)")
        self.problem = wrapped("", "problem")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Close)
        self.put = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.put.setText("Put in force")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        row = QHBoxLayout()
        row.addWidget(self.choice, 1)
        row.addWidget(self.from_file)
        layout = QVBoxLayout(self)
        layout.addLayout(row)
        layout.addWidget(self.summary)
        layout.addWidget(Scrolling(column, "What the policy asks"), 1)
        for widget in (self.reason, self.problem, self.buttons):
            layout.addWidget(widget)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._show()

    @property
    def page(self) -> PolicyPage:
        return self._pages[self.choice.currentIndex()]

    def _show(self) -> None:
        page = self.page
        self.summary.setText(page.summary or page.title)
        for name, pairs in self._sections.items():
            pairs.set_pairs(tuple((label, value or "–") for label, value in page.sections[name]))
        other = self.choice.currentIndex() > 0 and self._file.writable
        self.reason.setEnabled(other)
        self.put.setEnabled(other)
        self.problem.setText("")

    def _choose_file(self) -> None:
        dialog = FileDialog(self, "Choose a policy", kinds="Policies (*.toml)")
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.read(Path(name)))
        dialog.open()

    def read(self, path: Path) -> None:
        """A page of text: read at once, every problem told here."""
        try:
            page = read_policy(str(path))
        except UserProblem as wrong:
            self.problem.setText(" ".join(problem.sentence() for problem in wrong.problems))
            return
        self._pages.append(page)
        self.choice.addItem(f"{page.title} ({path.name})")
        self.choice.setCurrentIndex(self.choice.count() - 1)

    def accept(self) -> None:
        if not self.reason.text().strip():
            self.problem.setText("Say who decided it and why.")
            return
        self._voices.set_policy(self.page, self.reason.text().strip())
        super().accept()


def show_policy(parent: QWidget, file: ProjectFile, voices: Voices) -> None:
    PolicyDialog(parent, file, voices).open()

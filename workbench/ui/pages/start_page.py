"""Where somebody begins: open a project, make one, go back to a recent one, or try a sample."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.review.publish.samples import SAMPLES
from workbench.ui import theme
from workbench.ui.pages.start_cards import SamplesCard, StepsCard
from workbench.ui.settings import Settings
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.plain_tip import plain_tip

_RECENT_PIXELS = 460
_WIDEST = 1240  # lines of text that one eye follows
_PROJECTS = "Disclosure Workbench project (*.dwb)"


class StartPage(QWidget):
    open_requested = Signal(object)  # Path
    create_requested = Signal(object)  # Path
    release_requested = Signal()
    sample_requested = Signal(str, object)  # which sample, Path of a folder

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self.first = Card("Begin a review", "A project file keeps every reviewed release, decision and budget.")
        self.open_button = TextButton("Open project…", "folder")
        self.create_button = TextButton("New project…", "plus", role="primary", ink="on_accent")
        self.open_button.clicked.connect(self.choose_project)
        self.create_button.clicked.connect(self.choose_new)
        self.release_button = TextButton("New release…", "plus", role="primary", ink="on_accent")
        self.release_button.clicked.connect(lambda: self.release_requested.emit())
        row = QHBoxLayout()
        row.addWidget(self.release_button)
        row.addWidget(self.create_button)
        row.addWidget(self.open_button)
        row.addStretch(1)
        self.hint = wrapped("", "muted")
        self.first.add_layout(row)
        self.first.add(self.hint)
        self.recent = Card("Recent projects")
        self._recent_rows = QVBoxLayout()
        self.recent.add_layout(self._recent_rows)
        self.samples, self.steps = SamplesCard(SAMPLES), StepsCard()
        self.samples.chosen.connect(self.choose_sample)
        sheet = QWidget()
        columns = QHBoxLayout(sheet)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(theme.GAP)
        columns.addWidget(CardColumn(self.first, self.recent, self.samples), 8)
        columns.addWidget(CardColumn(self.steps), 5)
        sheet.setMaximumWidth(_WIDEST)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Scrolling(sheet))
        self.refresh(project_open=False)

    def refresh(self, *, project_open: bool, writable: bool = True, empty: bool = True) -> None:
        """What can be begun; `empty` says whether the project that is open holds no release."""
        if not project_open:
            title, words = "Begin a review", "A project file keeps every reviewed release, decision and budget."
        elif empty:
            title = "This project holds no release yet"
            words = "A release is one publication under review: data, protection, audit and the decision on it."
        else:
            title, words = "No release is open", "Choose one on the left, or begin a new one."
        self.first.set_title(title)
        self.first.set_subtitle(words)
        self.hint.setText("" if project_open else "A project is one file. Microdata are never copied into it.")
        self.hint.setVisible(not project_open)
        self.samples.setVisible(not project_open)
        self.release_button.setVisible(project_open)
        self.release_button.setEnabled(writable)
        if project_open and writable and self.isVisible() and self.create_button.hasFocus():
            self.release_button.setFocus()  # what comes next, not another project
        theme.set_role(self.create_button, "" if project_open else "primary")
        self.create_button.set_ink("text" if project_open else "on_accent")
        while (item := self._recent_rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        paths = self._settings.recent_projects()
        for path in paths:
            button = TextButton(shortened(path, self.fontMetrics()).replace("&", "&&"), "folder", role="link")
            button.setToolTip(plain_tip(str(path)))
            button.setAccessibleName(str(path))
            button.clicked.connect(lambda _checked=False, chosen=path: self.open_requested.emit(chosen))
            self._recent_rows.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.recent.setVisible(bool(paths))

    def choose_sample(self, name: str) -> None:
        dialog = FileDialog(self, "Choose the folder for the sample")
        dialog.setFileMode(FileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda folder: self.sample_requested.emit(name, Path(folder)))
        dialog.open()

    def choose_project(self) -> None:
        dialog = FileDialog(self, "Open a project", kinds=_PROJECTS)
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.open_requested.emit(Path(name)))
        dialog.open()

    def choose_new(self) -> None:
        dialog = FileDialog(self, "Name the new project", kinds=_PROJECTS)
        dialog.setAcceptMode(FileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("dwb")
        dialog.setOption(FileDialog.Option.DontConfirmOverwrite)  # a project is never replaced by a new one
        dialog.fileSelected.connect(lambda name: self.create_requested.emit(Path(name)))
        dialog.open()


def shortened(path: Path, metrics: QFontMetrics) -> str:
    """Name and folder; a long folder loses its middle, so that no path makes the window wider than the screen."""
    room = max(80, _RECENT_PIXELS - metrics.horizontalAdvance(path.name))
    folder = metrics.elidedText(str(path.parent), Qt.TextElideMode.ElideMiddle, room)
    return f"{metrics.elidedText(path.name, Qt.TextElideMode.ElideMiddle, _RECENT_PIXELS)}   {folder}"

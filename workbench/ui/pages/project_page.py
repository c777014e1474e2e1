"""What the pages about the whole project have in common: they read when they are seen, and when the project changed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.ui import theme
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.later import PAGE, Later
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.plain_tip import plain_tip


class ProjectPage(QWidget):
    """`read()` asks for what is shown; whoever gets the answer calls `arrived()`."""

    release_wanted = Signal(str)

    def __init__(self, file: ProjectFile, editor: Editor, title: str) -> None:
        super().__init__()
        self.file, self.editor = file, editor
        self.setAccessibleName(title)
        self._waiting = False
        self._read_later = Later(self, lambda _nothing: self._read(), PAGE)
        self.back = TextButton("", "arrow-left", role="link", ink="accent")
        self.back.clicked.connect(self._go_back)
        self.head = QHBoxLayout()
        self.head.setSpacing(theme.GAP)
        self.head.addWidget(wrapped(title, "title"), 1)
        self.head.addWidget(self.back)
        self.body = QVBoxLayout()
        self.body.setSpacing(theme.GAP)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(theme.GAP)
        whole.addLayout(self.head)
        whole.addLayout(self.body, 1)
        file.changed.connect(self._changed)
        editor.changed.connect(self._changed)

    def read(self) -> None:
        """Overridden by each page."""

    def arrived(self) -> None:
        self._waiting = False

    @property
    def settled(self) -> bool:
        return not self._waiting and not self._read_later.pending

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._changed()

    def _changed(self) -> None:
        session = self.editor.session
        self.back.setVisible(session is not None)
        if session is not None:
            self.back.setText(f"Back to {session.release_id}")
            self.back.setToolTip(plain_tip(session.plan.release.title))
        if self.isVisible():
            self._read_later()

    def _read(self) -> None:
        if self.isVisible() and self.file.view is not None:
            self._waiting = True
            self.read()

    def _go_back(self) -> None:
        if self.editor.session is not None:
            self.release_wanted.emit(self.editor.session.release_id)

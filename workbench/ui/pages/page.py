"""What every stage's page has in common: it refreshes only while it can be seen."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.review.session import ReviewSession
from workbench.ui.controller import Controller
from workbench.ui.widgets.disclosure import Disclosure


def folded(title: str, content: QWidget) -> Disclosure:
    """Content that stays closed until somebody wants it."""
    fold = Disclosure(title)
    layout = QVBoxLayout(fold.body)
    layout.setContentsMargins(0, 4, 0, 0)
    layout.addWidget(content)
    return fold


class Page(QWidget):
    """`refresh(session)` brings the widgets in line with the session; it must not cause edits."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.controller = controller
        self._due = True
        controller.changed.connect(self._session_changed)

    @property
    def session(self) -> ReviewSession | None:
        return self.controller.session

    def refresh(self, session: ReviewSession) -> None:
        """Overridden by each page."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._due:
            self._refresh()

    def _session_changed(self) -> None:
        if self.isVisible():
            self._refresh()
        else:
            self._due = True

    def _refresh(self) -> None:
        self._due = False
        session = self.controller.session
        if session is not None:
            with QSignalBlocker(self):
                self.refresh(session)

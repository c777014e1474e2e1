"""What always stands: releases at the left, stages on top, the page in the middle, evidence at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.ui import theme
from workbench.ui.pages.start_page import StartPage
from workbench.ui.settings import Settings
from workbench.ui.widgets.evidence_panel import EvidencePanel
from workbench.ui.widgets.problems_panel import ProblemsPanel
from workbench.ui.widgets.progress_strip import ProgressStrip
from workbench.ui.widgets.release_list import ReleaseList
from workbench.ui.widgets.stage_rail import StageRail

_EVIDENCE, _EVIDENCE_NARROW, _NARROW = 300, 252, 1200  # pixels
_LIST, _LIST_NARROW, _LEAST = 190, 146, 1080  # below the least width that pages need, on a screen at 150 %, for example
_ANY = (1 << 24) - 1  # Qt: no limit


class Frame(QWidget):
    """Widgets in their places. Which page is in view is `Navigation`'s, what they show is `Display`'s business."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.releases, self.rail, self.evidence = ReleaseList(), StageRail(), EvidencePanel()
        self.problems, self.strip = ProblemsPanel(), ProgressStrip()
        self.start_page, self.stack = StartPage(settings), QStackedWidget()
        self.stack.addWidget(self.start_page)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.releases)
        self.split.addWidget(self._centre())
        self.split.setSizes([216, 1284])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.split, 1)
        rows.addWidget(self.strip)
        self.strip.add(self.problems.badge)

    def _centre(self) -> QWidget:
        centre = QWidget()
        centre.setMinimumWidth(640)  # whatever a page would like: the list of releases keeps its place
        column = QVBoxLayout(centre)
        column.setContentsMargins(theme.GAP, theme.GAP, theme.GAP, theme.GAP)
        column.setSpacing(theme.GAP)
        column.addWidget(self.rail)
        inner = QHBoxLayout()
        inner.setSpacing(theme.GAP)
        inner.addWidget(self.stack, 1)
        inner.addWidget(self.evidence)
        column.addLayout(inner, 1)
        column.addWidget(self.problems)
        return centre

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the window is narrow the page needs the room more than the evidence and the list of releases do."""
        super().resizeEvent(event)
        self.evidence.setFixedWidth(_EVIDENCE if self.width() >= _NARROW else _EVIDENCE_NARROW)
        narrow = self.width() < _LEAST
        self.releases.setMinimumWidth(_LIST_NARROW if narrow else _LIST)
        self.releases.setMaximumWidth(_LIST_NARROW if narrow else _ANY)
        if narrow:
            self.split.setSizes([_LIST_NARROW, self.width() - _LIST_NARROW])

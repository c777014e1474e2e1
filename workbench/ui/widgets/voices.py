"""VoicesList: votes, decisions and exceptions of a release the latest on top, with their signatures.

voices = VoicesList(); voices.set_voices(voices_of(desk))
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QListView

from workbench.core.findings import Finding
from workbench.ui.widgets.findings_view import FindingDelegate, FindingsModel, rows_height
from workbench.ui.widgets.plain_tip import plain_tip

Index = QModelIndex | QPersistentModelIndex


class VoicesModel(FindingsModel):
    """What is read aloud names no status: the title already says what was said."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            voice = self.findings()[index.row()]
            said = f"{voice.title}. {voice.sentence}"
            return plain_tip(said) if role == Qt.ItemDataRole.ToolTipRole else said
        return super().data(index, role)


class VoicesList(QListView):
    """A list; rows get new heights with every new width."""

    def __init__(self) -> None:
        super().__init__()
        self._model = VoicesModel()
        self._model.setParent(self)
        self.setModel(self._model)
        self.setItemDelegate(FindingDelegate(self))
        self.setAccessibleName("Votes and decisions")
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    def set_voices(self, voices: Sequence[Finding]) -> None:
        if tuple(voices) != self._model.findings():
            self._model.set_findings(voices)

    def lacks(self) -> int:
        """By how many pixels the rows are higher than what is seen of them; below zero where they leave room."""
        return rows_height(self) - self.viewport().height()

    def voices(self) -> tuple[Finding, ...]:
        return self._model.findings()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

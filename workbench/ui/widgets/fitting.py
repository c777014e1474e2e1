"""Fitting: content at its natural height where there is room, and a scroll bar only where there is not."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.widgets.card import Scrolling

_LEAST = 90


class Fitting(Scrolling):
    """Labels that wrap make the height depend on the width, so it is asked for anew whenever either changes."""

    def __init__(self, content: QWidget) -> None:
        super().__init__(content)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def _natural(self) -> int:
        content = self._content
        width = max(120, self.viewport().width())
        return content.heightForWidth(width) if content.hasHeightForWidth() else content.sizeHint().height()

    def sizeHint(self) -> QSize:
        return QSize(self._content.sizeHint().width(), self._natural())

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), min(_LEAST, self._natural()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._follow()
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        if self.maximumHeight() != self._natural():
            self.setMaximumHeight(self._natural())
            self.updateGeometry()

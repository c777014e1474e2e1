"""One line of text that is shortened to its place; the tool tip has all of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from workbench.ui.widgets.plain_tip import plain_tip


class ElidedLabel(QLabel):
    """Sentences lose their end, names of files their middle: beginning and ending tell them apart."""

    def __init__(self, role: str = "", *, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__()
        self._whole, self._tip, self._mode = "", "", mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(40)

    def set_text(self, text: str, tip: str = "") -> None:
        """The text, and what its tool tip says even where it fits."""
        self._whole, self._tip = text, tip
        self.setAccessibleName(text)
        self._fit()

    def whole(self) -> str:
        return self._whole

    def _fit(self) -> None:
        shown = QFontMetrics(self.font()).elidedText(self._whole, self._mode, max(10, self.width()))
        self.setText(shown)
        self.setToolTip(plain_tip(self._tip or (self._whole if shown != self._whole else "")))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

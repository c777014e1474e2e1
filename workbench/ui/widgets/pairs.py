"""Pairs: names at the left, values at the right. A value too long for its place wraps, inside a word where it must."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from workbench.ui import theme

_FLAGS = int(Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere | Qt.AlignmentFlag.AlignRight)


class ValueText(QWidget):
    """A value in strong type, at the right; a file name without spaces wraps too."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def text(self) -> str:
        return self._text

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(theme.base_size())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def heightForWidth(self, width: int) -> int:
        return QFontMetrics(self._font()).boundingRect(QRect(0, 0, max(20, width), 10_000), _FLAGS, self._text).height()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        return QSize(metrics.horizontalAdvance(self._text) + 2, metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(60, QFontMetrics(self._font()).height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font())
        painter.setPen(QColor(theme.tokens().text))
        painter.drawText(self.rect(), _FLAGS, self._text)
        painter.end()


class Pairs(QWidget):
    """Names at the left, values at the right, in a grid that wraps long values."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnStretch(1, 1)

    def set_pairs(self, pairs: tuple[tuple[str, str], ...]) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for row, (name, value) in enumerate(pairs):
            label = QLabel(name)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("role", "muted")
            shown = ValueText(value)
            shown.setAccessibleName(f"{name}: {value}")
            self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(shown, row, 1)

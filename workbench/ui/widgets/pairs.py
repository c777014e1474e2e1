"""Pairs: names at the left, values at the right. Long ones wrap between words, inside a word only where they must."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from workbench.ui import theme
from workbench.ui.widgets.card import wrapped

_WORDS = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignRight)
_SHORT = 16  # letters of a name that need no second line
_ANYWHERE = int(Qt.TextFlag.TextWrapAnywhere | Qt.AlignmentFlag.AlignRight)


class ValueText(QWidget):
    """A value in strong type, at the right; a file name without spaces wraps too."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._known: dict[tuple[int, int], int] = {}  # layouts ask again and again, and wrapping is slow
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

    def flags(self, width: int) -> int:
        """Lines end between words; inside a word only where one alone is wider than the place."""
        metrics = QFontMetrics(self._font())
        longest = max((metrics.horizontalAdvance(word) for word in self._text.split()), default=0)
        return _WORDS if longest <= width else _ANYWHERE

    def heightForWidth(self, width: int) -> int:
        asked = (width, theme.base_size())
        if asked not in self._known:
            room = QRect(0, 0, max(20, width), 10_000)
            box = QFontMetrics(self._font()).boundingRect(room, self.flags(room.width()), self._text)
            self._known[asked] = box.height()
        return self._known[asked]

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        return QSize(metrics.horizontalAdvance(self._text) + 2, metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(60, QFontMetrics(self._font()).height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font())
        painter.setPen(QColor(theme.tokens().text))
        painter.drawText(self.rect(), self.flags(self.width()), self._text)
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
        self._grid.setColumnStretch(0, 2 if any(len(name) > _SHORT for name, _value in pairs) else 0)
        for row, (name, value) in enumerate(pairs):
            label = wrapped(name, "muted")
            label.setWordWrap(len(name) > _SHORT)  # what is short needs no second line, however narrow the place
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
            shown = ValueText(value)
            shown.setAccessibleName(f"{name}: {value}")
            self._grid.addWidget(label, row, 0)
            self._grid.addWidget(shown, row, 1)

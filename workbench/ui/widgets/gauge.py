"""BudgetGauge: what is spent, what this release adds, what would remain; told by pattern and length too."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui import theme


class BudgetGauge(QWidget):
    """A bar: solid for spent, hatched for this release, empty for what remains; a line at the cap when exceeded."""

    clicked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._spent, self._adds, self._cap = Decimal(0), Decimal(0), Decimal(1)
        self.setFixedHeight(18)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_values(self, spent: Decimal, adds: Decimal, cap: Decimal) -> None:
        self._spent, self._adds, self._cap = spent, adds, cap
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self.clicked.emit()
        super().mouseReleaseEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # or the release would go to whatever lies behind

    def sizeHint(self) -> QSize:
        return QSize(180, 18)

    def _share(self, value: Decimal) -> float:
        whole = max(self._cap, self._spent + self._adds)
        return float(value / whole) if whole > 0 else 0.0

    def exceeded(self) -> bool:
        return self._spent + self._adds > self._cap

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(self.rect()).adjusted(0.5, 2.5, -0.5, -2.5)
        outline = QPainterPath()
        outline.addRoundedRect(bar, 5, 5)
        painter.fillPath(outline, QColor(colours.raised))
        spent, adds = self._share(self._spent) * bar.width(), self._share(self._adds) * bar.width()
        painter.setClipPath(outline)
        painter.fillRect(QRectF(bar.left(), bar.top(), spent, bar.height()), QColor(colours.accent_fill))
        ink = QColor(colours.fail if self.exceeded() else colours.accent)
        added = QRectF(bar.left() + spent, bar.top(), adds, bar.height())
        painter.fillRect(added, QColor(colours.fail_soft if self.exceeded() else colours.accent_soft))
        painter.fillRect(added, QBrush(ink, Qt.BrushStyle.BDiagPattern))
        if adds > 0:
            painter.fillRect(QRectF(added.left() - 1, bar.top(), 2, bar.height()), QColor(colours.surface))
        painter.setClipping(False)
        painter.setPen(QPen(QColor(colours.border_strong), 1))
        painter.drawPath(outline)
        if self.exceeded():
            cap = bar.left() + self._share(self._cap) * bar.width()
            painter.setPen(QPen(QColor(colours.text), 2))
            painter.drawLine(int(cap), 0, int(cap), self.height())
        painter.end()

"""CheckList: choose names and put them in order, with mouse or keyboard.

Space ticks, Alt+Up and Alt+Down move, dragging moves too. The value is the ticked names in the order shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QDropEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QSizePolicy

from workbench.ui import theme

_NOTHING = "No column of this kind in the data that are loaded"
_MOST_ROWS = 9
_ROW = 28


class CheckList(QListWidget):
    """Offers (value, label) pairs; a chosen name nobody offers is kept and shown, never dropped in silence."""

    edited = Signal()

    def __init__(self, options: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._quiet = False
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("Space ticks; drag, or Alt+Up and Alt+Down, changes the order")
        self._options: tuple[tuple[str, str], ...] = ()
        self.set_options(options)
        self.itemChanged.connect(lambda _item: self._changed())

    def set_options(self, options: Sequence[tuple[str, str]]) -> None:
        chosen = self.names()
        self._options = tuple(options)
        self._fill(chosen)

    def raw(self) -> object:
        return list(self.names())

    def names(self) -> tuple[str, ...]:
        items = (self.item(row) for row in range(self.count()))
        return tuple(
            str(item.data(Qt.ItemDataRole.UserRole)) for item in items if item.checkState() is Qt.CheckState.Checked
        )

    def show_value(self, value: object) -> None:
        names = tuple(str(name) for name in value) if isinstance(value, tuple | list) else ()
        if names != self.names():
            self._fill(names)

    def _fill(self, chosen: tuple[str, ...]) -> None:
        labels = dict(self._options)
        order = [*chosen, *(name for name in labels if name not in chosen)]
        self._quiet = True
        self.clear()
        for name in order:
            item = QListWidgetItem(labels.get(name, f"{name} (not in the data)"), self)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setFlags((item.flags() | Qt.ItemFlag.ItemIsUserCheckable) & ~Qt.ItemFlag.ItemIsDropEnabled)
            item.setCheckState(Qt.CheckState.Checked if name in chosen else Qt.CheckState.Unchecked)
        self._quiet = False
        self.updateGeometry()

    def _changed(self) -> None:
        if not self._quiet:
            self.edited.emit()

    def move_current(self, step: int) -> None:
        """Move the current row up or down by one."""
        row = self.currentRow()
        to = row + step
        if row < 0 or not 0 <= to < self.count():
            return
        self._quiet = True
        item = self.takeItem(row)
        self.insertItem(to, item)
        self.setCurrentRow(to)
        self._quiet = False
        self.edited.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if event.modifiers() & Qt.KeyboardModifier.AltModifier and Qt.Key(event.key()) in steps:
            self.move_current(steps[Qt.Key(event.key())])
            return
        super().keyPressEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self._quiet = True
        super().dropEvent(event)
        self._quiet = False
        self.edited.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.count():
            painter = QPainter(self.viewport())
            painter.setPen(QColor(theme.tokens().muted))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.viewport().rect().adjusted(8, 2, -8, -2), int(flags), _NOTHING)
            painter.end()

    def sizeHint(self) -> QSize:
        row = self.sizeHintForRow(0) if self.count() else _ROW
        return QSize(160, min(max(self.count(), 2), _MOST_ROWS) * row + 2 * self.frameWidth() + 8)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())

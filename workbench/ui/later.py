"""Work for the next turn of the event loop: several requests become one call, and no turn does everything at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

FRAME, PAGE, FILL = 0, 12, 30  # milliseconds
_LAID_OUT = 4


class Later(QObject):
    """`later(value)` calls back once, in a coming turn, with the latest value.

    Calls that are due in the same turn would add up to one long one, so each kind waits its own few milliseconds: the
    frame of the window first, then the page, then what fills the page.
    """

    def __init__(self, parent: QObject, callback: Callable[[Any], None], wait: int = FILL) -> None:
        super().__init__(parent)
        self._callback = callback
        self._value: Any = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(wait)
        self._timer.timeout.connect(self._call)

    def __call__(self, value: Any = None) -> None:
        self._value = value
        self._timer.start()

    @property
    def pending(self) -> bool:
        return self._timer.isActive()

    def _call(self) -> None:
        value, self._value = self._value, None
        self._callback(value)


class PaintLater(QObject):
    """`with paint_later(): …` changes a widget, lets its layout follow, and paints it in a turn of its own.

    Changing, laying out and painting a whole page would otherwise be one turn, longer than each of them by far.
    """

    def __init__(self, widget: QWidget, wait: int = _LAID_OUT) -> None:
        super().__init__(widget)
        self._widget = widget
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(wait)
        self._timer.timeout.connect(lambda: widget.setUpdatesEnabled(True))

    @property
    def pending(self) -> bool:
        return self._timer.isActive()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        self._widget.setUpdatesEnabled(False)
        try:
            yield
        finally:
            self._timer.start()

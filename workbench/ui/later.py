"""Work for the next turn of the event loop: several requests become one call, and no turn does everything at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer

FRAME, PAGE, FILL = 0, 12, 30  # milliseconds


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

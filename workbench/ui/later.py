"""Work for the next turn of the event loop: several requests become one call, and no turn does everything at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer


class Later(QObject):
    """`later(value)` calls back once, in the next turn, with the latest value."""

    def __init__(self, parent: QObject, callback: Callable[[Any], None]) -> None:
        super().__init__(parent)
        self._callback = callback
        self._value: Any = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
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

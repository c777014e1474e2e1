"""Aside: a little work off the main thread for one widget, with its answer or its problem back on it."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.background.events import Failed, Finished
from workbench.background.runner import Runner

_DRAIN_MILLISECONDS = 40


class Aside(QObject):
    """One piece of work at a time; a new one waits for the one before. Ends its thread when it is idle."""

    failed = Signal(object)  # UserProblem
    defect = Signal(str)  # details that hold no data

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._runner = Runner()
        self._then: dict[int, Callable[[Any], None]] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(_DRAIN_MILLISECONDS)
        self._timer.timeout.connect(self._drain)

    @property
    def busy(self) -> bool:
        return bool(self._then)

    def start(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        self._then[self._runner.start(lambda _context: work())] = then
        self._timer.start()

    def _drain(self) -> None:
        while True:
            try:
                event = self._runner.events.get_nowait()
            except queue.Empty:
                break
            if isinstance(event, Finished):
                self._then.pop(event.job)(event.result)
            elif isinstance(event, Failed):
                self._then.pop(event.job)
                if event.problem is None:
                    self.defect.emit(event.details)
                else:
                    self.failed.emit(event.problem)
        if not self._then:
            self._timer.stop()
            self._runner.finish()
            self._runner = Runner()

"""The one bridge between jobs and the window: a timer on the main thread drains the events of the worker thread.

No QObject ever lives off the main thread, and no slot ever waits for work.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.core.errors import UserProblem
from workbench.core.progress import Context
from workbench.jobs.events import Event, Failed, Finished, Progress, Stopped
from workbench.jobs.runner import Runner

_DRAIN_MILLISECONDS = 40

Then = Callable[[Any], None]


class JobBridge(QObject):
    """Start work with what shall happen on the main thread once it is done."""

    progress = Signal(float, str)  # fraction, sentence
    idle = Signal()
    failed = Signal(object)  # UserProblem
    defect = Signal(str)  # details that hold no data
    stopped = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = Runner()
        self._then: dict[int, Then] = {}
        self._silent: set[int] = set()
        self._timer = QTimer(self)
        self._timer.setInterval(_DRAIN_MILLISECONDS)
        self._timer.timeout.connect(self._drain)

    @property
    def busy(self) -> bool:
        """True while a job that the user waits for is under way."""
        return any(number not in self._silent for number in self._then)

    @property
    def pending(self) -> bool:
        """True while anything at all is queued or running."""
        return bool(self._then)

    def start(self, work: Callable[[Context], Any], then: Then, *, sentence: str = "", silent: bool = False) -> int:
        """Run `work` aside; call `then` with its result here. Silent work shows no progress (reads and saves)."""
        number = self._runner.start(work)
        self._then[number] = then
        if silent:
            self._silent.add(number)
        else:
            self.progress.emit(0.0, sentence)
        self._timer.start()
        return number

    def cancel(self) -> None:
        """Ask everything the user can see to stop; silent saves are let through."""
        for number in tuple(self._then):
            if number not in self._silent:
                self._runner.cancel(number)

    def finish(self) -> bool:
        """At the end of the program: cancel what can be cancelled, let saves complete, drop the rest."""
        self._timer.stop()
        self.cancel()
        self._then.clear()
        return self._runner.finish()

    def _drain(self) -> None:
        """Show the latest progress only, and finish at most one job per turn: each may have much to redraw."""
        latest: Progress | None = None
        while True:
            try:
                event = self._runner.events.get_nowait()
            except queue.Empty:
                break
            if isinstance(event, Progress):
                latest = event
                continue
            self._handle(event)
            latest = None
            break
        if latest is not None and latest.job in self._then and latest.job not in self._silent:
            self.progress.emit(latest.fraction, latest.sentence)
        if not self._then:
            self._timer.stop()

    def _handle(self, event: Event) -> None:
        then = self._then.pop(event.job, None)
        self._silent.discard(event.job)
        if not self.busy:
            self.idle.emit()
        match event:
            case Finished(result=result) if then is not None:
                then(result)
            case Failed(problem=UserProblem() as problem):
                self.failed.emit(problem)
            case Failed(details=details):
                self.defect.emit(details)
            case Stopped():
                self.stopped.emit()

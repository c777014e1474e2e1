"""The one bridge between jobs and the window: a timer on the main thread drains the events of the worker thread.

No QObject ever lives off the main thread, and no slot ever waits for work.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.background.events import Event, Failed, Finished, Progress, Stopped
from workbench.background.runner import Runner
from workbench.core.errors import UserProblem
from workbench.core.progress import Context

_DRAIN_MILLISECONDS = 40
_STUDY_SECONDS = 0.5

Then = Callable[[Any], None]


class Kind(Enum):
    """What a job is to the person in front of the window."""

    ACTION = "action"  # shown with progress; no other action starts beside it
    VIEW = "view"  # shown with progress; actions may be asked for meanwhile (the preview of a report)
    SAVE = "save"  # silent, never cancelled: reads and saves
    STUDY = "study"  # silent, dropped when its question is no longer asked (what if ε were …)


_SHOWN = (Kind.ACTION, Kind.VIEW)


@dataclass(frozen=True, slots=True)
class _Pending:
    then: Then
    kind: Kind


class JobBridge(QObject):
    """Start work with what shall happen on the main thread once it is done."""

    progress = Signal(float, str)  # fraction, sentence
    idle = Signal()  # the last job that was shown has ended
    occupied_changed = Signal(bool)
    failed = Signal(object)  # UserProblem
    defect = Signal(str)  # details that hold no data
    stopped = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = Runner()
        self._students = Runner()  # a thread of their own: no draw ever waits for a "what if"
        self._jobs: dict[int, _Pending] = {}
        self._was_occupied = False
        self._timer = QTimer(self)
        self._timer.setInterval(_DRAIN_MILLISECONDS)
        self._timer.timeout.connect(self._drain)

    @property
    def busy(self) -> bool:
        """True while a job that the window shows is under way."""
        return any(job.kind in _SHOWN for job in self._jobs.values())

    @property
    def occupied(self) -> bool:
        """True while an action is under way: whatever would start another one has to wait."""
        return any(job.kind is Kind.ACTION for job in self._jobs.values())

    @property
    def pending(self) -> bool:
        """True while anything at all is queued or running."""
        return bool(self._jobs)

    def start(self, work: Callable[[Context], Any], then: Then, *, sentence: str = "", kind: Kind = Kind.ACTION) -> int:
        """Run `work` aside; call `then` with its result here."""
        number = -self._students.start(work) if kind is Kind.STUDY else self._runner.start(work)
        self._jobs[number] = _Pending(then, kind)
        if kind in _SHOWN:
            self.progress.emit(0.0, sentence)
        self._tell_occupied()
        self._timer.start()
        return number

    def cancel(self) -> None:
        """Ask everything the user can see to stop; silent saves are let through."""
        self._stop(*_SHOWN)

    def drop(self, number: int) -> None:
        """Nobody waits for this job any more: it is stopped where it can be, and its result is not looked at."""
        if self._jobs.pop(number, None) is not None:
            self._ask_to_stop(number)

    def finish(self, seconds: float = 5.0) -> bool:
        """At the end of the program: cancel what can be cancelled, let saves complete, drop the rest."""
        self._timer.stop()
        self._stop(*_SHOWN, Kind.STUDY)
        self._jobs.clear()
        return self._runner.finish(seconds) and self._students.finish(_STUDY_SECONDS)

    def _stop(self, *kinds: Kind) -> None:
        for number, job in tuple(self._jobs.items()):
            if job.kind in kinds:
                self._ask_to_stop(number)

    def _ask_to_stop(self, number: int) -> None:
        """Studies are numbered downwards, so that one table holds both threads' jobs."""
        if number < 0:
            self._students.cancel(-number)
        else:
            self._runner.cancel(number)

    def _tell_occupied(self) -> None:
        if self._was_occupied != self.occupied:
            self._was_occupied = self.occupied
            self.occupied_changed.emit(self._was_occupied)

    def _drain(self) -> None:
        """Show the latest progress only, and finish at most one job per turn: each may have much to redraw."""
        self._drain_studies()
        latest: Progress | None = None
        while True:
            try:
                event = self._runner.events.get_nowait()
            except queue.Empty:
                break
            if isinstance(event, Progress):
                latest = event
                continue
            self._handle(event.job, event)
            latest = None
            break
        if latest is not None and (job := self._jobs.get(latest.job)) is not None and job.kind in _SHOWN:
            self.progress.emit(latest.fraction, latest.sentence)
        if not self._jobs:
            self._timer.stop()

    def _drain_studies(self) -> None:
        while True:
            try:
                event = self._students.events.get_nowait()
            except queue.Empty:
                return
            if not isinstance(event, Progress):
                self._handle(-event.job, event)

    def _handle(self, number: int, event: Event) -> None:
        job = self._jobs.pop(number, None)
        if job is None:
            return
        if job.kind in _SHOWN and not self.busy:
            self.idle.emit()
        match event:
            case Finished(result=result):
                job.then(result)
            case Failed(problem=UserProblem() as problem):
                self.failed.emit(problem)
            case Failed(details=details):
                self.defect.emit(details)
            case Stopped() if job.kind in _SHOWN:
                self.stopped.emit()
        self._tell_occupied()

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
    ASIDE = "aside"  # shown where nothing else is; goes on whatever is in view, until a person cancels it


_SHOWN = (Kind.ACTION, Kind.VIEW)


@dataclass(frozen=True, slots=True)
class Ticket:
    """Names a job: the thread it runs on and its number there."""

    runner: Runner
    number: int


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
        self._aside = Runner()  # and one for long work that nobody waits for
        self._jobs: dict[Ticket, _Pending] = {}
        self._was_occupied = False
        self._timer = QTimer(self)
        self._timer.setInterval(_DRAIN_MILLISECONDS)
        self._timer.timeout.connect(self._drain)

    @property
    def busy(self) -> bool:
        """True while a job that the window shows is under way."""
        return any(job.kind in _SHOWN for job in self._jobs.values())

    @property
    def busy_aside(self) -> bool:
        """True while long work goes on that nobody waits for."""
        return any(job.kind is Kind.ASIDE for job in self._jobs.values())

    @property
    def occupied(self) -> bool:
        """True while an action is under way: whatever would start another one has to wait."""
        return any(job.kind is Kind.ACTION for job in self._jobs.values())

    @property
    def pending(self) -> bool:
        """True while anything at all is queued or running."""
        return bool(self._jobs)

    def start(
        self, work: Callable[[Context], Any], then: Then, *, sentence: str = "", kind: Kind = Kind.ACTION
    ) -> Ticket:
        """Run `work` on its thread; call `then` with its result here."""
        runner = {Kind.STUDY: self._students, Kind.ASIDE: self._aside}.get(kind, self._runner)
        ticket = Ticket(runner, runner.start(work))
        self._jobs[ticket] = _Pending(then, kind)
        if kind in _SHOWN or (kind is Kind.ASIDE and not self.busy):
            self.progress.emit(0.0, sentence)
        self._tell_occupied()
        self._timer.start()
        return ticket

    def cancel(self) -> None:
        """Ask everything the user can see to stop; silent saves are let through."""
        self._stop(*_SHOWN)

    def cancel_aside(self) -> None:
        self._stop(Kind.ASIDE)

    def drop(self, ticket: Ticket) -> None:
        """Nobody waits for this job any more: it is stopped where it can be, and its result is not looked at."""
        if self._jobs.pop(ticket, None) is not None:
            ticket.runner.cancel(ticket.number)

    def finish(self, seconds: float = 5.0) -> bool:
        """At the end of the program: cancel what can be cancelled, let saves complete, drop the rest."""
        self._timer.stop()
        self._stop(*_SHOWN, Kind.STUDY, Kind.ASIDE)
        self._jobs.clear()
        ended = [self._runner.finish(seconds)]
        ended += [runner.finish(_STUDY_SECONDS) for runner in (self._students, self._aside)]
        return all(ended)

    def _stop(self, *kinds: Kind) -> None:
        for ticket, job in tuple(self._jobs.items()):
            if job.kind in kinds:
                ticket.runner.cancel(ticket.number)

    def _tell_occupied(self) -> None:
        if self._was_occupied != self.occupied:
            self._was_occupied = self.occupied
            self.occupied_changed.emit(self._was_occupied)

    def _drain(self) -> None:
        """Show the latest progress only, and finish at most one job per turn: each may have much to redraw."""
        latest = self._taken(self._runner, one=True)
        self._taken(self._students)
        aside = self._taken(self._aside, one=True)
        shown = latest if latest is not None or self.busy else aside
        if shown is not None:
            self.progress.emit(shown.fraction, shown.sentence)
        if not self._jobs:
            self._timer.stop()

    def _taken(self, runner: Runner, *, one: bool = False) -> Progress | None:
        """Take events off a thread's queue, up to one end of a job where asked. Returns progress worth showing."""
        latest: Progress | None = None
        while True:
            try:
                event = runner.events.get_nowait()
            except queue.Empty:
                break
            if isinstance(event, Progress):
                latest = event
                continue
            latest = None
            self._handle(Ticket(runner, event.job), event)
            if one:
                break
        job = self._jobs.get(Ticket(runner, latest.job)) if latest is not None else None
        return latest if job is not None and job.kind in (*_SHOWN, Kind.ASIDE) else None

    def _handle(self, ticket: Ticket, event: Event) -> None:
        job = self._jobs.pop(ticket, None)
        if job is None:
            return
        if job.kind in (*_SHOWN, Kind.ASIDE) and not self.busy:
            self.idle.emit()
        match event:
            case Finished(result=result):
                job.then(result)
            case Failed(problem=UserProblem() as problem):
                self.failed.emit(problem)
            case Failed(details=details):
                self.defect.emit(details)
            case Stopped() if job.kind in (*_SHOWN, Kind.ASIDE):
                self.stopped.emit()
        self._tell_occupied()

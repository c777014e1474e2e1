"""A plain worker thread that runs one job at a time and puts frozen events on a queue.

numpy, DuckDB, Arrow and OpenDP release the interpreter lock, so the thread that shows the window keeps turning.
Cancel is a flag that the job's context looks at on every step.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.background.defects import details_of
from workbench.background.events import Event, Failed, Finished, Progress, Stopped
from workbench.core.errors import Cancelled, UserProblem
from workbench.core.progress import Context

Work = Callable[[Context], Any]

# Progress more often than the window can show it would only fill the queue.
_QUIET_SECONDS = 0.03
_GIVES_WAY = 5  # niceness; the window itself has 0
# In a program with a window, a worker gives the interpreter's lock back 25 times as often as usual: painting asks for
# it many times in a row.
SWITCH_SECONDS = 0.0002


@dataclass(frozen=True, slots=True)
class _Job:
    number: int
    work: Work
    stop: threading.Event


class _JobContext:
    def __init__(self, job: _Job, say: Callable[[Event], None]) -> None:
        self._job = job
        self._say = say
        self._last = 0.0

    def step(self, fraction: float, sentence: str) -> None:
        if self._job.stop.is_set():
            raise Cancelled
        now = time.monotonic()
        if now - self._last >= _QUIET_SECONDS or fraction >= 1.0:
            self._last = now
            self._say(Progress(job=self._job.number, fraction=min(max(fraction, 0.0), 1.0), sentence=sentence))


class Runner:
    """Runs jobs one after the other. `events` is drained by whoever shows them."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._open: dict[int, _Job] = {}
        self._thread: threading.Thread | None = None

    def start(self, work: Work) -> int:
        """Queue work and return its number. Never blocks."""
        job = _Job(next(self._numbers), work, threading.Event())
        self._open[job.number] = job
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="workbench-jobs", daemon=True)
            self._thread.start()
        self._jobs.put(job)
        return job.number

    @property
    def busy(self) -> bool:
        return bool(self._open)

    def cancel(self, number: int) -> None:
        """Ask a job to stop at its next step. A job that already ended is left alone."""
        job = self._open.get(number)
        if job is not None:
            job.stop.set()

    def cancel_all(self) -> None:
        for job in tuple(self._open.values()):
            job.stop.set()

    def close(self, seconds: float = 5.0) -> bool:
        """Cancel everything and wait for the thread. True when it has ended."""
        self.cancel_all()
        return self.finish(seconds)

    def finish(self, seconds: float = 5.0) -> bool:
        """Let what is queued complete, then end the thread. True when it has ended."""
        if self._thread is None:
            return True
        self._jobs.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        step_back()
        while (job := self._jobs.get()) is not None:
            self.events.put(self._outcome(job))
            # Taken off only now, so that `busy` turns false after the last event is there to be drained.
            self._open.pop(job.number, None)

    def _outcome(self, job: _Job) -> Event:
        if job.stop.is_set():
            return Stopped(job=job.number)
        try:
            result = job.work(_JobContext(job, self.events.put))
        except Cancelled:
            return Stopped(job=job.number)
        except UserProblem as problem:
            return Failed(job=job.number, problem=problem)
        except Exception as error:  # noqa: BLE001 - a defect must reach the window, not end the thread
            return Failed(job=job.number, problem=None, details=details_of(error))
        return Finished(job=job.number, result=result)


def step_back() -> None:
    """Long work gives way to the window, where the system allows it for one thread: a click cannot wait."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _GIVES_WAY)

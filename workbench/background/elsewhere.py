"""Work in a process of its own, where pure Python would keep the interpreter lock and the collector from the window.

Setting a report takes two seconds of Python and leaves a quarter of a million objects behind; on a thread, each walk of
the garbage collector over them stops the window for a fifth of a second. The process is started once, told what to do
through a pipe, and killed by a cancel: the next call starts another one. Nothing is written to disk on the way.

A program of its own (`python -m workbench.background.elsewhere`) rather than multiprocessing, which would run the
caller's main module a second time.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO

from workbench.background.defects import DefectElsewhere, details_of
from workbench.core.errors import Defect, Problem, UserProblem
from workbench.core.progress import Context

Work = Callable[..., Iterable[Any]]  # called with a context first; gives its result in pieces

_LOOK_SECONDS = 0.04
_GIVES_WAY = 5


class Lost(Exception):
    """The process could not be started or ended by itself; the work may be done here instead."""


@dataclass(frozen=True, slots=True)
class Step:
    fraction: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Piece:
    value: Any


@dataclass(frozen=True, slots=True)
class Done:
    problems: tuple[Problem, ...] = ()
    defect: str = ""


class Elsewhere:
    """One process, started when it is first needed, that does one thing at a time."""

    def __init__(self, libraries: Sequence[str] = ()) -> None:
        self._libraries = tuple(libraries)  # imported there at once, so that the first call need not wait
        self._one_at_a_time = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[Step | Piece | Done | None] = queue.SimpleQueue()

    def start(self) -> None:
        """Start the process, where it is not running yet. Returns at once."""
        with self._one_at_a_time:
            if self._process is None or self._process.poll() is not None:
                self.stop()
                self._spawn()

    def _spawn(self) -> None:
        paths = os.pathsep.join(path for path in sys.path if path)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "workbench.background.elsewhere", *self._libraries],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": paths},
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as why:
            raise Lost from why
        assert self._process.stdout is not None
        self._answers = queue.SimpleQueue()
        listening = threading.Thread(
            target=_listen, args=(self._process.stdout, self._answers), name="workbench-elsewhere", daemon=True
        )
        listening.start()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # what was not yet sent is of no use to anybody
            process.stdin.close()

    def call(self, work: Work, *arguments: Any, context: Context, sentence: str) -> list[Any]:
        """The pieces of `work(context, *arguments)`. Steps made there are steps here; a cancel here ends it there."""
        with self._one_at_a_time:
            try:
                self.start()
                self._tell(work, arguments)
                return self._pieces(context, sentence)
            except (UserProblem, Defect):
                raise
            except BaseException:
                self.stop()
                raise

    def _tell(self, work: Work, arguments: Sequence[Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            pickle.dump((work, arguments), self._process.stdin)
            self._process.stdin.flush()
        except OSError as why:
            raise Lost from why

    def _pieces(self, context: Context, sentence: str) -> list[Any]:
        pieces: list[Any] = []
        said = Step(0.0, sentence)
        while True:
            context.step(said.fraction, said.sentence)
            try:
                answer = self._answers.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            match answer:
                case Step():
                    said = answer
                case Piece():
                    pieces.append(answer.value)
                case Done(problems=problems) if problems:
                    raise UserProblem.of(problems)
                case Done(defect=details) if details:
                    raise DefectElsewhere(details)
                case Done():
                    return pieces
                case None:
                    raise Lost


def _listen(source: BinaryIO, answers: queue.SimpleQueue[Any]) -> None:
    """Put every answer on the queue, and None once no more can come or one cannot be read, whatever the reason."""
    with source, contextlib.suppress(Exception):
        while True:
            answers.put(pickle.load(source))
    answers.put(None)


class _Reporting:
    """The context of work done there."""

    def __init__(self, say: Callable[[Any], None]) -> None:
        self._say = say

    def step(self, fraction: float, sentence: str) -> None:
        self._say(Step(fraction, sentence))


def serve(libraries: Sequence[str]) -> None:
    """What the process does: import, then wait for work until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the window hears it, and ends us
    if hasattr(os, "nice"):
        os.nice(_GIVES_WAY)
    # Whatever a library prints must not fall between the answers.
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def say(answer: Any) -> None:
        pickle.dump(answer, sink)
        sink.flush()

    for name in libraries:
        with contextlib.suppress(ImportError, OSError):  # whoever needs it says what is missing, in words
            import_module(name)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            work, arguments = pickle.load(sys.stdin.buffer)
            say(_outcome(work, arguments, say))


def _outcome(work: Work, arguments: Sequence[Any], say: Callable[[Any], None]) -> Done:
    try:
        for piece in work(_Reporting(say), *arguments):
            say(Piece(piece))
    except BrokenPipeError:
        raise
    except UserProblem as problem:
        return Done(problems=problem.problems)
    except Exception as error:  # noqa: BLE001 - a defect must reach the window
        return Done(defect=details_of(error))
    return Done()


if __name__ == "__main__":
    # By its name as a module, so that answers are of the classes that the other side knows.
    from workbench.background.elsewhere import serve as serve_by_name

    serve_by_name(sys.argv[1:])

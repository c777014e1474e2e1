"""Ctrl-C that no library can swallow, and a true word on what had been stored by then.

A library that is imported late may catch KeyboardInterrupt and go on, or turn it into an error of its own. So the
signal also leaves a mark, which every step of long work looks at; and while something is being stored it leaves only
the mark, so that what is stored is stored whole.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from workbench.core.errors import Cancelled


class Interrupt:
    """The one Ctrl-C of a command."""

    def __init__(self) -> None:
        self.asked = False
        self.note = ""  # what to tell of things stored, where a command can tell
        self._held = False

    def begin(self) -> None:
        """Listen from now on; only the main thread may, and only it is interrupted."""
        self.asked, self.note, self._held = False, "", False
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._heard)

    def end(self) -> None:
        """The command is over, one way or the other: another Ctrl-C must not spoil its last words."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN if self.asked else signal.default_int_handler)

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True
        if not self._held:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Go on only if nobody has asked to stop."""
        if self.asked:
            raise Cancelled

    @contextmanager
    def held(self, stored: str) -> Iterator[None]:
        """Store something whole; whoever asks to stop meanwhile is told afterwards that it is `stored`."""
        self.check()
        self._held = True
        try:
            yield
            self.note = stored
        finally:
            self._held = False
        self.check()


INTERRUPT = Interrupt()

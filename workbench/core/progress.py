"""Long work asks leave at every step; whoever runs it shows the sentence and may say stop."""

from __future__ import annotations

import threading
from typing import Protocol

from workbench.core.errors import Cancelled


class Context(Protocol):
    """Handed to every function that may take more than a moment."""

    def step(self, fraction: float, sentence: str) -> None:
        """Report that `fraction` (0 to 1) is done. Raises Cancelled when somebody pressed cancel."""


class Quiet:
    """A context that nobody watches and nobody cancels."""

    def step(self, fraction: float, sentence: str) -> None:
        """Do nothing."""


class Part:
    """A slice of another context's bar, so that a step can have steps of its own."""

    def __init__(self, whole: Context, start: float, end: float) -> None:
        self._whole = whole
        self._start = start
        self._length = end - start

    def step(self, fraction: float, sentence: str) -> None:
        self._whole.step(self._start + self._length * min(max(fraction, 0.0), 1.0), sentence)


class Forward:
    """A context whose bar never goes back: work in rounds whose number nobody knows can only say that it goes on."""

    def __init__(self, whole: Context) -> None:
        self._whole = whole
        self._most = 0.0

    def step(self, fraction: float, sentence: str) -> None:
        self._most = max(self._most, fraction)
        self._whole.step(self._most, sentence)


class Several:
    """One bar for tasks that go side by side: it shows how far they are on average. Any thread may step."""

    def __init__(self, whole: Context, count: int) -> None:
        self._whole = whole
        self._done = [0.0] * count
        self._lock = threading.Lock()
        self._stopped = False

    def of(self, place: int) -> Context:
        """The context of one of them."""
        return _OneOf(self, place)

    def stop(self) -> None:
        """End all of them at their next step."""
        self._stopped = True

    def step(self, place: int, fraction: float, sentence: str) -> None:
        with self._lock:
            if self._stopped:
                raise Cancelled
            self._done[place] = max(self._done[place], min(fraction, 1.0))
            try:
                self._whole.step(sum(self._done) / len(self._done), sentence)
            except BaseException:
                self._stopped = True  # a cancel is told to all, and nobody asks again
                raise


class _OneOf:
    def __init__(self, several: Several, place: int) -> None:
        self._several = several
        self._place = place

    def step(self, fraction: float, sentence: str) -> None:
        self._several.step(self._place, fraction, sentence)


QUIET = Quiet()

"""Long work asks leave at every step; whoever runs it shows the sentence and may say stop."""

from __future__ import annotations

from typing import Protocol


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


QUIET = Quiet()

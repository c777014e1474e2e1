"""Somebody who presses cancel, and somebody who writes down what was said."""

from __future__ import annotations

from workbench.core.errors import Cancelled


class CancelAt:
    """Says stop at the given step, counted from one. Fails the test when the work goes on all the same."""

    def __init__(self, step: int) -> None:
        self.left = step

    def step(self, fraction: float, sentence: str) -> None:
        self.left -= 1
        if self.left <= 0:
            assert self.left == 0, "the work went on after it was cancelled"
            raise Cancelled


class Listener:
    """Keeps every fraction and sentence."""

    def __init__(self) -> None:
        self.fractions: list[float] = []
        self.sentences: list[str] = []

    def step(self, fraction: float, sentence: str) -> None:
        self.fractions.append(fraction)
        self.sentences.append(sentence)

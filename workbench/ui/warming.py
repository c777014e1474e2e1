"""After the first paint: import what the next steps need and make the pages, so that no click waits."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from workbench.background.warm import WarmUp, uncollected
from workbench.review.decide.stages import Stage
from workbench.ui.pages.stages import PAGE_MODULES
from workbench.ui.printer import printer_aside

if TYPE_CHECKING:
    from workbench.ui.frame import Frame
    from workbench.ui.navigation import Navigation
    from workbench.ui.pages.page import Page

_REPORTS_MILLISECONDS = 3000  # a report is the last thing a review comes to; everything else goes first

# What the controller asks for only when somebody loads, draws or prints.
_VERBS = (
    "workbench.review.run.waiting",
    "workbench.review.budget.what_if",
    "workbench.ui.identity",
    "workbench.review.publish.printing",
)


def _ready_the_printer() -> None:
    """Starting a process takes tens of milliseconds, which the window has better use for."""
    threading.Thread(target=lambda: printer_aside().start(), name="workbench-printer", daemon=True).start()


class Warming:
    """Libraries on a thread of their own; pages one at a time, between other turns of the event loop."""

    def __init__(self, frame: Frame, navigation: Navigation) -> None:
        self._frame = frame
        self._make = navigation.made
        self._made: dict[Stage, Page] = {}
        self._libraries = WarmUp((*PAGE_MODULES, *_VERBS))
        self._cold: list[Stage] = list(Stage)
        self._whole: list[Callable[[], QWidget]] = [lambda: navigation.overview, lambda: navigation.ledger]

    def start(self) -> None:
        QTimer.singleShot(100, self._libraries.start)
        QTimer.singleShot(_REPORTS_MILLISECONDS, _ready_the_printer)
        QTimer.singleShot(400, self._next)

    @property
    def done(self) -> bool:
        return self._libraries.done and not self._cold and not self._whole

    def stop(self) -> None:
        self._libraries.stop()
        gc.unfreeze()  # at the end of the program libraries want to see their own objects go

    def _next(self) -> None:
        """One turn makes a page, another paints it for the first time, once its libraries are there."""
        if not self._frame.isVisible() or not (self._cold or self._whole):
            return
        if self._libraries.done and not self._cold:
            with uncollected():
                page = self._whole.pop(0)()
                page.resize(self._frame.stack.size())
                page.grab()
        elif self._libraries.done:
            stage = self._cold[0]
            with uncollected():
                if stage not in self._made:
                    self._made[stage] = self._make(stage)
                else:
                    self._made[stage].resize(self._frame.stack.size())
                    self._made[stage].warm()
                    self._cold.pop(0)
        QTimer.singleShot(60, self._next)

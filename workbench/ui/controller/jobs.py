"""Work beside the window, and what came of it: problems, notes, defects, whether an action is under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from workbench.core.errors import Problem, UserProblem
from workbench.core.progress import Context
from workbench.ui.bridge import JobBridge, Kind, Ticket

Work = Callable[[Context], Any]
Then = Callable[[Any], None]


class Jobs(QObject):
    """Work is started by `do` where a person waits for it, `quietly` for reads and saves, `study` for what if, `aside`
    for what nobody waits for."""

    problems_changed = Signal(object)  # tuple[Problem, ...]
    defect = Signal(str)
    noted = Signal(str)  # a sentence for the idle strip
    occupied_changed = Signal(bool)

    def __init__(self, bridge: JobBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.problems: tuple[Problem, ...] = ()
        self._bridge = bridge
        self._studies: dict[str, Ticket] = {}
        bridge.failed.connect(self._failed)
        bridge.defect.connect(self.defect)
        bridge.occupied_changed.connect(self.occupied_changed)
        bridge.stopped.connect(lambda: self.noted.emit("Cancelled; nothing was changed."))

    @property
    def occupied(self) -> bool:
        """True while an action runs. What would start another one is out of reach until it has ended."""
        return self._bridge.occupied

    def do(self, work: Work, then: Then, sentence: str, *, kind: Kind = Kind.ACTION) -> None:
        """With progress in view; what was wrong before is no longer shown."""
        self.show_problems(())
        self._bridge.start(work, then, sentence=sentence, kind=kind)

    def quietly(self, work: Work, then: Then) -> None:
        """In silence and never cancelled."""
        self._bridge.start(work, then, kind=Kind.SAVE)

    def study(self, question: str, work: Work, then: Then) -> None:
        """Work something out aside and in silence. Asked again, the older question is dropped."""
        self.drop_study(question)
        self._studies[question] = self._bridge.start(work, then, kind=Kind.STUDY)

    def drop_study(self, question: str) -> None:
        asked = self._studies.pop(question, None)
        if asked is not None:
            self._bridge.drop(asked)

    def aside(self, work: Work, then: Then, sentence: str) -> Ticket:
        """Long work that nobody waits for: with progress where nothing else shows any, whatever is in view."""
        return self._bridge.start(work, then, sentence=sentence, kind=Kind.ASIDE)

    def drop(self, ticket: Ticket) -> None:
        self._bridge.drop(ticket)

    def cancel(self) -> None:
        """Ask everything that is shown to stop."""
        self._bridge.cancel()

    def finish(self, seconds: float) -> None:
        """The window closes: let saves complete, for so long at most."""
        self._bridge.finish(seconds)

    def show_problems(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        self.problems_changed.emit(problems)

    def _failed(self, problem: UserProblem) -> None:
        self.show_problems(problem.problems)

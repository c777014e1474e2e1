"""What every verb of the window stands on: the open project and session, edits with undo, saving, jobs and problems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.core.errors import Problem, UserProblem
from workbench.core.progress import Context
from workbench.review.session import ReviewSession
from workbench.review.views import Budget, ProjectView
from workbench.review.workspace import Workspace
from workbench.ui.bridge import JobBridge, Kind
from workbench.ui.printer import printer_aside

_AUTOSAVE_MILLISECONDS = 800
_PATIENCE_SECONDS, _HURRY_SECONDS = 60.0, 5.0

Work = Callable[[Context], Any]
Then = Callable[[Any], None]


class Editing(QObject):
    """The session is changed here, on the main thread, and nowhere else; the project file on the worker thread."""

    changed = Signal()  # the session: plan, results or decisions
    project_changed = Signal()  # another project, or its list of releases
    problems_changed = Signal(object)  # tuple[Problem, ...]
    defect = Signal(str)
    noted = Signal(str)  # a sentence for the idle strip
    occupied_changed = Signal(bool)

    def __init__(self, bridge: JobBridge, *, identity: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bridge = bridge
        self.identity = identity
        self.workspace = Workspace(make_printer=printer_aside)
        self.project: ProjectView | None = None
        self.session: ReviewSession | None = None
        self.budget: Budget | None = None
        self.problems: tuple[Problem, ...] = ()
        self._half_typed: dict[object, tuple[Problem, ...]] = {}
        self._studies: dict[str, int] = {}
        self._autosave = QTimer(self)
        self._autosave.setSingleShot(True)
        self._autosave.setInterval(_AUTOSAVE_MILLISECONDS)
        self._autosave.timeout.connect(self.save)
        bridge.failed.connect(self._failed)
        bridge.defect.connect(self.defect)
        bridge.occupied_changed.connect(self.occupied_changed)
        bridge.stopped.connect(lambda: self.noted.emit("Cancelled; nothing was changed."))

    # Edits
    def edit(self, label: str, **sections: object) -> None:
        """Replace sections of the plan as one undoable step and save soon."""
        if self.session is None:
            return
        if not self.editable:
            self.show_problems((self._why_not_editable(),))
            self.changed.emit()  # the widgets go back to what the plan says
        elif self.session.edit(label, **sections):
            self._edited()

    @property
    def editable(self) -> bool:
        """False where the project can only be read, and once the release was approved."""
        writable = self.project is not None and not self.project.read_only
        return writable and self.session is not None and not self.session.closed

    def _why_not_editable(self) -> Problem:
        if self.project is not None and self.project.read_only:
            return Problem("The project can only be read", do=self.project.why_read_only)
        return Problem("The release was approved and stays as it was approved", do="Use File, Duplicate release")

    def undo(self) -> None:
        if self.session is not None and self.editable and self.session.history.undo():
            self._edited()

    def redo(self) -> None:
        if self.session is not None and self.editable and self.session.history.redo():
            self._edited()

    def _edited(self) -> None:
        self._autosave.start()
        self.show_problems(())  # they were about the plan as it was
        self.changed.emit()

    def hold(self, form: object, problems: tuple[Problem, ...]) -> None:
        """A form shows something that cannot enter the plan, or no longer does: nothing is drawn meanwhile."""
        before = self.half_typed
        if problems:
            self._half_typed[form] = problems
        else:
            self._half_typed.pop(form, None)
        if self.half_typed != before:
            self.changed.emit()

    @property
    def half_typed(self) -> tuple[Problem, ...]:
        """What stands in a form and is not what the plan says."""
        return tuple(problem for problems in self._half_typed.values() for problem in problems)

    def save(self) -> None:
        """Store the plan as it stands. Nothing to do where nothing changed."""
        self._autosave.stop()
        session = self.session
        if session is None or self.project is None or self.project.read_only or not session.unsaved:
            return
        plan, release_id = session.plan, session.release_id

        def saved(_nothing: None) -> None:
            session.saved_plan = plan
            self.noted.emit("All changes saved.")
            self.refresh_releases()

        self._quietly(lambda _context: self.workspace.save_plan(release_id, plan, self.identity), saved)

    def refresh_releases(self) -> None:
        def listed(view: ProjectView) -> None:
            self.project = view
            self.project_changed.emit()

        self._quietly(lambda _context: self.workspace.view(), listed)

    def finish(self) -> None:
        """Before the window closes: save what is unsaved, let the save complete, close the file.

        A save waits behind work that cannot be cut short, such as setting a report; it is worth waiting for.
        """
        unsaved = self.session is not None and self.session.unsaved
        self.save()
        self._quietly(lambda _context: self.workspace.close(), lambda _nothing: None)
        self.bridge.finish(_PATIENCE_SECONDS if unsaved else _HURRY_SECONDS)

    # Jobs and problems
    @property
    def occupied(self) -> bool:
        """True while an action runs. What would start another one is out of reach until it has ended."""
        return self.bridge.occupied

    def study(self, question: str, work: Work, then: Then) -> None:
        """Work something out aside and in silence. Asked again, the older question is dropped."""
        self.drop_study(question)
        self._studies[question] = self.bridge.start(work, then, kind=Kind.STUDY)

    def drop_study(self, question: str) -> None:
        self.bridge.drop(self._studies.pop(question, 0))

    def _leave(self) -> None:
        self.bridge.cancel()
        self.save()

    def _need_session(self) -> ReviewSession:
        if self.session is None:
            raise UserProblem("No release is open", do="Choose or create one")
        return self.session

    def _do(self, work: Work, then: Then, sentence: str, *, kind: Kind = Kind.ACTION) -> None:
        self.show_problems(())
        self.bridge.start(work, then, sentence=sentence, kind=kind)

    def _do_for(self, session: ReviewSession, work: Work, then: Then, sentence: str) -> None:
        """The same, where the result means nothing once another release is in view."""
        self._do(work, lambda result: then(result) if session is self.session else None, sentence)

    def _quietly(self, work: Work, then: Then) -> None:
        self.bridge.start(work, then, kind=Kind.SAVE)

    def _failed(self, problem: UserProblem) -> None:
        self.show_problems(problem.problems)

    def show_problems(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        self.problems_changed.emit(problems)

"""The release in view: its session, edits with undo, and saving."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.core.errors import Problem, UserProblem
from workbench.review.plan.settings import moved
from workbench.review.session import ReviewSession
from workbench.review.views import BudgetAhead, OpenedReview
from workbench.ui.controller.jobs import Jobs, Then, Work
from workbench.ui.controller.project_file import ProjectFile

_AUTOSAVE_MILLISECONDS = 800


class Editor(QObject):
    """The session is changed on the main thread only; it is stored on the worker thread, soon after every edit."""

    changed = Signal()  # the session: plan, results or decisions
    edited = Signal()  # the plan became another one, by an edit or by undoing one

    def __init__(self, jobs: Jobs, file: ProjectFile, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session: ReviewSession | None = None
        self._jobs, self._file = jobs, file
        self._half_typed: dict[object, tuple[Problem, ...]] = {}
        self._autosave = QTimer(self)
        self._autosave.setSingleShot(True)
        self._autosave.setInterval(_AUTOSAVE_MILLISECONDS)
        self._autosave.timeout.connect(self.save)
        file.save_wanted.connect(self.save)
        file.rewritten.connect(self.read_again)

    def need_session(self) -> ReviewSession:
        if self.session is None:
            raise UserProblem("No release is open", do="Choose or create one")
        return self.session

    def show(self, review: OpenedReview | None) -> None:
        """Another release comes into view, or none: the data of the one before leave the memory.

        Its plan has been saved by whoever asked for the other one.
        """
        self._half_typed.clear()
        if self.session is not None:
            self.session.let_go()
        self.session = review.session() if review is not None else None
        self._jobs.show_problems(())
        self.changed.emit()

    def do(self, work: Work, then: Then, sentence: str) -> None:
        """Work for the release in view: its result means nothing once another one is."""
        session = self.session
        self._jobs.do(work, lambda result: then(result) if session is self.session else None, sentence)

    def read_again(self) -> None:
        """What the project file says of the release in view, after something else than an edit changed it."""
        session = self.session
        if session is None:
            return
        self.look_ahead()
        release_id = session.release_id

        def read(review: OpenedReview) -> None:
            if session is self.session:
                session.take_over(review)
                self.changed.emit()

        self._jobs.quietly(lambda _context: self._file.workspace.open_release(release_id), read)

    def look_ahead(self) -> None:
        """What was spent on the loaded data already, and what may be: worth knowing before anything is drawn."""
        session = self.session
        if session is None or session.loaded is None:
            return
        loaded = session.loaded

        def known(ahead: BudgetAhead) -> None:
            session.ahead = ahead
            self.changed.emit()

        self._jobs.quietly(lambda context: self._file.workspace.budget_ahead(loaded, context), known)

    # Edits
    def edit(self, label: str, **sections: object) -> None:
        """Replace sections of the plan as one undoable step and save soon."""
        if self.session is None:
            return
        if not self.editable:
            self._jobs.show_problems((self.why_not_editable(),))
            self.changed.emit()  # the widgets go back to what the plan says
        elif self.session.edit(label, **sections):
            self._edited()

    def move_setting(self, name: str, value: float) -> None:
        """A handle in a figure was dragged: the mechanism's setting follows, as one undoable step."""
        if self.session is None:
            return
        choice = self.session.plan.mechanism
        params = moved(choice.params, name, value)
        if params is not None and params != choice.params:
            self.edit(f"move {name}", mechanism=replace(choice, params=params))

    @property
    def editable(self) -> bool:
        """False where the project can only be read, and once the release was approved."""
        return self._file.writable and self.session is not None and not self.session.closed

    def why_not_editable(self) -> Problem:
        if not self._file.writable:
            return Problem("The project is read-only", do=self._file.why_read_only)
        return Problem("An approved release cannot be changed", do="Use File, Duplicate release")

    def undo(self) -> None:
        if self.session is not None and self.editable and self.session.history.undo():
            self._edited()

    def redo(self) -> None:
        if self.session is not None and self.editable and self.session.history.redo():
            self._edited()

    def _edited(self) -> None:
        self._autosave.start()
        self._jobs.show_problems(())  # they were about the plan as it was
        self.changed.emit()
        self.edited.emit()

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

    # Saving
    @property
    def unsaved(self) -> bool:
        return self.session is not None and self.session.unsaved

    def save(self) -> None:
        """Store the plan as it stands. Nothing to do where nothing changed."""
        self._autosave.stop()
        session = self.session
        if session is None or not self._file.writable or not session.unsaved:
            return
        plan, release_id, actor = session.plan, session.release_id, self._file.person

        def saved(_nothing: None) -> None:
            session.saved_plan = plan
            self._jobs.noted.emit("All changes saved.")
            self._file.refresh()

        self._jobs.quietly(lambda _context: self._file.workspace.save_plan(release_id, plan, actor), saved)

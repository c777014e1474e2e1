"""The list of releases: choose one, make one, take over a plan, withdraw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from workbench.core.progress import Context
from workbench.review.plan.offers import copy_title
from workbench.review.views import OpenedReview, ProjectView
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.project_file import ProjectFile


class Releases(QObject):
    created = Signal()  # a new release is in view

    def __init__(self, jobs: Jobs, file: ProjectFile, editor: Editor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._file, self._editor = jobs, file, editor
        self._opening = ""

    def select(self, release_id: str) -> None:
        """Show a release. Whoever changes their mind while one is being opened gets the last one chosen."""
        session = self._editor.session
        if session is not None and session.release_id == release_id:
            self._opening = ""
            return
        self._file.leave()
        self._opening = release_id

        def opened(review: OpenedReview) -> None:
            if self._opening == release_id:
                self._show(review)

        self._jobs.do(lambda _context: self._file.workspace.open_release(release_id), opened, "Opening the release")

    def select_first(self) -> None:
        self._opening = ""
        if self._file.view is not None and self._file.view.releases:
            self.select(self._file.view.releases[0].id)

    def new(self, product_id: str, title: str) -> None:
        from workbench.review.plan.offers import new_plan

        plan, preparer = new_plan(product_id, title=title), self._file.person
        self._create(lambda _context: self._file.workspace.new_release(plan, preparer))

    def duplicate(self, release_id: str = "") -> None:
        """A new release with the plan of this one, or of the one in view: the way to change what was approved."""
        session = self._editor.session
        source = release_id or (session.release_id if session is not None else "")
        preparer, workspace = self._file.person, self._file.workspace

        def work(_context: Context) -> OpenedReview:
            plan = workspace.open_release(source).plan
            titles = [row.title for row in workspace.view().releases]
            titled = replace(plan.release, title=copy_title(plan.release.title, titles))
            return workspace.new_release(replace(plan, release=titled), preparer)

        if source:
            self._create(work)

    def from_plan(self, path: Path) -> None:
        """A new release with the plan of a file; its paths start from the project's folder then."""
        preparer, workspace = self._file.person, self._file.workspace

        def work(_context: Context) -> OpenedReview:
            from workbench.review.plan.anchoring import anchored
            from workbench.review.plan.plan_text import read_plan

            plan = read_plan(path)
            folder = workspace.project.path.parent
            return workspace.new_release(anchored(plan, old=path.parent, new=folder), preparer)

        self._create(work)

    def save_plan(self, path: Path) -> None:
        """The plan as it stands, as a file that `dwb run` takes; its paths start from the file's folder."""
        session = self._editor.need_session()
        plan, base = session.plan, session.base

        def work(_context: Context) -> None:
            from workbench.core.files import write_text
            from workbench.review.plan.anchoring import anchored
            from workbench.review.plan.plan_text import to_text
            from workbench.review.publish.export import spare_the_data

            spare_the_data(plan, base, path)
            write_text(path, to_text(anchored(plan, old=base, new=path.parent)))

        self._jobs.quietly(work, lambda _nothing: self._jobs.noted.emit(f"Plan saved as {path}."))

    def copy_python(self) -> None:
        """The release in view as lines of Python, on the clipboard."""
        from PySide6.QtGui import QGuiApplication

        from workbench.review.plan.as_python import as_python

        session = self._editor.need_session()
        QGuiApplication.clipboard().setText(as_python(session.plan, session.base))
        self._jobs.noted.emit("Copied as Python.")

    def withdraw(self, release_id: str, take_pen: Callable[[], None] = lambda: None) -> None:
        """Take a release that was never approved off the list; it stays in the file. `take_pen`: see `Voices`."""
        actor, workspace = self._file.person, self._file.workspace

        def work(_context: Context) -> ProjectView:
            take_pen()
            workspace.project.withdraw(release_id, actor=actor, reason="withdrawn in the window")
            return workspace.view()

        def withdrawn(view: ProjectView) -> None:
            self._editor.show(None)
            self._file.show(view)
            self.select_first()

        self._jobs.do(work, withdrawn, "Withdrawing the release")

    def _create(self, work: Callable[[Context], OpenedReview]) -> None:
        self._file.leave()
        self._opening = ""

        def created(review: OpenedReview) -> None:
            self._show(review)
            self._file.refresh()
            self.created.emit()

        self._jobs.do(work, created, "Creating the release")

    def _show(self, review: OpenedReview) -> None:
        self._opening = ""
        self._editor.show(review)

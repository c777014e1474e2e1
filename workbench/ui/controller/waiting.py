"""Releases that were never drawn, drawn aside one after the other while the window can be used."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from workbench.core.progress import QUIET, Context

if TYPE_CHECKING:
    from workbench.review.run.run import WholeRun
    from workbench.review.run.waiting import Waiting
    from workbench.review.views import OpenedReview
    from workbench.ui.bridge import Ticket
    from workbench.ui.controller.editor import Editor
    from workbench.ui.controller.jobs import Jobs
    from workbench.ui.controller.project_file import ProjectFile


class WaitingReleases(QObject):
    """The draw is worked out on a thread of its own; stored, as everything, on the thread that owns the file."""

    def __init__(self, jobs: Jobs, file: ProjectFile, editor: Editor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._file, self._editor = jobs, file, editor
        self._under_way: list[Ticket] = []
        file.opened.connect(self._forget)

    def draw_all(self) -> None:
        """Every release of the open project that has data and was never drawn."""

        def work(_context: Context) -> tuple[Waiting, ...]:
            from workbench.review.run.waiting import waiting  # late: the window shows sooner

            return waiting(self._file.workspace)

        self._jobs.quietly(work, self._start)

    def _start(self, releases: tuple[Waiting, ...]) -> None:
        path = self._file.view.path if self._file.view is not None else None
        for release in releases:
            then = partial(self._store, release, path)
            self._under_way.append(self._jobs.aside(release.run, then, f"Drawing {release.title}"))

    def _store(self, release: Waiting, path: Path | None, whole: WholeRun) -> None:
        if self._file.view is None or self._file.view.path != path:
            return

        def work(_context: Context) -> OpenedReview | None:
            from workbench.review.run.waiting import store_waiting

            return store_waiting(self._file.workspace, release, whole, QUIET)

        def stored(review: OpenedReview | None) -> None:
            if review is None:
                return
            session = self._editor.session
            if session is not None and session.release_id == review.release_id and session.evidence is None:
                session.evidence = review.evidence
                session.take_over(review)
                self._editor.changed.emit()
            self._file.refresh()

        self._jobs.quietly(work, stored)

    def _forget(self) -> None:
        """Another project is open: nobody waits for the releases of the one before."""
        for ticket in self._under_way:
            self._jobs.drop(ticket)
        self._under_way.clear()

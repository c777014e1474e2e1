"""The frame kept in line with the session, the project and the work under way."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from workbench.review.decide.evidence import evidence_view
from workbench.review.decide.stages import TITLES, Stage, stage_of
from workbench.review.decide.status import stages
from workbench.ui.bridge import JobBridge
from workbench.ui.controller import Controller
from workbench.ui.frame import Frame
from workbench.ui.later import FILL, FRAME, PAGE, Later
from workbench.ui.navigation import Navigation
from workbench.ui.widgets.release_list import ReleaseItem
from workbench.ui.widgets.stage_rail import StageState, StageView


class Display(QObject):
    """What changed is shown in the next turn of the event loop, once, however often it changed in this one."""

    def __init__(
        self, frame: Frame, controller: Controller, bridge: JobBridge, navigation: Navigation, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._frame, self._controller, self._bridge, self._navigation = frame, controller, bridge, navigation
        self._opened: tuple[Path, str] | None = None
        self._session_later = Later(self, lambda _nothing: self._show_session(), FRAME)
        self._evidence_later = Later(self, lambda _nothing: self._show_evidence(), FILL - PAGE)
        controller.editor.changed.connect(self._session_later)
        navigation.moved.connect(self._session_later)
        controller.file.changed.connect(self._show_project)
        controller.jobs.problems_changed.connect(frame.problems.set_problems)
        controller.jobs.noted.connect(self._note)
        bridge.progress.connect(frame.strip.set_progress)
        bridge.idle.connect(self._rest)
        bridge.stopped.connect(self._show_current)
        bridge.failed.connect(lambda _problem: self._show_current())
        frame.strip.cancel_requested.connect(self._cancel)
        frame.problems.can_be_shown = lambda problem: stage_of(problem.place) is not None
        self._show_session()
        self._show_project()

    @property
    def settled(self) -> bool:
        """True once rail and evidence show the session as it is."""
        return not self._session_later.pending and not self._evidence_later.pending

    # The release in view
    def _show_session(self) -> None:
        frame, session = self._frame, self._controller.editor.session
        frame.rail.setVisible(session is not None and not self._navigation.overview_in_view)
        frame.evidence.setVisible(session is not None and not self._navigation.whole_in_view)
        self._evidence_later()
        if session is None:
            frame.rail.set_stages(tuple(StageView(stage.value, TITLES[stage]) for stage in Stage))
            project = self._controller.file.view
            if not self._navigation.whole_in_view or project is None or not project.releases:
                self._navigation.show_start()
            return
        if self._navigation.stage is Stage.MECHANISM and self._navigation.page_in_view is not None:
            session.mechanism_seen = True
        frame.rail.set_stages(
            tuple(StageView(i.stage.value, i.title, StageState(i.state.value), i.summary) for i in stages(session))
        )
        frame.releases.set_current(session.release_id)
        if frame.stack.currentWidget() is frame.start_page:
            self._navigation.go_to(self._navigation.stage.value)

    def _show_evidence(self) -> None:
        session, person = self._controller.editor.session, self._controller.file.person
        try:
            self._frame.evidence.set_evidence(evidence_view(session, self._navigation.stage, person))
        except Exception:
            self._frame.evidence.hide()  # what stands there is the promise of another release, or of an older plan
            raise

    def _show_current(self) -> None:
        """The list marks the release in view, also after another one could not be opened."""
        session = self._controller.editor.session
        if session is not None:
            self._frame.releases.set_current(session.release_id)

    # The project
    def _show_project(self) -> None:
        frame, project, writable = self._frame, self._controller.file.view, self._controller.file.writable
        items = project.releases if project is not None else ()
        frame.releases.set_releases(tuple(ReleaseItem(r.id, r.title, r.state, r.epsilon, r.age) for r in items))
        self._show_current()
        opened = (project.path, project.why_read_only) if project is not None else None
        if opened != self._opened and not self._bridge.busy:  # a list read again must not wipe the last word away
            self._rest()
        self._opened = opened
        frame.releases.set_project(opened=project is not None, writable=writable)
        frame.start_page.refresh(project_open=project is not None, writable=writable, empty=not items)

    # Work under way
    def _rest(self) -> None:
        project = self._controller.file.view
        if project is not None and project.read_only:
            self._frame.strip.set_idle(f"Read-only: {project.why_read_only}", "lock", "warn")
        else:
            self._frame.strip.set_idle("Ready")

    def _note(self, sentence: str) -> None:
        """A word on what was done; never in place of the progress of what is still running."""
        if not self._bridge.busy:
            self._frame.strip.set_idle(sentence)

    def _cancel(self) -> None:
        """What a person waits for first; work that goes on aside where there is nothing else."""
        if self._bridge.busy or self._bridge.busy_aside:
            self._frame.strip.set_cancelling()
            self._bridge.cancel() if self._bridge.busy else self._bridge.cancel_aside()

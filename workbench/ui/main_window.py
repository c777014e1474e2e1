"""The window: releases at the left, stages on top, the stage's page in the middle, evidence at the right."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.core.errors import Problem
from workbench.review.decide.evidence import evidence_view
from workbench.review.decide.stages import TITLES, Stage, stage_of
from workbench.review.decide.status import stages
from workbench.ui import dialogs, tab_order, theme
from workbench.ui.asking import connect_questions
from workbench.ui.bridge import JobBridge
from workbench.ui.controller import Controller
from workbench.ui.later import FILL, FRAME, PAGE, Later
from workbench.ui.menus import Menus, release_menu
from workbench.ui.pages.page import Page
from workbench.ui.pages.project_page import ProjectPage
from workbench.ui.pages.stages import make_page
from workbench.ui.pages.start_page import StartPage
from workbench.ui.project_pages import ProjectPages
from workbench.ui.settings import Settings
from workbench.ui.warming import Warming
from workbench.ui.widgets.evidence_panel import EvidencePanel
from workbench.ui.widgets.icons import app_icon
from workbench.ui.widgets.problems_panel import ProblemsPanel
from workbench.ui.widgets.progress_strip import ProgressStrip
from workbench.ui.widgets.release_list import ReleaseItem, ReleaseList
from workbench.ui.widgets.stage_rail import StageRail, StageState, StageView

_EVIDENCE, _EVIDENCE_NARROW, _NARROW = 300, 252, 1200  # pixels


class MainWindow(QMainWindow):
    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.bridge = JobBridge(self)
        self.controller = Controller(self.bridge, person=settings.identity, parent=self)
        self.controller.voices.signs = settings.signs
        self.releases, self.rail, self.evidence = ReleaseList(), StageRail(), EvidencePanel()
        self.problems, self.strip = ProblemsPanel(), ProgressStrip()
        self.start_page = StartPage(settings)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.start_page)
        self._pages: dict[Stage, Page] = {}
        self.whole = ProjectPages(self)
        self._warm = Warming(self, self._page)
        self.stage = Stage.DATA
        self._opened: tuple[Path, str] | None = None
        self._show_session_later = Later(self, lambda _nothing: self._show_session(), FRAME)
        self._overview_later = Later(self, lambda _nothing: self.whole.show_overview(), FRAME)
        self._evidence_later = Later(self, lambda _nothing: self._show_evidence(), FILL - PAGE)
        self._lay_out()
        self._connect()
        self.menus = Menus(self)
        self.controller.editor.changed.connect(self.menus.refresh)
        self.controller.file.changed.connect(self.menus.refresh)
        self.setWindowIcon(app_icon())
        self.resize(1500, 880)
        self.setMinimumSize(1080, 680)
        self._show_session()
        self._show_project()
        self._restore()
        self.start_page.create_button.setFocus()

    # Making
    def _lay_out(self) -> None:
        centre = QWidget()
        centre.setMinimumWidth(640)  # whatever a page would like: the list of releases keeps its place
        column = QVBoxLayout(centre)
        column.setContentsMargins(theme.GAP, theme.GAP, theme.GAP, theme.GAP)
        column.setSpacing(theme.GAP)
        column.addWidget(self.rail)
        inner = QHBoxLayout()
        inner.setSpacing(theme.GAP)
        inner.addWidget(self.stack, 1)
        inner.addWidget(self.evidence)
        column.addLayout(inner, 1)
        column.addWidget(self.problems)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.releases)
        self.split.addWidget(centre)
        self.split.setSizes([216, 1284])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        whole = QWidget()
        rows = QVBoxLayout(whole)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.split, 1)
        rows.addWidget(self.strip)
        self.strip.add(self.problems.badge)
        self.setCentralWidget(whole)

    def _connect(self) -> None:
        controller, bridge = self.controller, self.bridge
        controller.editor.changed.connect(self._show_session_later)
        controller.file.changed.connect(self._show_project)
        controller.jobs.problems_changed.connect(self.problems.set_problems)
        controller.releases.created.connect(lambda: self.go_to(Stage.DATA.value))
        controller.run.drawn.connect(lambda: self.go_to(Stage.AUDIT.value))
        controller.jobs.noted.connect(self._note)
        controller.jobs.defect.connect(lambda details: dialogs.show_defect(self, details))
        bridge.progress.connect(self.strip.set_progress)
        bridge.idle.connect(self._rest)
        bridge.stopped.connect(self._show_current)
        bridge.failed.connect(lambda _problem: self._show_current())
        controller.jobs.occupied_changed.connect(lambda _occupied: self.menus.refresh())
        self.strip.cancel_requested.connect(self._cancel)
        self.rail.selected.connect(self.go_to)
        self.evidence.next_step.connect(self._next_step)
        self.releases.selected.connect(controller.releases.select)
        self.releases.new_requested.connect(self.new_release)
        self.releases.menu_requested.connect(partial(release_menu, self))
        self.problems.jump.connect(self._jump)
        self.problems.can_be_shown = lambda problem: stage_of(problem.place) is not None
        self.start_page.release_requested.connect(self.new_release)
        self.start_page.open_requested.connect(self.open_project)
        self.start_page.create_requested.connect(lambda path: self.open_project(path, create=True))
        self.start_page.sample_requested.connect(controller.file.try_sample)
        controller.file.sample_ready.connect(lambda path: self.open_project(path, overview=False))
        self.evidence.ledger_wanted.connect(self.whole.show_ledger)
        self.releases.clicked.connect(self._release_clicked)
        connect_questions(self, controller.questions)

    # Actions
    def open_project(self, path: Path, *, create: bool = False, overview: bool = True) -> None:
        """Open or make a project. One that holds releases begins with the overview of them."""

        def opened() -> None:
            self.settings.remember_project(path.resolve())
            if overview and self.controller.file.view is not None and self.controller.file.view.releases:
                self._overview_later()  # the list of releases was filled in this turn, and that is enough for one

        self.controller.file.open(path, create=create, then=opened)

    def show_release(self, release_id: str) -> None:
        """From a page about the whole project to a release, at the stage that was looked at last."""
        self.controller.releases.select(release_id)
        self.stack.setCurrentWidget(
            self.start_page if self.controller.editor.session is None else self._page(self.stage)
        )
        self.rail.set_current(self.stage.value)
        self._show_session_later()

    def _release_clicked(self, release_id: str) -> None:
        if self.whole.in_view:
            self.show_release(release_id)

    def new_release(self) -> None:
        if self.controller.file.view is None:
            self.problems.set_problems((Problem("No project is open", do="Open or create a project first"),))
            return
        dialogs.ask_new_release(self, self.controller.releases.new)

    def go_to(self, stage: str) -> None:
        """Show a stage's page, making it on first use."""
        if self.controller.editor.session is None:
            self.stack.setCurrentWidget(self.start_page)
            return
        self.stage = Stage(stage)
        page, held = self._page(self.stage), self.focusWidget()
        leaves = self.stack.currentWidget() is not page and any(w.isAncestorOf(held) for w in (self.stack, self.rail))
        self.stack.setCurrentWidget(page)
        self.rail.set_current(stage)
        if leaves and (button := self.rail.current_button()) is not None:
            button.setFocus()  # or Qt gives it to whatever comes first, where a key would type into a filter
        self._show_session_later()

    def _page(self, stage: Stage) -> Page:
        if stage not in self._pages:
            self._pages[stage] = make_page(stage, self.controller)
            self.stack.addWidget(self._pages[stage])
        return self._pages[stage]

    def page(self, stage: Stage) -> Page:
        """The page of a stage; tests drive the review through it."""
        self.go_to(stage.value)
        return self._pages[stage]

    def warm_up(self) -> None:
        self._warm.start()

    @property
    def settled(self) -> bool:
        """True once rail, evidence and the page in view show the session as it is."""
        page = self.stack.currentWidget()
        waiting = any(x.pending for x in (self._show_session_later, self._evidence_later, self._overview_later))
        return not waiting and (not isinstance(page, Page | ProjectPage) or page.settled)

    @property
    def warmed_up(self) -> bool:
        return self._warm.done

    # What the session says
    def _show_session(self) -> None:
        session = self.controller.editor.session
        self.rail.setVisible(session is not None and not self.whole.overview_in_view)
        self.evidence.setVisible(session is not None and not self.whole.in_view)
        self._evidence_later()
        if session is None:
            self.rail.set_stages(tuple(StageView(stage.value, TITLES[stage]) for stage in Stage))
            if not self.whole.in_view or self.controller.file.view is None or not self.controller.file.view.releases:
                self.stack.setCurrentWidget(self.start_page)
            return
        self.rail.set_stages(
            tuple(StageView(i.stage.value, i.title, StageState(i.state.value), i.summary) for i in stages(session))
        )
        self.releases.set_current(session.release_id)
        if self.stack.currentWidget() is self.start_page:
            self.go_to(self.stage.value)

    def _show_evidence(self) -> None:
        told = self.controller
        self.evidence.set_evidence(evidence_view(told.editor.session, self.stage, told.file.person))

    def _show_project(self) -> None:
        project = self.controller.file.view
        name = f"{project.path.name} – " if project is not None else ""
        closed = " (read-only)" if project is not None and project.read_only else ""
        self.setWindowTitle(f"{name}Disclosure Workbench{closed}")
        items = project.releases if project is not None else ()
        self.releases.set_releases(tuple(ReleaseItem(r.id, r.title, r.state, r.epsilon, r.age) for r in items))
        self._show_current()
        opened = (project.path, project.why_read_only) if project is not None else None
        if opened != self._opened and not self.bridge.busy:  # a list read again must not wipe the last word away
            self._rest()
        self._opened = opened
        writable = project is not None and not project.read_only
        self.releases.set_project(opened=project is not None, writable=writable)
        self.start_page.refresh(project_open=project is not None, writable=writable)

    def _show_current(self) -> None:
        """The list marks the release in view, also after another one could not be opened."""
        if self.controller.editor.session is not None:
            self.releases.set_current(self.controller.editor.session.release_id)

    def _rest(self) -> None:
        project = self.controller.file.view
        if project is not None and project.read_only:
            self.strip.set_idle(f"Read-only: {project.why_read_only}", "lock", "warn")
        else:
            self.strip.set_idle("Ready")

    def _note(self, sentence: str) -> None:
        """A word on what was done; never in place of the progress of what is still running."""
        if not self.bridge.busy:
            self.strip.set_idle(sentence)

    def _next_step(self, step: str) -> None:
        self.new_release() if step == "new" else self.go_to(step)

    def _jump(self, problem: Problem) -> None:
        """Go to the stage a problem belongs to and to the field it names; where it names none, stay."""
        stage = stage_of(problem.place)
        if stage is not None:
            self.go_to(stage.value)
        page = self.stack.currentWidget()
        if isinstance(page, Page) and problem.place is not None:
            page.show_field(problem.place.field)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F3 where nothing nearer takes it: the page in view goes to what needs attention."""
        page = self.stack.currentWidget()
        if event.key() == Qt.Key.Key_F3 and isinstance(page, Page):
            page.go_flagged(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forwards: bool) -> bool:
        return tab_order.step(self.centralWidget(), forwards=forwards)

    def _cancel(self) -> None:
        """What a person waits for first; work that goes on aside where there is nothing else."""
        if self.bridge.busy or self.bridge.busy_aside:
            self.strip.set_cancelling()
            self.bridge.cancel() if self.bridge.busy else self.bridge.cancel_aside()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the window is narrow the page needs the room more than the evidence does."""
        super().resizeEvent(event)
        self.evidence.setFixedWidth(_EVIDENCE if self.width() >= _NARROW else _EVIDENCE_NARROW)

    # Begin and end
    def _restore(self) -> None:
        for name, restore in (("geometry", self.restoreGeometry), ("split", self.split.restoreState)):
            if (stored := self.settings.bytes_of(name)) is not None:
                restore(stored)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.settings.set_bytes("geometry", self.saveGeometry())
        self.settings.set_bytes("split", self.split.saveState())
        self.settings.signs = self.controller.voices.signs
        self.hide()  # nobody looks at a window that waits for its last save
        self.controller.finish()
        self._warm.stop()
        super().closeEvent(event)

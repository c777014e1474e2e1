"""Which page is in view: a stage's, one about the whole project, or the start. Pages are made on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.core.errors import Problem
from workbench.review.decide.stages import Stage, stage_of
from workbench.ui.controller import Controller
from workbench.ui.frame import Frame
from workbench.ui.later import FRAME, Later
from workbench.ui.pages.project_page import ProjectPage
from workbench.ui.pages.stages import make_page

if TYPE_CHECKING:
    from workbench.ui.pages.dashboard_page import DashboardPage
    from workbench.ui.pages.ledger_page import LedgerPage
    from workbench.ui.pages.page import Page


class Navigation(QObject):
    moved = Signal()  # another page is in view

    def __init__(self, frame: Frame, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stage = Stage.DATA  # the one looked at last
        self._frame, self._controller = frame, controller
        self._pages: dict[Stage, Page] = {}
        self._overview: DashboardPage | None = None
        self._ledger: LedgerPage | None = None
        self.show_overview_later = Later(self, lambda _nothing: self.show_overview(), FRAME)

    @property
    def page_in_view(self) -> Page | None:
        current = self._frame.stack.currentWidget()
        return next((page for page in self._pages.values() if page is current), None)

    @property
    def settled(self) -> bool:
        """True once the page that was asked for is in view and shows what there is."""
        whole = self._frame.stack.currentWidget()
        page = whole if isinstance(whole, ProjectPage) else self.page_in_view
        return not self.show_overview_later.pending and (page is None or page.settled)

    # Stages
    def go_to(self, stage: str) -> None:
        """Show a stage's page."""
        frame = self._frame
        if self._controller.editor.session is None:
            self.show_start()
            self._controller.jobs.noted.emit("No release is open. Create or choose one first.")
            return
        self.stage = Stage(stage)
        page, held = self.made(self.stage), frame.window().focusWidget()
        leaves = frame.stack.currentWidget() is not page and any(
            widget.isAncestorOf(held) for widget in (frame.stack, frame.rail)
        )
        frame.stack.setCurrentWidget(page)
        frame.rail.set_current(stage)
        if leaves and (button := frame.rail.current_button()) is not None:
            button.setFocus()  # or Qt gives it to whatever comes first, where a key would type into a filter
        self.moved.emit()

    def made(self, stage: Stage) -> Page:
        """The page of a stage, in view or not."""
        if stage not in self._pages:
            self._pages[stage] = make_page(stage, self._controller)
            self._frame.stack.addWidget(self._pages[stage])
        return self._pages[stage]

    def page(self, stage: Stage) -> Page:
        """Go to a stage; its page."""
        self.go_to(stage.value)
        return self.made(stage)

    def show_start(self) -> None:
        self._frame.stack.setCurrentWidget(self._frame.start_page)

    def show_release(self, release_id: str) -> None:
        """From a page about the whole project to a release, at the stage that was looked at last."""
        self._controller.releases.select(release_id)
        if self._controller.editor.session is None:
            self.show_start()
        else:
            self._frame.stack.setCurrentWidget(self.made(self.stage))
        self._frame.rail.set_current(self.stage.value)
        self.moved.emit()

    def jump(self, problem: Problem) -> None:
        """Go to the stage a problem belongs to and to the field it names; where it names none, stay."""
        stage = stage_of(problem.place)
        if stage is not None:
            self.go_to(stage.value)
        page = self.page_in_view
        if page is not None and problem.place is not None:
            page.show_field(problem.place.field)

    # The whole project
    @property
    def whole_in_view(self) -> bool:
        return isinstance(self._frame.stack.currentWidget(), ProjectPage)

    @property
    def overview_in_view(self) -> bool:
        return self._overview is not None and self._frame.stack.currentWidget() is self._overview

    @property
    def overview(self) -> DashboardPage:
        if self._overview is None:
            from workbench.ui.pages.dashboard_page import DashboardPage

            self._overview = DashboardPage(self._controller.file, self._controller.editor)
            self._add(self._overview)
        return self._overview

    @property
    def ledger(self) -> LedgerPage:
        if self._ledger is None:
            from workbench.ui.pages.ledger_page import LedgerPage

            self._ledger = LedgerPage(self._controller.file, self._controller.editor, self._controller.voices)
            self._add(self._ledger)
        return self._ledger

    def show_overview(self) -> None:
        if self._controller.file.view is not None:
            self._show_whole(self.overview)

    def show_ledger(self) -> None:
        if self._controller.file.view is not None:
            self._show_whole(self.ledger)

    def find(self) -> None:
        """Ctrl+F: to the search, from wherever one is."""
        if self._controller.file.view is not None:
            self.show_overview()
            self.overview.focus_search()

    def _add(self, page: ProjectPage) -> None:
        self._frame.stack.addWidget(page)
        page.release_wanted.connect(self.show_release)

    def _show_whole(self, page: ProjectPage) -> None:
        frame = self._frame
        frame.stack.setCurrentWidget(page)
        frame.rail.clear_current()
        frame.rail.setVisible(self._controller.editor.session is not None and not self.overview_in_view)
        frame.evidence.hide()

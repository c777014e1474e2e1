"""The pages about the whole project: the overview and the ledger, made on first use and shown in place of a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ui.pages.project_page import ProjectPage

if TYPE_CHECKING:
    from workbench.ui.main_window import MainWindow
    from workbench.ui.pages.dashboard_page import DashboardPage
    from workbench.ui.pages.ledger_page import LedgerPage


class ProjectPages:
    """`show_overview`, `show_ledger`, `find`; `in_view` tells whether one of them is what the window shows."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._overview: DashboardPage | None = None
        self._ledger: LedgerPage | None = None

    @property
    def in_view(self) -> bool:
        return isinstance(self._window.stack.currentWidget(), ProjectPage)

    @property
    def overview_in_view(self) -> bool:
        return self._overview is not None and self._window.stack.currentWidget() is self._overview

    @property
    def overview(self) -> DashboardPage:
        if self._overview is None:
            from workbench.ui.pages.dashboard_page import DashboardPage

            self._overview = DashboardPage(self._window.controller.file, self._window.controller.editor)
            self._add(self._overview)
        return self._overview

    @property
    def ledger(self) -> LedgerPage:
        if self._ledger is None:
            from workbench.ui.pages.ledger_page import LedgerPage

            self._ledger = LedgerPage(self._window.controller.file, self._window.controller.editor)
            self._add(self._ledger)
        return self._ledger

    def show_overview(self) -> None:
        if self._window.controller.file.view is not None:
            self._show(self.overview)

    def show_ledger(self) -> None:
        if self._window.controller.file.view is not None:
            self._show(self.ledger)

    def find(self) -> None:
        """Ctrl+F: to the search, from wherever one is."""
        if self._window.controller.file.view is not None:
            self.show_overview()
            self.overview.focus_search()

    def _add(self, page: ProjectPage) -> None:
        self._window.stack.addWidget(page)
        page.release_wanted.connect(self._window.show_release)

    def _show(self, page: ProjectPage) -> None:
        self._window.stack.setCurrentWidget(page)
        self._window.rail.clear_current()
        self._window.rail.setVisible(self._window.controller.editor.session is not None and not self.overview_in_view)
        self._window.evidence.hide()

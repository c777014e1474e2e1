"""Start and end of the window."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication

from workbench.background.defects import details_of
from workbench.background.runner import SWITCH_SECONDS
from workbench.background.warm import uncollected
from workbench.core.errors import UserProblem
from workbench.ui import theme
from workbench.ui.main_window import MainWindow
from workbench.ui.printer import printer_aside
from workbench.ui.settings import Settings


def make_app() -> QApplication:
    """The one application object, named so that settings and desktop know it."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    sys.setswitchinterval(SWITCH_SECONDS)
    QCoreApplication.setOrganizationName("Disclosure Workbench")
    QCoreApplication.setApplicationName("Disclosure Workbench")
    return QApplication(sys.argv[:1])


def tell_defects(window: MainWindow) -> None:
    """A mistake while something is shown reaches the person, once for each place: silence leaves an old picture."""
    told: set[str] = set()

    def unforeseen(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, Exception):
            sys.__excepthook__(kind, error, trace)
            return
        details = details_of(error)
        if details not in told:
            told.add(details)
            window.controller.jobs.defect.emit(details)

    sys.excepthook = unforeseen


def run_window(project: Path | None, identity: str = "", *, draw_waiting: bool = False) -> int:
    """Open the window, on a project where one is named, and return when it was closed.

    `draw_waiting` draws its releases that were never drawn, aside and with progress.
    """
    if project is not None and not project.exists():
        raise UserProblem("There is no such project", str(project), "Check the path, or create it in the window")
    app = make_app()
    settings = Settings()
    theme.apply(app, theme.Mode(settings.theme))
    with uncollected():
        window = MainWindow(settings)
    tell_defects(window)
    if identity:
        window.controller.file.person = identity
    window.show()
    window.warm_up()
    if project is not None:
        window.open_project(project)
    if draw_waiting:
        window.controller.file.opened.connect(
            window.controller.waiting.draw_all, Qt.ConnectionType.SingleShotConnection
        )
    code = app.exec()
    printer_aside().stop()
    # Qt objects must go before the application does, or Python's end may find them half gone.
    window.deleteLater()
    app.processEvents()
    del window
    return code

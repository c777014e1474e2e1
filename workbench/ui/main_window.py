"""The window: the frame, its menus and keys, and what begins and ends with it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QMainWindow

from workbench.core.errors import Problem
from workbench.review.decide.stages import Stage
from workbench.ui import dialogs, tab_order
from workbench.ui.asking import connect_questions
from workbench.ui.bridge import JobBridge
from workbench.ui.controller import Controller
from workbench.ui.display import Display
from workbench.ui.frame import Frame
from workbench.ui.menus import Menus, release_menu
from workbench.ui.navigation import Navigation
from workbench.ui.settings import Settings
from workbench.ui.warming import Warming
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.icons import app_icon

SMALLEST = QSize(1080, 680)  # every page is readable in it; a smaller screen has a smaller window that scrolls


class MainWindow(QMainWindow):
    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.bridge = JobBridge(self)
        self.controller = Controller(self.bridge, person=settings.identity, parent=self)
        self.controller.voices.signs = settings.signs
        self.frame = Frame(settings)
        self.setCentralWidget(self.frame)
        self.navigation = Navigation(self.frame, self.controller, self)
        self._display = Display(self.frame, self.controller, self.bridge, self.navigation, self)
        self._warm = Warming(self.frame, self.navigation)
        self.menus = Menus(self)
        self._connect()
        self.setWindowIcon(app_icon())
        room = self.screen().availableSize()  # a small or enlarged screen must show all of it
        self.resize(QSize(1500, 880).boundedTo(room))
        self.setMinimumSize(SMALLEST.boundedTo(room))
        self._name()
        self._restore()
        self.frame.start_page.create_button.setFocus()

    def _connect(self) -> None:
        controller, frame, navigation = self.controller, self.frame, self.navigation
        controller.file.changed.connect(self._name)
        controller.file.sample_ready.connect(lambda path: self.open_project(path, overview=False))
        controller.releases.created.connect(lambda: navigation.go_to(Stage.DATA.value))
        controller.run.drawn.connect(lambda: navigation.go_to(Stage.AUDIT.value))
        controller.jobs.defect.connect(lambda details: dialogs.show_defect(self, details))
        connect_questions(self, controller.questions)
        frame.rail.selected.connect(navigation.go_to)
        frame.problems.jump.connect(navigation.jump)
        frame.evidence.next_step.connect(self._next_step)
        frame.evidence.ledger_wanted.connect(navigation.show_ledger)
        frame.releases.selected.connect(controller.releases.select)
        frame.releases.clicked.connect(self._release_clicked)
        frame.releases.new_requested.connect(self.new_release)
        frame.releases.menu_requested.connect(partial(release_menu, self))
        frame.start_page.release_requested.connect(self.new_release)
        frame.start_page.open_requested.connect(self.open_project)
        frame.start_page.create_requested.connect(lambda path: self.open_project(path, create=True))
        frame.start_page.steps.guide_wanted.connect(lambda: dialogs.show_guide(self))
        frame.start_page.steps.glossary_wanted.connect(lambda: dialogs.show_glossary(self))
        frame.start_page.sample_requested.connect(controller.file.try_sample)

    @property
    def settled(self) -> bool:
        """True once rail, evidence and the page in view show the session as it is."""
        return self._display.settled and self.navigation.settled

    # Actions
    def open_project(self, path: Path, *, create: bool = False, overview: bool = True) -> None:
        """Open or make a project. One that holds releases begins with the overview of them."""

        def opened() -> None:
            self.settings.remember_project(path.resolve())
            if overview and self.controller.file.view is not None and self.controller.file.view.releases:
                self.navigation.show_overview_later()  # the list was filled in this turn, and that is enough for one

        self.controller.file.open(path, create=create, then=opened)

    def new_release(self) -> None:
        if self.controller.file.view is None:
            self.frame.problems.set_problems((Problem("No project is open", do="Open or create a project first"),))
            return
        dialogs.ask_new_release(self, self.controller.releases.new)

    def _release_clicked(self, release_id: str) -> None:
        if self.navigation.whole_in_view:
            self.navigation.show_release(release_id)

    def _next_step(self, step: str) -> None:
        self.new_release() if step == "new" else self.navigation.go_to(step)

    def _name(self) -> None:
        project = self.controller.file.view
        name = f"{project.path.name} – " if project is not None else ""
        closed = " (read-only)" if project is not None and project.read_only else ""
        self.setWindowTitle(f"{name}{self.controller.file.person} – Disclosure Workbench{closed}")

    # Keys
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F3 where nothing nearer takes it: the page in view goes to what needs attention."""
        page = self.navigation.page_in_view
        if event.key() == Qt.Key.Key_F3 and page is not None:
            page.go_flagged(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forwards: bool) -> bool:
        return tab_order.step(self.centralWidget(), forwards=forwards)

    # Begin and end
    def warm_up(self) -> None:
        self._warm.start()

    @property
    def warmed_up(self) -> bool:
        return self._warm.done

    def _restore(self) -> None:
        FileDialog.folder = self.settings.folder
        for name, restore in (("geometry", self.restoreGeometry), ("split", self.frame.split.restoreState)):
            if (stored := self.settings.bytes_of(name)) is not None:
                restore(stored)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.settings.set_bytes("geometry", self.saveGeometry())
        self.settings.set_bytes("split", self.frame.split.saveState())
        self.settings.folder = FileDialog.folder
        self.settings.signs = self.controller.voices.signs
        self.hide()  # nobody looks at a window that waits for its last save
        self.controller.finish()
        self._warm.stop()
        super().closeEvent(event)

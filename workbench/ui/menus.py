"""The menu bar: every action with its key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu

from workbench.core.states import ReleaseState
from workbench.review.decide.stages import TITLES, Stage
from workbench.ui import asking, dialogs, theme
from workbench.ui.policy_dialog import show_policy

if TYPE_CHECKING:
    from workbench.ui.main_window import MainWindow

_Key = QKeySequence.StandardKey | str


class Menus:
    def __init__(self, window: MainWindow) -> None:
        self._window = window
        bar = window.menuBar()
        self._file(bar.addMenu("&File"))
        self._edit(bar.addMenu("&Edit"))
        self._review(bar.addMenu("&Review"))
        self._project(bar.addMenu("&Project"))
        self._view(bar.addMenu("&View"))
        self._help(bar.addMenu("&Help"))
        for changed in (window.controller.editor.changed, window.controller.file.changed):
            changed.connect(self.refresh)
        window.controller.jobs.occupied_changed.connect(lambda _occupied: self.refresh())
        self.refresh()

    def refresh(self) -> None:
        """Undo and redo say what they would take back."""
        session = self._window.controller.editor.session
        undo = session.history.undo_label if session is not None else ""
        redo = session.history.redo_label if session is not None else ""
        controller = self._window.controller
        self.undo.setEnabled(bool(undo) and controller.editor.editable)
        self.redo.setEnabled(bool(redo) and controller.editor.editable)
        self.undo.setText(f"&Undo: {undo}" if undo else "&Undo")
        self.redo.setText(f"&Redo: {redo}" if redo else "&Redo")
        writable = controller.file.writable
        self.new_release.setEnabled(writable)
        self.from_plan.setEnabled(writable)
        for action in (self.save_plan, self.copy_python):
            action.setEnabled(session is not None)
        free = not controller.jobs.occupied
        for action in (self.overview, self.ledger, self.find, self.verify, self.verify_report, self.policy, self.keys):
            action.setEnabled(controller.file.view is not None)
        for action in (self.encrypt, self.merge):
            action.setEnabled(writable and free)
        self.encrypt.setText("Change pa&ssphrase…" if controller.file.encrypted else "&Encrypt project…")
        rows = controller.file.view.releases if controller.file.view is not None else ()
        current = session.release_id if session is not None else ""
        approved = any(row.id == current and row.state is ReleaseState.APPROVED for row in rows)
        self.withdraw.setEnabled(writable and session is not None and not approved)
        self.decrypt.setEnabled(writable and free and controller.file.encrypted)
        self.duplicate.setEnabled(writable and session is not None)
        ready = session is not None and session.prepared_fresh and controller.editor.editable
        self.draw.setEnabled(ready and not controller.jobs.occupied)

    def _add(self, menu: QMenu, text: str, call: Callable[[], object], key: _Key | None = None) -> QAction:
        action = QAction(with_access_key(text, [each.text() for each in menu.actions()]), self._window)
        if key is not None:
            action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda _checked=False: call())
        menu.addAction(action)
        return action

    def _file(self, menu: QMenu) -> None:
        window, controller = self._window, self._window.controller
        self._add(menu, "New project…", window.frame.start_page.choose_new)
        self._add(menu, "Open project…", window.frame.start_page.choose_project, QKeySequence.StandardKey.Open)
        self.recent = menu.addMenu("Recent pro&jects")
        self.recent.aboutToShow.connect(self._fill_recent)
        menu.addSeparator()
        self.new_release = self._add(menu, "New release…", window.new_release, QKeySequence.StandardKey.New)
        self.duplicate = self._add(menu, "Duplicate release", window.controller.releases.duplicate, "Ctrl+D")
        self.from_plan = self._add(
            menu, "New release from plan…", partial(asking.choose_plan, window, controller.releases)
        )
        self.withdraw = self._add(menu, "Withdraw release…", self._withdraw)
        self.save_plan = self._add(menu, "Save plan as…", partial(asking.choose_plan_path, window, controller.releases))
        menu.addSeparator()
        self.encrypt = self._add(menu, "Encrypt project…", window.controller.file.encrypt)
        self.decrypt = self._add(menu, "Decrypt project…", partial(asking.ask_decrypt, window, window.controller.file))
        menu.addSeparator()
        self._add(menu, "Who am I…", partial(dialogs.ask_identity, window))
        menu.addSeparator()
        self._add(menu, "Quit", window.close, QKeySequence.StandardKey.Quit)

    def _show_keys(self) -> None:
        from workbench.ui.identity import show_keys  # late: the window shows sooner

        show_keys(self._window, self._window.controller.file, self._window.controller.voices)

    def _withdraw(self) -> None:
        controller = self._window.controller
        if (session := controller.editor.session) is not None:
            dialogs.ask_withdraw(self._window, controller.releases, controller.voices, session.release_id)

    def _fill_recent(self) -> None:
        self.recent.clear()
        for path in self._window.settings.recent_projects():
            self._add(self.recent, str(path), partial(self._window.open_project, Path(path)))
        self.recent.setEnabled(True)

    def _edit(self, menu: QMenu) -> None:
        controller = self._window.controller
        self.undo = self._add(menu, "Undo", controller.editor.undo, QKeySequence.StandardKey.Undo)
        self.redo = self._add(menu, "Redo", controller.editor.redo, QKeySequence.StandardKey.Redo)
        menu.addSeparator()
        self.copy_python = self._add(menu, "Copy as Python", controller.releases.copy_python)
        menu.addSeparator()
        self.find = self._add(menu, "Find a release", self._window.navigation.find, QKeySequence.StandardKey.Find)

    def _review(self, menu: QMenu) -> None:
        window = self._window
        for number, stage in enumerate(Stage, 1):  # here and not on the rail, which the overview hides
            go = partial(window.navigation.go_to, stage.value)
            self._add(menu, TITLES[stage].replace("&", "and"), go, f"Ctrl+{number}")
        menu.addSeparator()
        self.draw = self._add(menu, "Draw, audit and compare", window.controller.run.ask_to_draw, "Ctrl+R")
        self._add(menu, "Cancel the running task", window.frame.strip.cancel_requested.emit, "Esc")

    def _project(self, menu: QMenu) -> None:
        """What concerns the whole file: its policy, whether it is as it was written, what comes from copies."""
        window, controller = self._window, self._window.controller
        self.policy = self._add(menu, "Policy…", partial(show_policy, window, controller.file, controller.voices))
        self.keys = self._add(menu, "Signing keys…", self._show_keys)
        self.merge = self._add(menu, "Merge votes from a copy…", partial(asking.choose_copy, window, controller.file))
        menu.addSeparator()
        self.verify = self._add(menu, "Verify project", controller.file.verify)
        self.verify_report = self._add(
            menu, "Verify report…", partial(asking.choose_report, window, controller.publishing)
        )
        self._add(menu, "Check a bundle…", partial(asking.choose_bundle, window, controller.publishing))

    def _view(self, menu: QMenu) -> None:
        self.overview = self._add(menu, "Project overview", self._window.navigation.show_overview, "Ctrl+0")
        self.ledger = self._add(menu, "Ledger", self._window.navigation.show_ledger, "Ctrl+L")
        menu.addSeparator()
        self._themes = QActionGroup(self._window)
        for mode in theme.Mode:
            action = self._add(menu, mode.value.capitalize() + " theme", partial(self._use_theme, mode))
            action.setCheckable(True)
            action.setChecked(mode is theme.mode())
            self._themes.addAction(action)

    def _use_theme(self, mode: theme.Mode) -> None:
        self._window.settings.theme = mode.value
        app = QApplication.instance()
        if isinstance(app, QApplication):
            theme.apply(app, mode)

    def _help(self, menu: QMenu) -> None:
        self._add(menu, "Guide", partial(dialogs.show_guide, self._window), QKeySequence.StandardKey.HelpContents)
        self._add(menu, "Glossary", partial(dialogs.show_glossary, self._window))
        self._add(menu, "About", partial(dialogs.show_about, self._window))


def with_access_key(text: str, taken: Sequence[str]) -> str:
    """The words of an entry with the letter that chooses it underlined: the first that no entry above has."""
    used = {each[each.index("&") + 1].lower() for each in taken if "&" in each.replace("&&", "")}
    starts = [0, *(place + 1 for place, letter in enumerate(text) if letter == " ")]
    for place in (*starts, *range(len(text))):
        if place < len(text) and text[place].isalpha() and text[place].lower() not in used:
            return f"{text[:place]}&{text[place:]}"
    return text


def release_menu(window: MainWindow, release_id: str, place: QPoint) -> None:
    """What can be done with a release of the list: take its plan over, or take it off the list."""
    controller = window.controller
    controller.releases.select(release_id)
    writable = controller.file.writable
    rows = controller.file.view.releases if controller.file.view is not None else ()
    approved = any(row.id == release_id and row.state is ReleaseState.APPROVED for row in rows)
    menu = QMenu(window)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addAction("Duplicate release", lambda: controller.releases.duplicate(release_id)).setEnabled(writable)
    withdraw = menu.addAction(
        "Withdraw release…", lambda: dialogs.ask_withdraw(window, controller.releases, controller.voices, release_id)
    )
    withdraw.setEnabled(writable and not approved)  # what was approved may be out already: it stays on the list
    menu.popup(place)

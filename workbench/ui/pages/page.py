"""What every stage's page has in common: it refreshes only while it can be seen."""

from __future__ import annotations

from contextlib import nullcontext

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from workbench.review.session import ReviewSession
from workbench.ui import theme
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.later import PAGE, Later, PaintLater
from workbench.ui.widgets.disclosure import Disclosure
from workbench.ui.widgets.findings_view import FindingsList
from workbench.ui.widgets.forms.params_form import ParamsForm
from workbench.ui.widgets.icons import TextButton


def folded(title: str, content: QWidget) -> Disclosure:
    """Content that stays closed until somebody wants it."""
    fold = Disclosure(title)
    layout = QVBoxLayout(fold.body)
    layout.setContentsMargins(0, 4, 0, 0)
    layout.addWidget(content)
    return fold


def beside(*parts: QWidget, sizes: tuple[int, ...], vertical: bool = False) -> QSplitter:
    """Parts next to each other whose shares a person can drag; the gap is the window's own."""
    split = QSplitter(Qt.Orientation.Vertical if vertical else Qt.Orientation.Horizontal)
    for part in parts:
        split.addWidget(part)
    split.setSizes(list(sizes))
    split.setHandleWidth(theme.GAP)
    split.setChildrenCollapsible(False)
    return split


class Page(QWidget):
    """`refresh(session)` brings the widgets in line with the session; it must not cause edits."""

    def __init__(self, jobs: Jobs, editor: Editor) -> None:
        super().__init__()
        self.jobs, self.editor = jobs, editor
        self._due = True
        self._ready: dict[QWidget, bool] = {}
        self._held: QWidget | None = None  # had the focus when an action began, and gets it back
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._paint_later = PaintLater(self)
        self._refresh_later = Later(self, lambda _nothing: self._refresh(), PAGE)
        editor.changed.connect(self._session_changed)
        jobs.occupied_changed.connect(lambda _occupied: self._show_ready())

    @property
    def session(self) -> ReviewSession | None:
        return self.editor.session

    def fill(self, content: QWidget) -> None:
        """Give the page its content."""
        self._layout.addWidget(content)

    def refresh(self, session: ReviewSession) -> None:
        """Overridden by each page."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._due:
            self.setUpdatesEnabled(False)  # what it showed last time would be painted only to be painted over
            self._refresh_later()

    def hideEvent(self, event: QHideEvent) -> None:
        """What was typed by half is not taken along: elsewhere the window shows the plan, and so does the form then."""
        super().hideEvent(event)
        for form in self.findChildren(ParamsForm):
            form.revert()

    def allow(self, button: QWidget, ready: bool) -> None:
        """Whether a button that starts an action may be pressed; never while another action runs."""
        self._ready[button] = ready
        self._show_ready()

    def _show_ready(self) -> None:
        for button, ready in self._ready.items():
            on = ready and not self.jobs.occupied
            held = self.window().focusWidget()
            if not on and held is button:  # Qt would hand it on, in the end to a filter that takes whatever is typed
                self._held = button
                self.setFocus(Qt.FocusReason.OtherFocusReason)
            button.setEnabled(on)
            if on and self._held is button:
                self._held = None
                if held is self:  # nobody went elsewhere meanwhile
                    button.setFocus(Qt.FocusReason.OtherFocusReason)

    def name_draw_button(self, button: TextButton, session: ReviewSession) -> None:
        """The first draw is the step everything waits for; another one is seldom wanted and asks first."""
        button.setText("Draw again…" if session.evidence_fresh else "Draw, audit and compare")
        theme.set_role(button, "" if session.evidence_fresh else "primary")

    def step_of(self, form: ParamsForm) -> str:
        """The words of an undo step. Typing in one field is one step, every choice is a step of its own."""
        if self.session is not None and not form.typed:
            self.session.history.close_step()
        return f"change “{form.edited_label}”"

    def go_flagged(self, step: int) -> None:
        """To the next thing that needs attention, or the one before: F3 from anywhere in the window."""
        found = self.findChild(FindingsList)
        if found is not None:
            found.next_flagged() if step > 0 else found.previous_flagged()

    def show_field(self, name: str) -> bool:
        """Bring the field of that name into view and focus it. False where no form of the page has it."""
        return any(form.show_field(name) for form in self.findChildren(ParamsForm))

    def _session_changed(self) -> None:
        self._due = True
        if self.isVisible():
            self._refresh_later()

    @property
    def settled(self) -> bool:
        """True once the page shows the session as it is."""
        return not self._due and not self._paint_later.pending

    def _refresh(self) -> None:
        if not self.isVisible():
            self.setUpdatesEnabled(True)
            return
        self._due = False
        session = self.editor.session
        # Painting apart paints everything, so only a page that has just come into view is worth it.
        apart = nullcontext() if self.updatesEnabled() else self._paint_later()
        with QSignalBlocker(self), apart:
            if session is not None:
                self.refresh(session)
                for form in self.forms():
                    form.setEnabled(self.editor.editable)

    def warm(self) -> None:
        """What is slow the first time, done while nobody waits: styles, layout, the first painting."""
        self.grab()

    def forms(self) -> tuple[QWidget, ...]:
        """What changes the plan: out of reach once the release was approved or the project can only be read."""
        return ()

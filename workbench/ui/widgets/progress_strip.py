"""ProgressStrip: the one place for progress, along the bottom of the window.

strip.set_idle("Saved 12:04")
strip.set_progress(0.35, "Trial 7 of 20")     fraction None: busy, length unknown
strip.set_cancelling()                        after cancel was pressed, until the work has ended
strip.add(widget)                             a permanent widget at the right (the problems badge)
strip.cancel_requested                        Signal()
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QWidget

from workbench.core.quantities import percent
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.icons import IconLabel, TextButton


class ProgressStrip(QFrame):
    """A sentence, a bar, Cancel. At rest it shows the idle text alone and keeps its height."""

    cancel_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "strip")
        self.setAccessibleName("Progress")
        self._icon = IconLabel("check", "passed", size=14)
        self._sentence = ElidedLabel()
        self._percent = QLabel()
        self._percent.setProperty("role", "muted")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(220)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName("Share done")
        self._cancel = TextButton("Cancel", "stop", ink="muted")
        self._cancel.clicked.connect(self.set_cancelling)
        self._cancel.clicked.connect(self.cancel_requested)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(14, 4, 10, 4)
        self._row.setSpacing(10)
        for widget in (self._icon, self._sentence, self._percent, self._bar, self._cancel):
            self._row.addWidget(widget, 1 if widget is self._sentence else 0)
        self.set_idle("Ready")

    def sizeHint(self) -> QSize:
        return QSize(600, self._cancel.sizeHint().height() + 10)

    def minimumSizeHint(self) -> QSize:
        return QSize(320, self.sizeHint().height())

    def add(self, widget: QWidget) -> None:
        self._row.addWidget(widget)

    def set_idle(self, text: str, icon: str = "check", ink: str = "passed") -> None:
        self._icon.set_icon(icon, ink)
        self._show_work(False)
        self._sentence.set_text(text)

    def set_progress(self, fraction: float | None, sentence: str) -> None:
        """Show work. After cancel was pressed the button stays off until the strip has been idle."""
        if not self.busy():
            self._cancel.setEnabled(True)
            self._cancel.setText("Cancel")
        self._icon.set_icon("play", "accent")
        self._show_work(True)
        self._sentence.set_text(sentence[:1].upper() + sentence[1:])
        if fraction is None:
            self._bar.setRange(0, 0)
            self._percent.setText("")
            return
        self._bar.setRange(0, 1000)
        share = min(max(fraction, 0.0), 1.0)
        self._bar.setValue(round(share * 1000))
        self._percent.setText(percent(share))

    def set_cancelling(self) -> None:
        self._cancel.setEnabled(False)
        self._cancel.setText("Stopping…")

    def busy(self) -> bool:
        return not self._bar.isHidden()

    def sentence(self) -> str:
        return self._sentence.whole()

    def _show_work(self, working: bool) -> None:
        for widget in (self._bar, self._cancel, self._percent):
            widget.setVisible(working)

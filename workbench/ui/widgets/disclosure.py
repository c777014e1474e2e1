"""Disclosure: a line that opens to show more. Its content goes into `body`."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from workbench.ui import theme
from workbench.ui.widgets.icons import icon


class Disclosure(QWidget):
    """Closed at first: "What it assumes (3)", "More settings"."""

    def __init__(self, title: str = "") -> None:
        super().__init__()
        self.button = QToolButton()
        self.button.setProperty("role", "disclosure")
        self.button.setCheckable(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setIconSize(QSize(17, 12))
        self.button.toggled.connect(self._toggle)
        self.body = QWidget()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        whole.addWidget(self.body)
        self.set_title(title)
        self._toggle(False)

    def set_title(self, title: str) -> None:
        self.button.setText(title)
        self.button.setAccessibleName(title)

    def set_open(self, opened: bool) -> None:
        self.button.setChecked(opened)

    @property
    def is_open(self) -> bool:
        return self.button.isChecked()

    def _toggle(self, opened: bool) -> None:
        self.body.setVisible(opened)
        self._redraw()

    def _redraw(self) -> None:
        self._drawn = theme.tokens()
        self.button.setIcon(
            icon("chevron-down" if self.button.isChecked() else "chevron-right", "accent", size=12, after=5)
        )

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.StyleChange and self._drawn is not theme.tokens():
            self._redraw()
        super().changeEvent(event)

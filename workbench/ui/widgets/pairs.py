"""Pairs: names at the left, values at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from workbench.ui.widgets.card import wrapped


class Pairs(QWidget):
    """Names at the left, values at the right, in a grid that wraps long values."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnStretch(1, 1)

    def set_pairs(self, pairs: tuple[tuple[str, str], ...]) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for row, (name, value) in enumerate(pairs):
            label = QLabel(name)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("role", "muted")
            shown = wrapped(value, "value")
            shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            shown.setAccessibleName(f"{name}: {value}")
            self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(shown, row, 1)

"""Tiles: a few numbers side by side, each with what it counts and a remark. A number that says something by itself."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from workbench.ui import theme
from workbench.ui.widgets.card import wrapped


class Tile(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.number, self.what, self.remark = wrapped("", "title"), wrapped("", "label"), wrapped("", "small")
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 9, 14, 10)
        column.setSpacing(1)
        for label in (self.number, self.what, self.remark):
            column.addWidget(label)
        column.addStretch(1)

    def set_words(self, number: str, what: str, remark: str) -> None:
        self.number.setText(number)
        self.what.setText(what)
        self.remark.setText(remark)
        self.setAccessibleName(" ".join(part for part in (number, what, remark) if part))


class Tiles(QWidget):
    """As many tiles as there are facts."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.tiles = tuple(Tile() for _ in range(count))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GAP)
        for tile in self.tiles:
            row.addWidget(tile, 1)

    def set_tiles(self, facts: tuple[tuple[str, str, str], ...]) -> None:
        for tile, words in zip(self.tiles, facts, strict=True):
            tile.set_words(*words)

"""Stacked: a card with a list above another card, each as high as its rows ask for while there is room."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from workbench.ui import theme
from workbench.ui.later import PAGE, Later

_LOWER = 0.45  # of the height: what the lower part keeps where the list above is long
_LEAST = 120  # of a list whose rows are not known yet


class Listing(Protocol):
    """A list that knows by how many pixels its rows are higher than what is seen of them."""

    def lacks(self) -> int: ...


class Stacked(QSplitter):
    """`fit()` after the lists were filled. What a person has dragged stays as it is."""

    def __init__(self, upper: QWidget, rows: Listing, lower: QWidget, *, below: Listing | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._parts = upper, lower
        self._rows, self._below = rows, below
        self._dragged = False
        self.addWidget(upper)
        self.addWidget(lower)
        self.setHandleWidth(theme.GAP)
        self.setChildrenCollapsible(False)
        self.setStretchFactor(0, 0)
        self.setStretchFactor(1, 1)
        self.splitterMoved.connect(self._moved)
        self._later = Later(self, lambda _nothing: self._fit(), PAGE)

    def fit(self) -> None:
        """Now, and again once rows are laid out at the width they have then."""
        self._fit()
        self._later(None)

    def _fit(self) -> None:
        """The list above has what its rows need; a list below has the same, up to its share."""
        upper, lower = self._parts
        room = self.height() - self.handleWidth()
        if self._dragged or not self.isVisible() or not lower.isVisible() or upper.height() <= 0:
            return
        kept = round(_LOWER * room)
        if self._below is not None:
            kept = min(kept, lower.height() + self._below.lacks())
        needed = max(_LEAST, upper.height() + self._rows.lacks())
        high = min(needed, room - kept)
        if high != upper.height():
            self.setSizes([high, room - high])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._later(None)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._later(None)

    def _moved(self, _at: int, _handle: int) -> None:
        self._dragged = True

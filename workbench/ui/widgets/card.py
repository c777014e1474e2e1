"""Card: a titled container. CardColumn: cards under each other that never stretch their empty space.

    card = Card("Mechanism", "place × sector · 64,344 cells")
    card.add(form)                 # or card.add(view, stretch=1) in a card that grows
    card.add_action(button)        # at the right of the title
    column = CardColumn(card, other); column.add(third)      # what is left over stays empty below the last card
    Scrolling(column)              # the same, with a scroll bar where the window is too low

`Card(…, grows=True)` is for tables and plots: it takes the height it is given.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from workbench.ui import theme


def wrapped(text: str = "", role: str = "") -> QLabel:
    """A label whose text wraps, can be selected with the mouse, and is never read as rich text."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)
    label.setMinimumWidth(40)
    return label


class Card(QFrame):
    """A white box with a thin border, a title and, beneath it, one muted line."""

    def __init__(self, title: str = "", subtitle: str = "", *, grows: bool = False, role: str = "card") -> None:
        super().__init__()
        self.setProperty("role", role)
        vertical = QSizePolicy.Policy.Expanding if grows else QSizePolicy.Policy.Preferred
        self.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        self._title, self._subtitle = wrapped(title, "heading"), wrapped(subtitle, "muted")
        self._head = QHBoxLayout()
        self._head.setSpacing(theme.GAP // 2)
        self._head.addWidget(self._title, 1)
        self._body = QVBoxLayout()
        self._body.setSpacing(8)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(theme.PADDING, 12, theme.PADDING, 13)
        whole.setSpacing(0)
        whole.addLayout(self._head)
        whole.addWidget(self._subtitle)
        whole.addLayout(self._body, 1 if grows else 0)
        if not grows:
            whole.addStretch(1)
        self.set_title(title)
        self.set_subtitle(subtitle)

    def set_title(self, title: str) -> None:
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._body.setContentsMargins(0, 8 if title else 0, 0, 0)
        self.setAccessibleName(title)

    def set_subtitle(self, subtitle: str) -> None:
        self._subtitle.setText(subtitle)
        self._subtitle.setVisible(bool(subtitle))

    def subtitle(self) -> str:
        return self._subtitle.text()

    def title(self) -> str:
        return self._title.text()

    def add(self, widget: QWidget, stretch: int = 0) -> None:
        self._body.addWidget(widget, stretch)

    def add_layout(self, layout: QLayout, stretch: int = 0) -> None:
        self._body.addLayout(layout, stretch)

    def add_action(self, widget: QWidget) -> None:
        self._head.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)


class CardColumn(QWidget):
    """Cards under each other at their natural height."""

    def __init__(self, *cards: QWidget, margin: int = 0) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(margin, margin, margin, margin)
        self._layout.setSpacing(theme.GAP)
        self._layout.addStretch(1)
        for card in cards:
            self.add(card)

    def add(self, card: QWidget, stretch: int = 0, *, at: int | None = None) -> None:
        """Below the last card, or before the card with number `at`. With a stretch it takes the height left over."""
        self._layout.insertWidget(self._layout.count() - 1 if at is None else at, card, stretch)
        if stretch:
            self._layout.setStretch(self._layout.count() - 1, 0)

    def remove(self, card: QWidget) -> None:
        self._layout.removeWidget(card)


class Scrolling(QScrollArea):
    """A scroll area whose content takes the width there is; it scrolls up and down only.

    With a name it can be reached with Tab and scrolled with the keys; without one its content holds all to be reached.
    """

    def __init__(self, content: QWidget, name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if name else Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setProperty("role", "clear")
        content.setProperty("role", "clear")
        self._content = content
        self.setWidget(content)

    def minimumSizeHint(self) -> QSize:
        inner = self._content.minimumSizeHint().width()
        return QSize(inner + self.verticalScrollBar().sizeHint().width(), 80)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What is around must know where the content needs more width: nothing else would tell it.

        The scroll area watches its content itself, to follow its size.
        """
        laid_out = event.type() is QEvent.Type.LayoutRequest and watched is self._content
        if laid_out and self.width() < self.minimumSizeHint().width():
            self.updateGeometry()
        return super().eventFilter(watched, event)

"""An overspend: why the approval is refused, who may let it pass, and the place where they do."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit

from workbench.review.decide.desk import Desk
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.icons import TextButton


class ExceptionCard(Card):
    """Hidden where the release keeps within its limits."""

    granted = Signal(str)  # the reason

    def __init__(self) -> None:
        super().__init__("More than the budget allows", role="caution")
        self.words = wrapped()
        self.who = wrapped("", "muted")
        self.reason = QLineEdit()
        self.reason.setAccessibleName("Reason for the exception")
        self.reason.setPlaceholderText("Why can it exceed the cap? Kept in the journal.")
        self.grant = TextButton("Grant the exception")
        self.grant.clicked.connect(lambda: self.granted.emit(self.reason.text().strip()))
        self.reason.textChanged.connect(lambda _text: self._ready())
        row = QHBoxLayout()
        row.addWidget(self.grant)
        row.addStretch(1)
        for widget in (self.words, self.who, self.reason):
            self.add(widget)
        self.add_layout(row)
        self._free = True
        self.hide()

    def show_overspend(self, broken: str, desk: Desk | None, *, writable: bool, author: bool) -> None:
        """`broken` says which limit an approval would break; empty hides the card."""
        self.setVisible(bool(broken))
        if not broken:
            self.reason.clear()
            return
        self.words.setText(f"An approval is refused: {broken}")
        named = desk.profile.review.exceptions_by if desk is not None else ()
        may = desk is not None and desk.may_except and writable and not author
        others = " or ".join(named)
        if may:
            said = "Under the policy you can grant an exception for this draw."
        elif named:
            said = f"{others} may grant an exception (policy {desk.policy if desk is not None else ''})."
        else:
            said = "The policy names nobody who can grant an exception. Lower ε or δ, or raise the cap with a reason."
        self.who.setText(said)
        self.reason.setVisible(may)
        self.grant.setVisible(may)
        self._ready()

    def set_free(self, free: bool) -> None:
        """Out of reach while another action runs."""
        self._free = free
        self._ready()

    def _ready(self) -> None:
        self.grant.setEnabled(self._free and bool(self.reason.text().strip()))

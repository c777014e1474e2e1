"""What whoever sits here says of the release: a vote or the decision, with comments, signed with their own key."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.core.local_time import local_minute
from workbench.core.states import Verdict
from workbench.review.decide.desk import Desk
from workbench.ui import theme
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.fitting import Fitting
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.plain_tip import plain_tip

_DONE = {Verdict.APPROVE: "Approved", Verdict.CHANGES: "Changes requested", Verdict.REJECT: "Rejected"}
_ALWAYS_SIGNED = "You have a key in this project, so what you record here is always signed."
_HINT = "Required to request changes, and to approve where a finding fails. Stays internal."


@dataclass(frozen=True, slots=True)
class Said:
    """`decision` is True for the decision itself, False for one vote among several."""

    choice: Verdict
    comment: str
    public_comment: str
    decision: bool
    declares: bool = False


class VoiceCard(Card):
    """One card for both: people vote where more than one is needed, and somebody records the decision in the end."""

    said = Signal(object)  # Said
    signing = Signal(bool)
    mode_changed = Signal()

    def __init__(self) -> None:
        super().__init__("Your decision")
        self.deciding = True
        self._shown: Desk | None = None
        self.who = wrapped("", "muted")
        self.comment, self.public_comment = _text_box("Comment for the record", 76), _text_box("Public comment", 54)
        self.declares = QCheckBox("I declare:")
        self.declared = wrapped("", "small")
        self.sign = QCheckBox("Sign with my own key")
        self.sign.setChecked(True)
        self.sign.toggled.connect(self._signing_changed)
        self.key_words = wrapped("", "small")
        self.why_not = wrapped("", "problem")
        self.approve = TextButton("Approve and record", role="primary")
        self.changes, self.reject = TextButton("Request changes"), TextButton("Reject")
        self.other = TextButton("", role="link")
        self.other.clicked.connect(self._switch)
        for button, choice in self._choices():
            button.clicked.connect(lambda _checked=False, chosen=choice: self._say(chosen))
        self._lay_out()

    def _choices(self) -> tuple[tuple[TextButton, Verdict], ...]:
        return (self.approve, Verdict.APPROVE), (self.changes, Verdict.CHANGES), (self.reject, Verdict.REJECT)

    def _lay_out(self) -> None:
        """What is written scrolls where the window is low; the buttons below are always in view."""
        inside = QWidget()
        written = QVBoxLayout(inside)
        written.setContentsMargins(0, 0, 0, 0)
        written.setSpacing(7)
        for widget in (
            QLabel("Comment for the record"), self.comment, wrapped(_HINT, "small"),
            QLabel("Public comment"), self.public_comment,
            wrapped("Appears in the public report; optional.", "small"), self.declares, self.declared, self.sign,
            self.key_words,
        ):  # fmt: skip
            written.addWidget(widget)
        self.fields = Fitting(inside)
        self.add(self.who)
        self.add(self.fields)
        self.add(self.why_not)
        self.answers = QWidget()
        rows = QVBoxLayout(self.answers)  # under each other: in a small window a row of three would lose the last one
        rows.setContentsMargins(0, 0, 0, 0)
        for buttons in ((self.approve, self.other), (self.changes, self.reject)):
            row = QHBoxLayout()
            for button in buttons:
                row.addWidget(button)
            row.addStretch(1)
            rows.addLayout(row)
        self.add(self.answers)

    def buttons(self) -> tuple[TextButton, ...]:
        return self.approve, self.changes, self.reject

    def _say(self, choice: Verdict) -> None:
        comment, public = self.comment.toPlainText().strip(), self.public_comment.toPlainText().strip()
        self.said.emit(Said(choice, comment, public, self.deciding, self.declares.isChecked()))

    def ask(self, declarations: tuple[str, ...], confirmations: tuple[str, ...] = ()) -> None:
        """What an approval declares, or a vote for the release confirms. Each release is declared anew."""
        asked = declarations if self.deciding else confirmations
        words = f"{'; and '.join(asked)}." if asked else ""
        if words != self.declared.text():
            self.declares.setChecked(False)
            self.declared.setText(words)
        for widget in (self.declares, self.declared):
            widget.setVisible(bool(words))

    def show_desk(self, desk: Desk | None, *, you: str, preparer: str) -> None:
        """Who sits here, and what their word would be: a vote as long as votes are missing, then the decision."""
        parts = [f"You are {you}. The release was prepared by {preparer or 'nobody yet'}."]
        several = desk is not None and desk.several
        if several and desk is not None:
            parts.append(_standing(desk))
        self.who.setText(" ".join(parts))
        if desk is None or desk is not self._shown:  # whoever switched stays where they are until something happens
            self.set_deciding(not several or (desk is not None and desk.can_decide and desk.has_voted))
        self._shown = desk
        self.other.setVisible(several and desk is not None and (desk.can_decide or not desk.voting.blinded))
        must_sign = desk is not None and desk.must_sign
        if must_sign:
            self.sign.setChecked(True)
        self.sign.setEnabled(not must_sign)
        self.sign.setToolTip(plain_tip(_ALWAYS_SIGNED if must_sign else ""))

    def close_with(self, why: str, preparer: str, desk: Desk | None) -> None:
        """Nothing more can be said, as after an approval: only what was decided, by whom, and why it stays so."""
        self.set_title("Decided")
        last = desk.decisions[-1] if desk is not None and desk.decisions else None
        words = (
            f"{_DONE[last.decision]} by {last.reviewer} on {local_minute(last.decided_at)}. "
            if last is not None
            else ""
        )
        self.who.setText(f"{words}The release was prepared by {preparer}.")
        self.why_not.setText(why)
        self.why_not.show()
        self._open(False)

    def refuse_with(self, why: str) -> None:
        """Why whoever sits here cannot speak now; empty where they can."""
        self.why_not.setText(why)
        self.why_not.setVisible(bool(why))
        self._open(True)

    def _open(self, opened: bool) -> None:
        self.fields.setVisible(opened)
        self.answers.setVisible(opened)
        theme.set_role(self.why_not, "problem" if opened else "muted")

    def set_deciding(self, deciding: bool) -> None:
        self.deciding = deciding
        self.set_title("Your decision" if deciding else "Your vote")
        self.other.setText("Vote instead" if deciding else "Decide instead")
        self.other.setToolTip(
            "Change your vote before the decision"
            if deciding
            else "Record the decision itself, not one vote among several"
        )
        self._name_buttons()

    def _switch(self) -> None:
        self.set_deciding(not self.deciding)
        self.mode_changed.emit()

    def _name_buttons(self) -> None:
        sign = "sign" if self.sign.isChecked() else "record"
        self.approve.setText(f"Approve and {sign}" if self.deciding else f"Vote to approve and {sign}")

    def _signing_changed(self, on: bool) -> None:
        self._name_buttons()
        self.key_words.setVisible(on)
        self.signing.emit(on)


def _standing(desk: Desk) -> str:
    """Who has voted and what is still missing, in words."""
    voting = desk.voting
    names = ", ".join(voting.voted)
    have = f"{len(voting.voted)} of {voting.needed} reviewers have voted{f': {names}' if names else ''}."
    tally = desk.tally()
    blinded = " Votes are blinded until all have voted and you have." if voting.blinded and not tally else ""
    ready = " Anyone who voted can record the decision." if desk.can_decide and desk.has_voted else ""
    return f"{have}{f' {tally}.' if tally else ''}{blinded}{ready}"


def _text_box(name: str, height: int) -> QPlainTextEdit:
    box = QPlainTextEdit()
    box.setAccessibleName(name)
    box.setTabChangesFocus(True)
    box.setFixedHeight(height)  # it scrolls; the buttons below must be in view
    return box

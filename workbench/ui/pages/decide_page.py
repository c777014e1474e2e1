"""Decide: what the machine checked, what people decided before, and the decision of whoever sits here."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout

from workbench.core.findings import Finding
from workbench.project.records import Choice, DecisionRecord
from workbench.review.gates import gates
from workbench.review.session import ReviewSession
from workbench.ui.controller import Controller
from workbench.ui.pages.page import Page, beside
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.findings_view import FindingsList
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.table_views import Column, TableView

_WORDS = {Choice.APPROVE: "approved", Choice.CHANGES: "changes requested", Choice.REJECT: "rejected"}


class DecidePage(Page):
    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        gate_card = Card("Machine checks", "What a program can check before a person decides.", grows=True)
        self.gates = FindingsList()
        gate_card.add(self.gates, stretch=1)
        history = Card(
            "Decisions so far", "Decisions are never edited; a later one supersedes an earlier one.", grows=True
        )
        self.history = TableView()
        self.history.setAccessibleName("Decisions so far")
        self.no_history = wrapped("No decision has been recorded yet.", "muted")
        history.add(self.no_history)
        history.add(self.history, stretch=1)
        left = beside(gate_card, history, sizes=(470, 210), vertical=True)
        self._drafts: dict[tuple[str, str], tuple[str, str]] = {}
        self._written_for = (("", ""), 0)
        self.fill(beside(left, Scrolling(CardColumn(self._decision_card())), sizes=(500, 460)))

    def _decision_card(self) -> Card:
        card = Card("Your decision")
        self.who = wrapped("", "muted")
        self.comment = _text_box("Comment for the record")
        self.public_comment = _text_box("Public comment")
        self.public_comment.setMaximumHeight(58)
        self.approve = TextButton("Approve and record", role="primary")
        self.changes = TextButton("Request changes")
        self.reject = TextButton("Reject")
        for button, choice in (
            (self.approve, Choice.APPROVE),
            (self.changes, Choice.CHANGES),
            (self.reject, Choice.REJECT),
        ):
            button.clicked.connect(lambda _checked=False, chosen=choice: self._decide(chosen))
        rows = QVBoxLayout()  # under each other: in a small window a row of three would lose the last one
        for buttons in ((self.approve,), (self.changes, self.reject)):
            row = QHBoxLayout()
            for button in buttons:
                row.addWidget(button)
            row.addStretch(1)
            rows.addLayout(row)
        card.add(self.who)
        card.add(QLabel("Comment for the record"))
        card.add(self.comment)
        card.add(
            wrapped(
                "Required for a request for changes, and to approve where a finding fails. Stays internal.", "small"
            )
        )
        card.add(QLabel("Public comment"))
        card.add(self.public_comment)
        card.add(wrapped("Appears in the public report. Leave it empty where there is nothing to add.", "small"))
        self.why_not = wrapped("", "problem")
        card.add(self.why_not)
        card.add_layout(rows)
        return card

    def _decide(self, choice: Choice) -> None:
        self.controller.decide(
            choice.value,
            comment=self.comment.toPlainText().strip(),
            public_comment=self.public_comment.toPlainText().strip(),
        )

    def _show_draft(self, session: ReviewSession) -> None:
        """A comment belongs to one release and one decision: another release has its own, a decision uses it up."""
        project = self.controller.project
        release = (str(project.path) if project is not None else "", session.release_id)
        if (release, len(session.decisions)) == self._written_for:
            return
        before, self._written_for = self._written_for[0], (release, len(session.decisions))
        if before != release:
            self._drafts[before] = (self.comment.toPlainText(), self.public_comment.toPlainText())
        comment, public = self._drafts.pop(release, ("", ""))
        self.comment.setPlainText(comment)
        self.public_comment.setPlainText(public)

    def refresh(self, session: ReviewSession) -> None:
        self._show_draft(session)
        budget = self.controller.budget
        self._show_gates(gates(session, budget))
        self._show_history(session.decisions)
        you = self.controller.identity
        self.who.setText(f"You are {you}. The release was prepared by {session.preparer or 'nobody yet'}.")
        why = self._why_not(session)
        self.why_not.setText(why)
        self.why_not.setVisible(bool(why))
        for button in (self.approve, self.changes, self.reject):
            self.allow(button, not why)

    def _why_not(self, session: ReviewSession) -> str:
        project = self.controller.project
        if project is not None and project.read_only:
            return f"The project is open read-only: {project.why_read_only}"
        if session.closed:
            return (
                f"The release is {session.state} and stays so. A change needs a new release (File, Duplicate release)."
            )
        if session.evidence is None or not session.evidence_fresh:
            return "There is no fresh audit to decide on: draw and audit first."
        if self.controller.identity == session.preparer:
            return "Whoever prepared a release cannot decide on it. Another reviewer decides (File, Who am I…)."
        return ""

    def _show_gates(self, found: tuple[Finding, ...]) -> None:
        if found != self.gates.findings():
            self.gates.set_findings(found)

    def _show_history(self, decisions: tuple[DecisionRecord, ...]) -> None:
        self.history.setVisible(bool(decisions))
        self.no_history.setVisible(not decisions)
        rows = [_history_row(record) for record in reversed(decisions)]
        titles = ("decision", "reviewer", "when (UTC)", "comment")
        columns = [Column(title, lambda row, i=i: rows[row][i]) for i, title in enumerate(titles)]  # type: ignore[misc]
        self.history.set_table(columns, len(rows))


def _history_row(record: DecisionRecord) -> tuple[str, str, str, str]:
    word = _WORDS[record.decision] + (" (out of date)" if record.stale else "")
    return word, record.reviewer, record.decided_at[:16].replace("T", " "), record.comment


def _text_box(name: str) -> QPlainTextEdit:
    box = QPlainTextEdit()
    box.setAccessibleName(name)
    box.setTabChangesFocus(True)
    box.setMaximumHeight(92)  # it scrolls; the buttons below must be in view
    return box

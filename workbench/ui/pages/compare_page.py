"""Compare: truth, current SDL and the private values side by side; and what the measures say."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.run import Run
from workbench.ui.later import Later
from workbench.ui.pages.page import Page, beside
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.evidence_stack import EvidenceStack
from workbench.ui.widgets.findings_view import FindingsList
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.tables.side_by_side import SideBySideView


class ComparePage(Page):
    def __init__(self, jobs: Jobs, editor: Editor, run: Run) -> None:
        super().__init__(jobs, editor)
        table_card = Card("Side by side", "Confidential: for the reviewer's eyes only. F3: next flagged row.",
                          grows=True)  # fmt: skip
        self.table = SideBySideView()
        self.nothing = wrapped("", "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.load_button = TextButton("Load the data", role="primary")
        self.load_button.clicked.connect(run.load)
        self.empty = QWidget()
        words = QVBoxLayout(self.empty)
        words.setContentsMargins(0, 0, 0, 0)
        words.addWidget(self.nothing)
        words.addWidget(self.load_button, 0, Qt.AlignmentFlag.AlignLeft)
        words.addStretch(1)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.table)
        table_card.add(self.stack, stretch=1)
        measures = Card("Measures", grows=True)
        self.findings, self.right = FindingsList(), EvidenceStack(jobs, editor, "compare")
        self.detail = self.right.detail
        self.detail.set_nothing("Nothing has been compared yet", "The measures appear once the release is drawn.")
        self.findings.selected.connect(Later(self, self.right.show_finding))
        measures.add(self.findings, stretch=1)
        measures.add(self.right.offers)
        below = beside(measures, self.right, sizes=(360, 600))
        self.tabs = QTabWidget()  # under each other neither the table nor a figure would be seen whole
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(table_card, "Side by side")
        self.tabs.addTab(below, "Usefulness")
        self.tabs.currentChanged.connect(self._tab_shown)
        self.fill(self.tabs)
        self._shown: object = None
        self._rows_later = Later(self, self.table.set_tables)

    def go_flagged(self, step: int) -> None:
        self.tabs.setCurrentIndex(0)
        self.table.next_flagged() if step > 0 else self.table.previous_flagged()

    def _tab_shown(self) -> None:
        """Laid out in this turn, painted in the next."""
        with self._paint_later():
            pass

    def warm(self) -> None:
        self.right.warm()
        for tab in (1, 0):
            self.tabs.setCurrentIndex(tab)
            super().warm()

    def refresh(self, session: ReviewSession) -> None:
        self.right.show_session(session)
        missing = session.evidence is not None and session.evidence_fresh and not session.data_fresh
        self.load_button.setVisible(missing)
        self.allow(self.load_button, missing)
        if session.evidence is self._shown and session.evidence is not None:
            return
        self._shown = session.evidence
        evidence = session.evidence
        self.findings.set_findings(evidence.of_stage("compare") if evidence else ())
        if evidence is None:
            self.nothing.setText("Nothing has been drawn yet. Go to Mechanism & budget and draw the release.")
        elif evidence.table is not None:
            self.nothing.setText("This product has no side-by-side table. See the measures under Usefulness.")
        else:
            self.nothing.setText(
                "True values are never stored in the project. Load the data to see the tables side by side; the "
                "measures under Usefulness were stored with the run."
            )
        has_rows = evidence is not None and bool(evidence.side_by_side)
        if evidence is not None and evidence.side_by_side:
            self._rows_later(evidence.side_by_side)
        self.stack.setCurrentWidget(self.table if has_rows else self.empty)

"""Audit: every finding with its figure, and what it does not prove."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from workbench.core.findings import Status
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.run import Run
from workbench.ui.later import Later
from workbench.ui.pages.page import Page, beside
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.evidence_stack import EvidenceStack
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.findings_view import FindingsList
from workbench.ui.widgets.flow import Flow
from workbench.ui.widgets.icons import FittingButton, TextButton

_GRAVEST = (Status.FAIL, Status.WARN, Status.PASS, Status.INFO)


class AuditPage(Page):
    def __init__(self, jobs: Jobs, editor: Editor, run: Run, file: ProjectFile) -> None:
        super().__init__(jobs, editor)
        self._run, self._file = run, file
        self.list_card = Card("Findings", grows=True)
        self.stale_note = wrapped("The plan has changed. These findings are out of date.", "stale")
        self.stale_note.hide()
        self.findings, self.right = FindingsList(), EvidenceStack(jobs, editor, "audit")
        self.detail = self.right.detail
        self.detail.set_nothing(
            "Nothing has been audited yet",
            "Drawing the release also audits it and compares it with current SDL. Each finding then says what "
            "was checked, with its numbers, and what it does not prove.",
        )
        self.findings.selected.connect(Later(self, self.right.show_finding))
        self.run_button = TextButton("Draw, audit and compare", role="primary")
        self.run_button.clicked.connect(run.ask_to_draw)
        self.list_card.add(self.stale_note)
        self.list_card.add(self.findings, stretch=1)
        self.list_card.add(self.right.offers)
        self.outside_button = FittingButton("Add tables…", "folder")
        self.outside_button.setToolTip("Tables published elsewhere, as CSV: what they reveal together with this one.")
        self.outside_button.clicked.connect(self._choose_outside)
        self.again_button = TextButton("Compare again")
        self.again_button.setToolTip("With every table that was approved in this project by now.")
        self.again_button.clicked.connect(lambda: self._run.compare_outside([]))
        buttons = QWidget()
        row = Flow(buttons)  # as many beside each other as there is room for
        for button in (self.run_button, self.outside_button, self.again_button):
            row.addWidget(button)
        self.list_card.add(buttons)
        self.fill(beside(self.list_card, self.right, sizes=(400, 560)))
        self._shown: object = None
        self._asked = False  # for a comparison with other tables: its answer is what to look at now
        run.compared.connect(self._compared)

    def _compared(self) -> None:
        self._asked = True

    def _choose_outside(self) -> None:
        dialog = FileDialog(self, "Choose tables published elsewhere", kinds="Published tables (*.csv);;All files (*)")
        dialog.setFileMode(FileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self._run.compare_outside([Path(name) for name in names]))
        dialog.open()

    def warm(self) -> None:
        self.right.warm()
        super().warm()

    def refresh(self, session: ReviewSession) -> None:
        ready = session.prepared_fresh and not session.mechanism_problems() and self.editor.editable
        self.allow(self.run_button, ready)
        self.run_button.setToolTip("" if ready else "Load the data and choose the table first.")
        self.name_draw_button(self.run_button, session)
        for button in (self.outside_button, self.again_button):
            self.allow(button, session.evidence_fresh and self._file.writable)
        self.stale_note.setVisible(session.evidence is not None and not session.evidence_fresh)
        self.right.show_session(session)
        if session.evidence is not self._shown:
            self._shown = session.evidence
            found = session.evidence.of_stage("audit") if session.evidence else ()
            self.findings.set_findings(found)
            if self._asked:
                told = [each for each in found if each.id.split(".")[0].startswith("differencing")]
                self._asked = False
                if told:
                    self.findings.select(min(told, key=lambda each: _GRAVEST.index(each.status)).id)

"""Report: the internal and the public report as they will be, and their export."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QHBoxLayout, QRadioButton

from workbench.core.findings import Audience
from workbench.core.states import Verdict
from workbench.report.preview import PageImage
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.publishing import Publishing
from workbench.ui.controller.questions import Question, Questions
from workbench.ui.pages.page import Page, beside
from workbench.ui.pages.paper import Paper
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.plain_tip import plain_tip

_FORMATS = (("html", "HTML page"), ("pdf", "PDF document"), ("json", "JSON (machine-readable)"))


class ReportPage(Page):
    def __init__(self, jobs: Jobs, editor: Editor, publishing: Publishing, questions: Questions) -> None:
        super().__init__(jobs, editor)
        self._publishing, self._questions = publishing, questions
        publishing.report_ready.connect(self._show_pages)
        publishing.written.connect(self._show_written)
        self._written = ("", Path())
        preview_card = Card("Preview", grows=True)
        self.paper = Paper()
        self.nothing = wrapped("", "muted")
        self.stale_note = wrapped("The plan has changed. This report describes the earlier draw.", "stale")
        self.stale_note.hide()
        preview_card.add(self.stale_note)
        preview_card.add(self.nothing)
        preview_card.add(self.paper, stretch=1)
        choices = Scrolling(CardColumn(self._audience_card(), self._export_card(), self._bundle_card()))
        self.fill(beside(choices, preview_card, sizes=(270, 690)))
        self._previewed: tuple[object, ...] = ()

    def _audience_card(self) -> Card:
        card = Card("For whom")
        self.internal = QRadioButton("Internal (all evidence)")
        self.public = QRadioButton("Public")
        self.internal.setChecked(True)
        self._group = QButtonGroup(self)
        for button in (self.internal, self.public):
            self._group.addButton(button)
            card.add(button)
        self._group.buttonToggled.connect(lambda _button, on: self._audience_changed() if on else None)
        self.public_note = wrapped("", "muted")
        card.add(self.public_note)
        return card

    def _export_card(self) -> Card:
        card = Card("Export")
        self.formats = {name: QCheckBox(words) for name, words in _FORMATS}
        for box in self.formats.values():
            box.setChecked(True)
            card.add(box)
        self.with_table = QCheckBox("Released files")
        self.files_note = wrapped("", "muted")
        card.add(self.with_table)
        card.add(self.files_note)
        for box in (*self.formats.values(), self.with_table):
            box.toggled.connect(lambda _on: self._format_toggled())
        self.export_button = TextButton("Export…", "save", role="primary", ink="on_accent")
        self.export_button.clicked.connect(self._choose_folder)
        self.written_note = wrapped("", "muted")
        self.folder_button = TextButton("Open folder", "folder")
        self.folder_button.clicked.connect(self._open_folder)
        row = QHBoxLayout()
        row.addWidget(self.export_button)
        row.addWidget(self.folder_button)
        row.addStretch(1)
        card.add_layout(row)
        card.add(self.written_note)
        for told in (self.written_note, self.folder_button):
            told.hide()
        return card

    def _show_written(self, words: str, folder: Path) -> None:
        """What was written and where; it stays until another release is in view."""
        self._written = (self.session.release_id if self.session is not None else "", folder)
        self.written_note.setText(words)
        self.folder_button.setToolTip(plain_tip(str(folder)))
        for told in (self.written_note, self.folder_button):
            told.show()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written[1])))

    def _bundle_card(self) -> Card:
        card = Card("Release bundle", "What leaves the agency: released files, public report, hashes.")
        self.bundle_button = TextButton("Write bundle…", "save")
        self.bundle_button.clicked.connect(self._choose_bundle)
        self.bundle_note = wrapped("", "muted")
        row = QHBoxLayout()
        row.addWidget(self.bundle_button)
        row.addStretch(1)
        card.add(self.bundle_note)
        card.add_layout(row)
        return card

    @property
    def audience(self) -> Audience:
        return Audience.PUBLIC if self.public.isChecked() else Audience.INTERNAL

    def _audience_changed(self) -> None:
        if self.session is not None:
            self.refresh(self.session)

    def _chosen(self) -> bool:
        return any(box.isChecked() for box in (*self.formats.values(), self.with_table))

    def _format_toggled(self) -> None:
        if self.session is not None:
            self.allow(self.export_button, self.session.evidence is not None and self._chosen())

    def _choose_folder(self) -> None:
        dialog = FileDialog(self, "Choose the folder to write into")
        dialog.setFileMode(FileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda name: self.export_to(Path(name)))
        dialog.open()

    def _choose_bundle(self) -> None:
        if self.session is None:
            return
        dialog = FileDialog(self, "Name the bundle", f"{self.session.release_id}-bundle.zip", kinds="ZIP (*.zip)")
        dialog.setAcceptMode(FileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        dialog.fileSelected.connect(lambda name: self._publishing.export_bundle(Path(name)))
        dialog.open()

    def export_to(self, folder: Path) -> None:
        """Write the chosen formats for the chosen audience into a folder."""
        if self.session is None:
            return
        stem = f"{self.session.release_id}-{self.audience.value}-report"
        chosen = [name for name, box in self.formats.items() if box.isChecked()]
        paths = {(self.audience, name): folder / f"{stem}.{name}" for name in chosen}
        offered = self.session.evidence.files if self.session.evidence and self.with_table.isChecked() else ()
        files = {name: folder / f"{self.session.release_id}-{name}" for name in offered}
        there = [path.name for path in (*paths.values(), *files.values()) if path.exists()]
        if not there:
            self._publishing.export(paths, files)
            return
        self._questions.asked.emit(
            Question(
                title="Export",
                words="Replace what is there?",
                more=f"{folder} already holds {', '.join(there)}.",
                yes="Replace",
                go_on=lambda: self._publishing.export(paths, files),
            )
        )

    def refresh(self, session: ReviewSession) -> None:
        for told in (self.written_note, self.folder_button):
            told.setVisible(self._written[0] == session.release_id)
        last = session.decisions[-1] if session.decisions else None
        approved = last is not None and last.decision is Verdict.APPROVE and not last.stale and session.evidence_fresh
        self.public.setEnabled(approved)
        self.with_table.setEnabled(approved)
        self.files_note.setText(", ".join(session.evidence.files) if session.evidence is not None else "")
        if not approved:
            self.internal.setChecked(True)
            self.with_table.setChecked(False)
        self.allow(self.bundle_button, approved)
        self.bundle_note.setText("" if approved else "Only an approved release can be published.")
        self.bundle_note.setVisible(not approved)
        self.public_note.setText("" if approved else "The public report and the table can be exported after approval.")
        self.stale_note.setVisible(session.evidence is not None and not session.evidence_fresh)
        self.allow(self.export_button, session.evidence is not None and self._chosen())
        wanted = (session.release_id, session.evidence, len(session.decisions), self.audience, session.plan.release)
        if session.evidence is not None and wanted != self._previewed:
            if (self._previewed[:1], self._previewed[3:4]) != (wanted[:1], wanted[3:4]):  # another report altogether
                self._show_pages(())
                self.nothing.setText("Preparing the report…")
            self._previewed = wanted
            self._publishing.preview_report(self.audience)

        if session.evidence is None:
            self._previewed = ()
            self._show_pages(())
            self.nothing.setText("There is nothing to report yet. Draw the release on Mechanism & budget first.")

    def _show_pages(self, pages: tuple[PageImage, ...]) -> None:
        self.paper.set_pages(pages)
        self.paper.setVisible(bool(pages))
        self.nothing.setVisible(not pages)

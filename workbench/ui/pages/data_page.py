"""Data: choose the file, confirm what each column means, see what the checks say and what the rows look like."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QWidget

from workbench.microdata.inspect import Inspection
from workbench.microdata.options import ReadOptions
from workbench.microdata.preview import Preview
from workbench.review.opening import resolved
from workbench.review.plan import with_roles
from workbench.review.session import ReviewSession
from workbench.ui.controller import Controller
from workbench.ui.later import Later
from workbench.ui.pages.page import Page, beside, folded
from workbench.ui.pages.preview_table import PreviewTable
from workbench.ui.pages.roles_table import RolesTable
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.findings_view import FindingsList
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.params_form import ParamsForm

_DATA_FILES = "Data (*.csv *.tsv *.txt *.gz *.parquet *.dta *.sav *.zsav *.sas7bdat *.xpt *.xlsx);;All files (*)"


class DataPage(Page):
    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self.setAcceptDrops(True)
        self._inspection: Inspection | None = None
        self._session_shown: ReviewSession | None = None
        self._shown_data: object = None
        self._shown_roles: tuple[object, object] = (None, None)
        controller.inspected.connect(self._inspected)
        self.preview = PreviewTable()
        self._preview_later = Later(self, self.preview.set_preview)
        left = beside(self._file_card(), self._roles_card(), sizes=(190, 500), vertical=True)
        right = beside(self._checks_card(), self._preview_card(), sizes=(360, 330), vertical=True)
        self.fill(beside(left, right, sizes=(570, 390)))

    # Cards
    def _file_card(self) -> Card:
        card = Card("Data file", "Drop a file here or choose one. CSV, Parquet, Stata, SAS, SPSS and Excel are read.")
        self.file_name = QLabel("No file yet")
        self.file_name.setProperty("role", "heading")
        self.file_name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.file_facts = wrapped("", "muted")
        self.choose_button = TextButton("Choose data file…", "folder")
        self.choose_button.clicked.connect(self._choose_file)
        self.dictionary_button = TextButton("Data dictionary…", "folder")
        self.dictionary_button.clicked.connect(self._choose_dictionary)
        row = QHBoxLayout()
        row.addWidget(self.choose_button)
        row.addWidget(self.dictionary_button)
        row.addStretch(1)
        self.options = ParamsForm(ReadOptions)
        self.options.changed.connect(self._options_changed)
        card.add(self.file_name)
        card.add(self.file_facts)
        card.add_layout(row)
        card.add(folded("How the file is read", self.options))
        return card

    def _roles_card(self) -> Card:
        card = Card("Columns and roles", "Suggested from names and content; a person confirms.", grows=True)
        self.roles = RolesTable()
        self.confirm_button = TextButton("Confirm roles and load", role="primary")
        self.confirm_button.setEnabled(False)
        self.confirm_button.clicked.connect(self._confirm)
        card.add(self.roles, stretch=1)
        row = QHBoxLayout()
        row.addWidget(self.confirm_button)
        row.addStretch(1)
        card.add_layout(row)
        return card

    def _checks_card(self) -> Card:
        card = Card("Checks", "What the data themselves show, in words.", grows=True)
        self.checks = FindingsList()
        card.add(self.checks, stretch=1)
        return card

    def _preview_card(self) -> Card:
        card = Card("Preview", "Confidential: for the reviewer's eyes only.", grows=True)
        card.add(self.preview, stretch=1)
        return card

    # What the person does
    def _choose_file(self) -> None:
        dialog = QFileDialog(self, "Choose the data file", "", _DATA_FILES)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.controller.inspect(Path(name)))
        dialog.open()

    def _choose_dictionary(self) -> None:
        dialog = QFileDialog(self, "Choose the data dictionary", "", "Data dictionary (*.csv);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._dictionary_chosen)
        dialog.open()

    def _dictionary_chosen(self, name: str) -> None:
        if self.session is not None:
            data = replace(self.session.plan.data, dictionary=name)
            self.controller.edit("choose the data dictionary", data=data)

    def _options_changed(self, options: ReadOptions) -> None:
        if self.session is not None:
            data = replace(self.session.plan.data, options=options)
            self.controller.edit(self.step_of(self.options), data=data)

    def _confirm(self) -> None:
        if self.session is not None:
            self.controller.edit("confirm the roles", data=with_roles(self.session.plan, self.roles.roles()).data)
            self.controller.load()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            self.controller.inspect(files[0])

    # What the session says
    def _inspected(self, inspection: Inspection) -> None:
        self._inspection = inspection
        confirmed = self.session.plan.data.roles if self.session is not None else {}
        self.roles.set_columns(inspection.columns, confirmed)
        self.confirm_button.setEnabled(True)
        if self.session is not None:
            self.refresh(self.session)

    def refresh(self, session: ReviewSession) -> None:
        if session is not self._session_shown:
            self._session_shown, self._inspection = session, None
        data = session.plan.data
        path = resolved(session.base, data.path) if data.path else None
        self.file_name.setText(path.name if path else "No file yet")
        self.file_name.setToolTip(str(path or ""))
        self.file_facts.setText(self._facts(session))
        self.options.set_value(data.options)
        self._show_roles(session)
        self.confirm_button.setText("Load again" if session.data_fresh else "Confirm roles and load")
        if session.loaded is not self._shown_data:
            self._shown_data = session.loaded
            self.checks.set_findings(session.loaded.findings if session.loaded else ())
            self._preview_later(Preview(session.loaded.microdata) if session.loaded else None)

    def forms(self) -> tuple[QWidget, ...]:
        return (self.choose_button, self.dictionary_button, self.options, self.roles)

    def _show_roles(self, session: ReviewSession) -> None:
        """The inspected file's columns as long as they are the plan's; otherwise what the plan and the data say."""
        roles = session.plan.data.roles
        inspected = {column.name for column in self._inspection.columns} if self._inspection else set()
        if roles and not set(roles) <= inspected:
            known = (roles, session.loaded)
            if known != self._shown_roles:
                self._shown_roles = known
                self.roles.set_confirmed(roles, session.loaded.microdata if session.loaded else None)
        self.confirm_button.setEnabled(self.roles.rowCount() > 0)

    def _facts(self, session: ReviewSession) -> str:
        parts = []
        if session.loaded is not None and session.data_fresh:
            parts.append(f"{session.loaded.microdata.rows:,} rows loaded")
        elif self._inspection is not None:
            parts.append(f"{self._inspection.rows:,} rows")
            parts += list(self._inspection.found)
        dictionary = session.plan.data.dictionary
        parts.append(f"dictionary {Path(dictionary).name}" if dictionary else "no data dictionary")
        return " · ".join(parts)

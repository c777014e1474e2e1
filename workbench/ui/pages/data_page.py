"""Data: choose the file, confirm what each column means, see what the checks say and what the rows look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from workbench.core.errors import placed
from workbench.review.plan.plan import DataPlan, with_roles
from workbench.review.run.data_view import (
    ColumnRow,
    Look,
    columns_of,
    own_columns,
    roles_offered,
    with_gaps,
    with_header,
)
from workbench.review.run.linked_view import brought_by, key_columns, recoded_rows
from workbench.review.run.paths import resolved
from workbench.review.session import ReviewSession
from workbench.ui import theme
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.linking import Linking
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.run import Run
from workbench.ui.controller.words import DictionaryWords
from workbench.ui.later import FILL, Later, PaintLater
from workbench.ui.pages.companion_buttons import CompanionButtons
from workbench.ui.pages.drop_zone import DropZone
from workbench.ui.pages.engine_form import EngineForm
from workbench.ui.pages.linked_files import LinkedFiles
from workbench.ui.pages.page import Page, beside, folded
from workbench.ui.pages.preview_table import PreviewTable
from workbench.ui.pages.reading_questions import ReadingQuestions
from workbench.ui.pages.roles_table import RolesTable
from workbench.ui.pages.row_rules import RowRulesForm
from workbench.ui.pages.stacked import Stacked
from workbench.ui.widgets.card import Card, Scrolling, wrapped
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.findings_view import FindingsList
from workbench.ui.widgets.flow import Flow
from workbench.ui.widgets.forms.params_form import ParamsForm
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.plain_tip import plain_tip

if TYPE_CHECKING:
    from workbench.core.findings import Finding
    from workbench.review.run.dictionary_view import Draft

_ENDINGS = "csv tsv txt gz zip parquet dta sav zsav sas7bdat xpt xlsx duckdb sqlite db"
_DATA_FILES = f"Data ({' '.join(f'*.{ending}' for ending in _ENDINGS.split())});;All files (*)"


_LOADED, _FIRST_LOOK = (570, 390), (690, 270)  # shares of the width: before loading the roles need more of it


_SUGGESTED = "Suggested from names and content. Please confirm them."
_CONFIRMED = "Confirmed. A change takes effect when the data are loaded again."
_ROWS_SHOWN = "Confidential: for the reviewer's eyes only."


def _preview_words(session: ReviewSession) -> str:
    """What the preview shows: rows, or counts where no row is fetched."""
    elsewhere = session.loaded.microdata.elsewhere if session.loaded is not None else None
    if elsewhere is None:
        return _ROWS_SHOWN
    return f"Counts of each column. The rows stay with {elsewhere.title}; none is fetched."


def _who_reads(session: ReviewSession) -> str:
    """Who read the data at hand, and why."""
    chosen = session.loaded.engine if session.loaded is not None and session.data_fresh else None
    return chosen.sentence if chosen is not None else ""


class DataPage(Page):
    def __init__(
        self, jobs: Jobs, editor: Editor, run: Run, file: ProjectFile, linking: Linking, words: DictionaryWords
    ) -> None:
        super().__init__(jobs, editor)
        self._words = words
        words.read.connect(self._edit_dictionary)
        self._run, self._file, self._linking = run, file, linking
        linking.known.connect(self._session_changed)
        self.setAcceptDrops(True)
        self._look: Look | None = None
        self._session_shown: ReviewSession | None = None
        self._shown_data: object = None
        self._shown_roles: tuple[object, object, object, object] = (None, None, None, None)
        self._choices_for: object = None  # what roles chosen by hand belong to, until they are confirmed
        self._brought: tuple[ColumnRow, ...] = ()
        self._asked_to_look = False
        self._opened_reading = False  # by the page, not by whoever reads it
        run.inspected.connect(self._inspected)
        editor.changed.connect(self._let_go)
        self.preview = PreviewTable()
        self._preview_later = Later(self, self.preview.set_preview, 3 * FILL)
        self._checks_later = Later(self, self._fill_checks, 2 * FILL)
        self._roles_later = Later(self, self._show_roles)
        self._look_again_later = Later(self, lambda _nothing: self._look_again(), FILL)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GAP)
        column.addWidget(self._file_card())
        column.addWidget(self._roles_card(), 1)
        sheet = QWidget()
        steps = QVBoxLayout(sheet)  # what follows from the roles stays in view, however many columns there are
        steps.setContentsMargins(0, 0, 0, 0)
        steps.setSpacing(theme.GAP)
        steps.addWidget(Scrolling(left), 1)
        steps.addWidget(self._confirm_bar())
        self.checks_card = self._checks_card()
        self.seen = Stacked(self.checks_card, self.checks, self._preview_card())
        self._paint_seen = PaintLater(self.seen, FILL)
        self.drop_zone = DropZone()
        self.drop_zone.choose.clicked.connect(self._choose_file)
        self.drop_zone.cluster.clicked.connect(self._open_engine)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.drop_zone)
        self._split = beside(sheet, self.seen, sizes=_LOADED)
        self.stack.addWidget(self._split)
        self.fill(self.stack)

    # Cards
    def _file_card(self) -> Card:
        card = self.file_card = Card("Data file")
        self.file_name = QLabel("No file yet")
        self.file_name.setTextFormat(Qt.TextFormat.PlainText)
        self.file_name.setProperty("role", "heading")
        self.file_name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.file_facts = wrapped("", "muted")
        self.choose_button = TextButton("Data file…", "folder")
        self.choose_button.clicked.connect(self._choose_file)
        self.dictionary_button = TextButton("Dictionary…", "folder")
        self.dictionary_button.setToolTip("Choose a CSV with labels and public values of the codes")
        self.edit_button = TextButton("Edit dictionary…")
        self.edit_button.setToolTip("Write labels and declare lists of values public; the data give a first list")
        self.edit_button.clicked.connect(self._words.ask)
        self.dictionary_button.clicked.connect(self._choose_dictionary)
        self.link_button = TextButton("Link a file…", "folder")
        self.link_button.setToolTip("Add the columns of a second file by a key: workers or workplaces to jobs")
        self.link_button.clicked.connect(self._choose_linked)
        buttons = QWidget()
        row = Flow(buttons)
        for button in (self.choose_button, self.dictionary_button, self.edit_button, self.link_button):
            row.addWidget(button)
        self.companions = CompanionButtons(self.editor)
        self.links = LinkedFiles()
        self.links.changed.connect(lambda label, data: self.editor.edit(label, data=data))
        self.options = ParamsForm(type(DataPlan().options))
        self.options.changed.connect(self._options_changed)
        card.add(self.file_name)
        card.add(self.file_facts)
        card.add(buttons)
        card.add(self.companions)
        card.add(self.links)
        self.questions = ReadingQuestions()
        self.questions.header_answered.connect(self._answer_header)
        self.questions.codes_taken.connect(self._take_codes)
        self.questions.table_chosen.connect(self._choose_table)
        card.add(self.questions)
        self.found = wrapped("", "small")
        reading = QWidget()
        beneath = QVBoxLayout(reading)
        beneath.setContentsMargins(0, 0, 0, 0)
        beneath.addWidget(self.found)
        beneath.addWidget(self.options)
        self.reading = folded("How the file is read", reading)
        card.add(self.reading)
        self.engine = EngineForm()
        self.engine.params.changed.connect(self._engine_changed)
        self.engine.look.connect(self._run.inspect_server)
        self.reader = folded("Who reads the rows", self.engine)
        card.add(self.reader)
        self.rules = RowRulesForm()
        self.rules.changed.connect(self._rules_changed)
        self.rules.form.unusable.connect(lambda problems: self.editor.hold("rows", placed("data", problems)))
        self.rules_fold = folded("Row rules and recoding", self.rules)
        card.add(self.rules_fold)
        return card

    def _answer_header(self, names: bool) -> None:
        if self.session is not None:
            self._options_changed(with_header(self.session.plan.data.options, names=names))

    def _choose_table(self, name: str) -> None:
        if self.session is not None:
            self._options_changed(replace(self.session.plan.data.options, sheet=name))

    def _roles_card(self) -> Card:
        card = self.roles_card = Card("Columns and roles", _SUGGESTED, grows=True)
        self.roles = RolesTable()
        self.roles.roles_changed.connect(self._role_chosen)
        self.confirm_button = TextButton("Confirm roles and load", role="primary")
        self.confirm_button.setEnabled(False)
        self.confirm_button.clicked.connect(self._confirm)
        card.add(self.roles, stretch=1)
        return card

    def _confirm_bar(self) -> QWidget:
        bar = QWidget()
        self._bar = QHBoxLayout(bar)
        self._bar.setContentsMargins(theme.PADDING, 0, theme.PADDING, 2)
        self._bar.addWidget(self.confirm_button)
        self._bar.addStretch(1)
        return bar

    def _checks_card(self) -> Card:
        card = Card("Checks", "What the data show.", grows=True)
        self.checks = FindingsList()
        card.add(self.checks, stretch=1)
        return card

    def _fill_checks(self, findings: Sequence[Finding]) -> None:
        self.checks.set_findings(findings)
        self.seen.fit()

    def _preview_card(self) -> Card:
        card = self.preview_card = Card("Preview", _ROWS_SHOWN, grows=True)
        card.add(self.preview, stretch=1)
        return card

    # What the person does
    def _folder(self) -> str:
        """Where a file is looked for first: beside the data, or beside the project while there are none."""
        if self.session is None:
            return ""
        path = self.session.plan.data.path
        return str(resolved(self.session.base, path).parent if path else self.session.base)

    def _choose_file(self) -> None:
        dialog = FileDialog(self, "Choose the data file", self._folder(), kinds=_DATA_FILES)
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self._run.inspect(Path(name)))
        dialog.open()

    def _choose_linked(self) -> None:
        dialog = FileDialog(self, "Choose a file to link", self._folder(), kinds=_DATA_FILES)
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.link)
        dialog.open()

    def link(self, name: str) -> None:
        """Join a file to the data; the key is proposed and can be changed."""
        if self.session is not None:
            _, known = key_columns(self._linking.files(self.session), self._own_columns())
            self._linking.link(Path(name), known)

    def _own_columns(self) -> tuple[str, ...]:
        """The columns of the data file itself."""
        if self._look is not None and self._look.columns:
            return tuple(column.name for column in self._look.columns)
        session = self.session
        if session is None:
            return ()
        return own_columns(session, {column.name for file in self._linking.files(session) for column in file.columns})

    def _rules_changed(self, data: DataPlan) -> None:
        self.editor.edit(self.step_of(self.rules.form), data=data)

    def _choose_dictionary(self) -> None:
        kinds = "Data dictionary (*.csv);;All files (*)"
        dialog = FileDialog(self, "Choose the data dictionary", self._folder(), kinds=kinds)
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._dictionary_chosen)
        dialog.open()

    def _edit_dictionary(self, draft: Draft) -> None:
        from workbench.ui.dictionary_dialog import DictionaryDialog

        if self.session is not None and self.isVisible():
            DictionaryDialog(self, self.session, draft, self._words.save).open()

    def _dictionary_chosen(self, name: str) -> None:
        if self.session is not None:
            data = replace(self.session.plan.data, dictionary=name)
            self.editor.edit("choose the data dictionary", data=data)

    def _options_changed(self, options: Any) -> None:
        if self.session is not None:
            data = replace(self.session.plan.data, options=options)
            self.editor.edit(self.step_of(self.options), data=data)
            self._look_again_later(None)

    def _open_engine(self) -> None:
        """Data on a cluster: no file is dropped, so the card opens where the server is named."""
        self.stack.setCurrentIndex(1)
        self.reader.set_open(True)

    def _engine_changed(self, engine: Any) -> None:
        if self.session is not None:
            self.editor.edit(self.step_of(self.engine.params), engine=engine)

    def _look_again(self) -> None:
        """Other options, other rows: what is shown before loading follows them."""
        session = self.session
        if session is not None and session.plan.here.path and not session.data_fresh:
            self._run.inspect(resolved(session.base, session.plan.data.path))

    def _take_codes(self) -> None:
        if self.session is not None and self._look is not None:
            options = self.session.plan.data.options
            self._options_changed(replace(options, missing=(*options.missing, *self._look.missing_codes)))

    def _confirm(self) -> None:
        if self.session is not None:
            if not self._as_planned(self.session):
                plan = with_roles(self.session.plan, self.roles.roles())
                self.editor.edit("confirm the roles", data=with_gaps(plan, self.roles.gaps()))
            self._run.load()

    def _as_planned(self, session: ReviewSession) -> bool:
        """Whether the table shows what the plan says."""
        data, roles, gaps = session.plan.data, self.roles.roles(), self.roles.gaps()
        return roles == data.roles and with_gaps(session.plan, gaps).shaping == data.shaping

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and self.editor.editable and not self.jobs.occupied:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if files and files[0].suffix.lower() == ".dwb":  # a project, not data: what else could be meant
            self._file.open(files[0])
        elif files and self.editor.editable:
            self._run.inspect(files[0])

    # What the session says
    def _inspected(self, look: Look) -> None:
        self._look = look
        if look.problems and not self.reading.is_open:
            self.reading.set_open(True)  # what is wrong can be put right there
            self._opened_reading = True
        elif self._opened_reading and not look.problems:
            self._opened_reading = False
            if not self._typing_options():
                self.reading.set_open(False)  # what comes next, the roles, is in view again
        if self.session is not None:
            self.refresh(self.session)

    def _typing_options(self) -> bool:
        return self.options.isAncestorOf(self.window().focusWidget())

    def _let_go(self) -> None:
        """Rows that nobody reviews any more are not kept for a page that nobody looks at."""
        if self._shown_data is not None and (self.session is None or self.session.loaded is None):
            self._shown_data, self._shown_roles = None, (None, None, None, None)
            self._preview_later(None)

    def refresh(self, session: ReviewSession) -> None:
        if session is not self._session_shown:
            self._session_shown, self._look, self._asked_to_look = session, None, False
        data = session.plan.data
        path = resolved(session.base, data.path) if data.path else None
        on_server = session.plan.engine.on_server
        self.stack.setCurrentIndex(1 if path or on_server or self.reader.is_open else 0)
        self.engine.show_plan(session.plan, words=_who_reads(session))
        first = self._look.first if self._look is not None else None
        checked = session.loaded is not None or bool(self._findings(session))
        if self.seen.isHidden() == (checked or first is not None):
            with self._paint_seen():
                self.seen.setVisible(checked or first is not None)
        if self.checks_card.isHidden() == checked:
            self.checks_card.setVisible(checked)
            self._split.setSizes(list(_LOADED if checked else _FIRST_LOOK))
        may = self.editor.editable
        self.questions.show_look(self._look, may=may)
        self.file_card.set_subtitle(
            "Another file can be dropped anywhere on this page." if may else "The file as reviewed."
        )
        self.file_name.setText(path.name if path else "No file yet")
        self.file_name.setToolTip(plain_tip(str(path or "")))
        self.file_facts.setText(self._facts(session))
        if self._look is not None:
            self.found.setText(_sentence(self._look.found))
        self.options.set_value(data.options)
        self.companions.show_session(session)
        self._show_shaping(session)
        self._roles_later(session)
        if path and not on_server and not data.roles and self._look is None and not self._asked_to_look:
            self._asked_to_look = True  # once: a file that is gone is told of once
            self._run.inspect(path)
        self.preview_card.setVisible(session.loaded is not None or first is not None)
        shown: object = session.loaded or first or self._findings(session) or None
        if shown is not self._shown_data:
            self._shown_data = shown
            self._checks_later(self._findings(session))
            self._preview_later(session.loaded.preview() if session.loaded else first)
            self.preview_card.set_subtitle(_preview_words(session))

    def _findings(self, session: ReviewSession) -> tuple[Finding, ...]:
        """What the checks say of the rows at hand, or of those that the stored draw was made from."""
        if session.loaded is not None:
            return session.loaded.findings
        return session.evidence.of_stage("data") if session.evidence is not None and session.evidence_fresh else ()

    def _show_shaping(self, session: ReviewSession) -> None:
        """Linked files with what their keys match, and the rules for rows; the columns they bring get roles too."""
        data, own = session.plan.data, self._own_columns()
        files = self._linking.files(session)
        self.links.show_links(files, own, data)
        self.links.show_results(self._linking.matches)
        self._forget_other_choices(session)
        brought = self._describe_brought(session)
        self.rules.show_data(data, (*own, *(column.name for column in brought)))

    def _describe_brought(self, session: ReviewSession) -> tuple[ColumnRow, ...]:
        """The columns that linked files and recodings bring; the first ones by what the key describes."""
        data, looked = session.plan.data, self._look.columns if self._look is not None else ()
        roles = {column.name: column.role for column in looked} | dict(data.roles) | dict(self.roles.by_hand)
        brought = brought_by(self._linking.files(session), data, self._own_columns(), roles)
        self._brought = (*brought, *recoded_rows(data, (*looked, *brought)))
        return brought

    def _role_chosen(self) -> None:
        """The role of a key also tells what the columns of its linked file describe."""
        if self.session is not None:
            self._describe_brought(self.session)
            self._show_roles(self.session)

    @property
    def settled(self) -> bool:
        filling = (self._roles_later, self._checks_later, self._preview_later)
        return super().settled and not self._paint_seen.pending and not any(later.pending for later in filling)

    def forms(self) -> tuple[QWidget, ...]:
        return (
            self.drop_zone.choose,
            self.choose_button,
            self.dictionary_button,
            self.edit_button,
            self.companions,
            self.link_button,
            self.links,
            self.rules,
            self.options,
            self.engine,
            self.roles,
        )

    def _forget_other_choices(self, session: ReviewSession) -> None:
        choices = (session.release_id, session.plan.data.path, session.plan.data.roles)
        if choices != self._choices_for:
            self._choices_for = choices
            self.roles.forget_choices()

    def _show_roles(self, session: ReviewSession) -> None:
        roles = session.plan.data.roles
        words = _CONFIRMED if roles else _SUGGESTED
        self.roles_card.set_subtitle(words if self.editor.editable else "The roles as reviewed.")
        shown, data, inspected, brought = self._shown_roles
        if shown != roles or data is not session.loaded or inspected is not self._look or brought != self._brought:
            self._shown_roles = (roles, session.loaded, self._look, self._brought)
            columns = columns_of(session, self._look, self._brought)
            self.roles.set_columns(columns, roles_offered(session), confirmed=bool(roles))
        self._show_confirm()

    def _show_confirm(self) -> None:
        """The button says what pressing it would do: confirm what is chosen now, or load the same again."""
        session = self.session
        if session is not None:
            same = self._as_planned(session)
            again = "Load again" if session.data_fresh else "Load the data"
            theme.set_role(self.confirm_button, "" if same and session.data_fresh else "primary")
            self.confirm_button.setText(again if same else "Confirm roles and load")
            self._bar.activate()  # its place follows its words at once: asked for later, it kept the old width
            self.allow(self.confirm_button, self.roles.rowCount() > 0 and not self._read_only())

    def _read_only(self) -> bool:
        """Data may be loaded to look at an approved release, but roles are confirmed only where they may change."""
        session = self.session
        return session is not None and not self.editor.editable and not self._as_planned(session)

    def _facts(self, session: ReviewSession) -> str:
        parts = []
        if session.loaded is not None and session.data_fresh:
            here = session.loaded.microdata.elsewhere is None
            parts.append(f"{session.loaded.microdata.rows:,} rows {'loaded' if here else 'read in place'}")
        elif self._look is not None and not self._look.problems:
            parts.append(f"{self._look.rows:,} rows")
        dictionary = session.plan.data.dictionary
        parts.append(f"dictionary {Path(dictionary).name}" if dictionary else "no data dictionary")
        return " · ".join(parts)


def _sentence(found: Sequence[str]) -> str:
    """Statements in one sentence; names in them, such as UTF-8, stay as they are written."""
    text = ", ".join(found)
    return text[:1].upper() + text[1:]

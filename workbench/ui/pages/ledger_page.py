"""Ledger: what approved releases have spent on each data set, its course in time, what remains, and what if."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from workbench.core.local_time import local_minute
from workbench.core.quantities import exact
from workbench.review.budget.ledger_book import Book, entry_name, rule_words
from workbench.review.budget.ledger_words import balance_pairs, course_words, granted_words, lasted, witness_words
from workbench.ui import theme
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.voices import Voices
from workbench.ui.dialogs import SeparateData
from workbench.ui.later import Later
from workbench.ui.pages.page import beside
from workbench.ui.pages.project_page import ProjectPage
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.figures.view import FigureView
from workbench.ui.widgets.file_dialog import FileDialog
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.pairs import Pairs
from workbench.ui.widgets.tables.table_views import Column, TableView

_DRAWN_FROM = timedelta(days=1)


class LedgerPage(ProjectPage):
    def __init__(self, file: ProjectFile, editor: Editor, voices: Voices) -> None:
        super().__init__(file, editor, "Ledger")
        self.voices = voices
        self.books: tuple[Book, ...] = ()
        self.chooser = QComboBox()
        self.chooser.setAccessibleName("Data set")
        self.chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.chooser.activated.connect(lambda _index: self._show_book())
        self.export = TextButton("Export as CSV…", "save")
        self.export.clicked.connect(self._choose_file)
        self.separate = TextButton("Separate data sets…")
        self.separate.clicked.connect(self._separate)
        self.nothing = wrapped("No data set has been used yet: the ledger begins with the first draw.", "muted")
        self.figure = FigureView(headed=False)
        self._draw_later = Later(self, self._draw)
        self.what_if = wrapped()
        self.totals = QVBoxLayout()
        self.remark, self.granted = wrapped("", "small"), wrapped("", "small")
        self.entries = TableView()
        self.entries.setAccessibleName("Entries of the ledger")
        self.entries.selectionModel().currentRowChanged.connect(lambda now, _before: self._show_entry(now.row()))
        self.entries.activated.connect(self._open)
        self.sentence = wrapped("", "muted")
        self.head.insertWidget(1, self.chooser)
        self.head.insertWidget(2, self.separate)
        self.head.insertWidget(3, self.export)
        self._lay_out()

    def _lay_out(self) -> None:
        self.course = Card("Spending over time", grows=True)
        self.course.add(self.figure, stretch=1)
        self.totals_card = Card("Totals and what remains")
        self.totals_card.add_layout(self.totals)
        self.no_course = wrapped("", "muted")
        self.totals_card.add(self.remark)
        self.totals_card.add(self.no_course)
        self.what_if_card = Card("The release in view", role="card-next")
        self.what_if_card.add(self.what_if)
        self.exceptions_card = Card("Exceptions", role="caution")
        self.exceptions_card.add(self.granted)
        column = CardColumn(self.what_if_card, self.totals_card, self.exceptions_card)
        entries = Card("Entries", "Entries are permanent. Press Enter to open the release.", grows=True)
        entries.add(self.entries, stretch=1)
        entries.add(self.sentence)
        upper = beside(self.course, Scrolling(column, "Totals"), sizes=(620, 400))
        self.whole = QWidget()
        inside = QVBoxLayout(self.whole)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(theme.GAP)
        inside.addWidget(beside(upper, entries, sizes=(360, 270), vertical=True))
        self.body.addWidget(self.nothing)
        self.body.addWidget(self.whole, 1)
        self.body.addStretch(0)

    # What the project says
    def read(self) -> None:
        session = self.editor.session
        self.file.read_ledger(session.release_id if session is not None else "", self._show)

    @property
    def book(self) -> Book | None:
        at = self.chooser.currentIndex()
        return self.books[at] if 0 <= at < len(self.books) else None

    def _show(self, books: tuple[Book, ...]) -> None:
        self.arrived()
        kept = self.book.about.id if self.book is not None else 0
        self.books = books
        self.chooser.clear()
        self.chooser.addItems([book.title for book in books])
        places = [at for at, book in enumerate(books) if book.about.id == kept]
        if places:
            self.chooser.setCurrentIndex(places[0])
        self.separate.setVisible(False)
        for widget in (self.chooser, self.export, self.whole):
            widget.setVisible(bool(books))
        self.nothing.setVisible(not books)
        self._show_book()

    def _show_book(self) -> None:
        book = self.book
        if book is None:
            return
        self._draw_later(book)
        self._show_totals(book)
        self.what_if_card.setVisible(book.outlook is not None)
        if book.outlook is not None:
            said = book.outlook.answer.sentence
            said = f"this{said[4:]}" if said.startswith("This ") else said
            self.what_if.setText(f"If {book.outlook.release_id} were approved: {said}")
            theme.set_role(self.what_if_card, "card-next" if book.outlook.answer.fits else "caution")
        self.exceptions_card.setVisible(bool(book.exceptions))
        self.granted.setText("\n".join(granted_words(each) for each in book.exceptions))
        rows = book.entries
        self.entries.set_table(
            (
                Column("date", lambda row: local_minute(rows[row].entered_at)),
                Column("release", lambda row: entry_name(rows[row])),
                Column("definition", lambda row: rows[row].definition.value),
                Column("ε", lambda row: exact(rows[row].epsilon), number=True),
                Column("δ", lambda row: exact(rows[row].delta), number=True),
                Column("rule applied", lambda row: rule_words(rows[row])),
                Column("calculation", lambda row: rows[row].workings or rows[row].sentence),
            ),
            len(rows),
        )
        self.export.setEnabled(bool(rows))
        self._show_entry(0)

    def _draw(self, book: Book) -> None:
        """A course in time needs time: what was spent within a day is said in words, not drawn over seconds."""
        drawn = book.figure is not None and lasted(book.entries) >= _DRAWN_FROM
        self.course.setVisible(drawn)
        self.no_course.setVisible(not drawn)
        self.no_course.setText(course_words(book.entries))
        if drawn and book.figure is not None:
            self.figure.set_figure(book.figure)

    def _show_totals(self, book: Book) -> None:
        while (item := self.totals.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for balance in book.balances:
            heading = wrapped(balance.total.definition.value, "label")
            pairs = Pairs()
            pairs.set_pairs(balance_pairs(balance))
            self.totals.addWidget(heading)
            self.totals.addWidget(pairs)
        if not book.balances:
            self.totals.addWidget(wrapped("Nothing has been spent on these data yet.", "muted"))
        self.remark.setText(book.remark())
        self.remark.setVisible(bool(book.remark()))
        self.separate.setVisible(bool(book.shared_ids) and self.file.writable)

    def _show_entry(self, row: int) -> None:
        book = self.book
        entry = book.entries[row] if book is not None and 0 <= row < len(book.entries) else None
        self.sentence.setText(
            " ".join(
                filter(
                    None,
                    (f"{entry_name(entry)}:", entry.workings, witness_words(entry), f"The claim: {entry.sentence}"),
                )
            )
            if entry is not None
            else "No release from these data has been approved yet."
        )

    # What the person does
    def _separate(self) -> None:
        book = self.book
        if book is not None and book.shared_ids:
            about, others = book.about.id, book.shared_ids
            SeparateData(
                self, book.shared_with, lambda at, why: self.voices.separate(about, others[at], why)
            ).open()  # fmt: skip

    def _open(self, index: QModelIndex) -> None:
        book = self.book
        if book is not None and 0 <= index.row() < len(book.entries):
            self.release_wanted.emit(book.entries[index.row()].release_id)

    def _choose_file(self) -> None:
        dialog = FileDialog(self, "Export the ledger", "ledger.csv", kinds="CSV (*.csv)")
        dialog.setAcceptMode(FileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.fileSelected.connect(lambda name: self.export_to(Path(name)))
        dialog.open()

    def export_to(self, path: Path) -> None:
        if self.book is not None:
            self.file.export_ledger(self.book, path)

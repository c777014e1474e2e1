"""What a file leaves open, asked where its first rows can be seen: which table, column names, missing-value codes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from workbench.review.run.data_view import Look
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.icons import TextButton


class ReadingQuestions(QWidget):
    """Each question has its own line and goes once it is answered."""

    header_answered = Signal(bool)  # whether the first row holds column names
    codes_taken = Signal()
    table_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.tables_row, self.header_row, self.codes_row = QWidget(), QWidget(), QWidget()
        self.tables = QComboBox()
        self.tables.setAccessibleName("Table with the data")
        self.tables.setPlaceholderText("choose a table")
        self.tables.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel scrolls the page and changes nothing
        self.tables.textActivated.connect(self.table_chosen)
        self.names_button, self.data_button = TextButton("Yes"), TextButton("No, it is data")
        self.names_button.clicked.connect(lambda: self.header_answered.emit(True))
        self.data_button.clicked.connect(lambda: self.header_answered.emit(False))
        self.codes_words, self.codes_button = wrapped("", "muted"), TextButton("Count as missing")
        self.codes_button.clicked.connect(self.codes_taken)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        asked = wrapped("Does the first row hold column names?")
        for row, parts in (
            (self.tables_row, (wrapped("Which table holds the data?"), self.tables)),
            (self.header_row, (asked, self.names_button, self.data_button)),
            (self.codes_row, (self.codes_words, self.codes_button)),
        ):
            line = QHBoxLayout(row)
            line.setContentsMargins(0, 0, 0, 0)
            for place, part in enumerate(parts):
                line.addWidget(part, 0 if place else 1)
            whole.addWidget(row)
        self.show_look(None, may=False)

    def show_look(self, look: Look | None, *, may: bool) -> None:
        problems = look.problems if look is not None else ()
        places = [problem.place.field for problem in problems if problem.place is not None]
        codes = look.missing_codes if look is not None else ()
        tables = look.tables if look is not None else ()
        if tables != tuple(self.tables.itemText(place) for place in range(self.tables.count())):
            self.tables.clear()
            self.tables.addItems(tables)
            self.tables.setCurrentIndex(-1)
        self.tables_row.setVisible(bool(tables) and may)
        self.header_row.setVisible("header" in places and may)
        self.codes_row.setVisible(bool(codes) and may)
        self.setVisible(may and ("header" in places or bool(codes) or bool(tables)))
        if codes:
            listed = ", ".join(f"“{code}”" for code in codes)
            self.codes_words.setText(f"Some cells hold {listed}. Do they stand for missing values?")

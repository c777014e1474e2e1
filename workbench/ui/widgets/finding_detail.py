"""FindingDetail: one finding in full: sentence, figures, numbers, tables, and what it does not prove.

detail.set_finding(finding)          None clears it
detail.set_compact(True)             no figures, for narrow places
"""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from workbench.core.findings import Audience, Finding, Value
from workbench.core.quantities import show
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.icons import IconLabel
from workbench.ui.widgets.pairs import Pairs
from workbench.ui.widgets.table_views import small_table
from workbench.ui.widgets.words import LABEL_ROLE, STATUS


def value_text(value: Value) -> str:
    """A machine-readable value as a person reads it."""
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float | Decimal):
        return show(value)
    return str(value)


def value_name(key: str) -> str:
    """'max_log_ratio' as 'max log ratio'."""
    return key.replace("_", " ")


class Caution(QFrame):
    """The box that says what a reader must not conclude."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.setProperty("role", "caution")
        text = QVBoxLayout()
        text.setSpacing(2)
        text.addWidget(wrapped("What this does not prove", "label"))
        text.addWidget(wrapped(words))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 11, 14, 12)
        row.setSpacing(10)
        row.addWidget(IconLabel("info", "warn"), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(text, 1)


class FindingDetail(QWidget):
    """Cards under each other in a scroll area."""

    def __init__(self) -> None:
        super().__init__()
        self._finding: Finding | None = None
        self._compact = False
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._shown: QWidget | None = None
        self.set_finding(None)

    def finding(self) -> Finding | None:
        return self._finding

    def set_compact(self, compact: bool) -> None:
        self._compact = compact
        self.set_finding(self._finding)

    def set_finding(self, finding: Finding | None) -> None:
        self._finding = finding
        column = CardColumn()
        if finding is None:
            column.add(Card("No finding chosen", "Choose one at the left to read its evidence."))
        else:
            column.add(self._head(finding))
            if finding.figures and not self._compact:
                column.add(self._figures(finding))
            if finding.does_not_prove:
                column.add(Caution(finding.does_not_prove))
            self._add_numbers(column, finding)
        fresh = Scrolling(column)
        if self._shown is not None:
            self._layout.removeWidget(self._shown)
            self._shown.hide()
            self._shown.deleteLater()
        self._shown = fresh
        self._layout.addWidget(fresh)

    def _head(self, finding: Finding) -> Card:
        look = STATUS[finding.status]
        card = Card(finding.title)
        row = QHBoxLayout()
        row.setSpacing(8)
        word = wrapped(look.word, LABEL_ROLE[look.role])
        word.setWordWrap(False)
        row.addWidget(IconLabel(look.icon, look.role))
        row.addWidget(word)
        row.addStretch(1)
        internal = finding.audience is Audience.INTERNAL
        row.addWidget(IconLabel("lock" if internal else "circle", "muted", size=14))
        audience = wrapped("internal: may hold confidential evidence" if internal else "may be published", "small")
        audience.setWordWrap(False)
        row.addWidget(audience)
        card.add_layout(row)
        card.add(wrapped(finding.sentence))
        return card

    def _figures(self, finding: Finding) -> QWidget:
        from workbench.ui.widgets.figure_grid import FigureGrid

        grid = FigureGrid()
        grid.set_figures(finding.figures)
        return grid

    def _add_numbers(self, column: CardColumn, finding: Finding) -> None:
        for table in finding.tables:
            card = Card(table.title, table.note)
            card.add(small_table(table))
            column.add(card)
        if finding.values:
            card, pairs = Card("Numbers"), Pairs()
            pairs.set_pairs(tuple((value_name(key), value_text(value)) for key, value in finding.values.items()))
            card.add(pairs)
            column.add(card)

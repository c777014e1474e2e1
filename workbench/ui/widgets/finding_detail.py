"""FindingDetail: one finding in full: sentence, figures, numbers, tables, and what it does not prove.

detail.set_finding(finding)          None clears it
detail.set_compact(True)             no figures, for narrow places
FindingDetail(headed=False)          without title and sentence, where they stand elsewhere
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from workbench.core.figures import Figure
from workbench.core.findings import Audience, Finding
from workbench.core.value_words import readable
from workbench.review.plan.settings import Setting
from workbench.ui.later import PaintLater
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.icons import IconLabel
from workbench.ui.widgets.pairs import Pairs
from workbench.ui.widgets.tables.table_views import small_table
from workbench.ui.widgets.words import LABEL_ROLE, STATUS

if TYPE_CHECKING:
    from workbench.ui.widgets.figures.grid import FigureGrid


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
    """Cards under each other in a scroll area. Plots are kept from one finding to the next: making them is slow.

    A figure's line that stands for a setting of the mechanism (`Mark.moves`) gets a handle at the setting as it is now.
    """

    setting_moved = Signal(str, float)
    chosen = Signal(str, str)  # a setting of the exploration, and what somebody picked or drew in a figure

    def __init__(self, *, headed: bool = True, above: QWidget | None = None) -> None:
        """`above` stays at the top of the cards and scrolls with them: a small window can show a whole figure."""
        super().__init__()
        self._headed, self._above = headed, above
        self._finding: Finding | None = None
        self._compact = False
        self._nothing = ("No finding chosen", "Choose one at the left to read its evidence.")
        self._grid: FigureGrid | None = None
        self._settings: dict[str, Setting] = {}
        self._column = CardColumn(*([above] if above is not None else []))
        self._parts: list[QWidget] = []
        self._scroll = Scrolling(self._column, "Evidence of the finding")
        self._paint_later = PaintLater(self)
        self._waiting: list[Callable[[], None]] = []
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(16)  # so long that what was shown before has been painted
        self._turn.timeout.connect(self._next_step)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._scroll)
        self.set_finding(None)

    def finding(self) -> Finding | None:
        return self._finding

    def set_compact(self, compact: bool) -> None:
        self._compact = compact
        self.set_finding(self._finding)

    def set_finding(self, finding: Finding | None) -> None:
        """Show a finding at once."""
        for step in self._steps(finding):
            step()
        self._waiting = []

    def show_gradually(self, finding: Finding | None) -> None:
        """Show its words now, figures and numbers in the next turns of the event loop: together they would stall it."""
        first, *rest = self._steps(finding)
        with self._paint_later():
            first()
        self._waiting = rest
        self._turn.start()

    def _next_step(self) -> None:
        if self._waiting:
            with self._paint_later():
                self._waiting.pop(0)()
        if self._waiting:
            self._turn.start()

    def _steps(self, finding: Finding | None) -> list[Callable[[], None]]:
        if finding is None:
            return [lambda: self._show_nothing()]
        figures = () if self._compact else finding.figures
        steps: list[Callable[[], None]] = [lambda: self._show_words(finding)]
        if figures:
            steps.extend(self._figure_steps(figures))
        steps.append(lambda: self._add_numbers(finding))
        return steps

    def _show_nothing(self) -> None:
        self._finding = None
        self._clear()
        self._show_figures(())
        self._add(Card(*self._nothing))

    def set_nothing(self, title: str, words: str) -> None:
        """What is said while there is no finding to show: why, and what to do."""
        self._nothing = (title, words)
        if self._finding is None:
            self.set_finding(None)

    def _show_words(self, finding: Finding) -> None:
        self._finding = finding
        self._clear()
        if self._headed:
            self._add(self._head(finding), at=0)
        if self._compact or not finding.figures:
            self._show_figures(())
        if finding.does_not_prove:
            self._add(Caution(finding.does_not_prove))
        if self._above is None:
            self._scroll.verticalScrollBar().setValue(0)

    def show_figure(self) -> None:
        """Scroll until the first figure is seen to its lower end, or to its upper one where it is too high for that."""
        if self._grid is not None and self._grid.isVisible():
            bar, top = self._scroll.verticalScrollBar(), self._grid.pos().y()
            below = top + self._grid.views()[0].height() - self._scroll.viewport().height()
            bar.setValue(max(0, min(top, below)))

    def _clear(self) -> None:
        for old in self._parts:
            self._column.remove(old)
            old.hide()
            old.deleteLater()
        self._parts = []

    def warm(self) -> None:
        """Make the first plot while nobody waits for it."""
        if self._grid is None:
            self._make_grid().warm()

    def _make_grid(self) -> FigureGrid:
        from workbench.ui.widgets.figures.grid import FigureGrid

        self._grid = FigureGrid()
        self._grid.set_settings(self._settings)
        self._grid.setting_moved.connect(self.setting_moved)
        self._grid.chosen.connect(self.chosen)
        self._grid.hide()
        self._column.add(self._grid, at=int(self._headed) + int(self._above is not None))  # right below the words
        return self._grid

    def _add(self, part: QWidget, *, at: int | None = None) -> None:
        self._parts.append(part)
        self._column.add(part, at=at)

    def _show_figures(self, figures: tuple[Figure, ...]) -> None:
        if self._grid is None and figures:
            self._make_grid()
        if self._grid is not None:
            self._grid.setVisible(bool(figures))
            if figures:
                self._grid.set_figures(figures)

    def set_settings(self, settings: Mapping[str, Setting]) -> None:
        """Where the mechanism's settings stand: handles in the figures follow."""
        if settings != self._settings:
            self._settings = dict(settings)
            if self._grid is not None:
                self._grid.set_settings(self._settings)

    def _figure_steps(self, figures: tuple[Figure, ...]) -> Iterator[Callable[[], None]]:
        """One plot a step: drawing one takes long enough."""
        for count in range(1, len(figures) + 1):
            yield lambda shown=figures[:count]: self._show_figures(shown)  # type: ignore[misc]

    def _head(self, finding: Finding) -> Card:
        look = STATUS[finding.status]
        card = Card(finding.title)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconLabel(look.icon, look.role))
        row.addWidget(wrapped(look.word, LABEL_ROLE[look.role]), 1)
        internal = finding.audience is Audience.INTERNAL
        row.addWidget(IconLabel("lock" if internal else "circle", "muted", size=14))
        audience = QLabel("internal" if internal else "public")
        audience.setProperty("role", "small")
        audience.setToolTip("May hold confidential evidence." if internal else "Holds nothing confidential.")
        row.addWidget(audience)
        card.add_layout(row)
        card.add(wrapped(finding.sentence))
        return card

    def _add_numbers(self, finding: Finding) -> None:
        for table in finding.tables:
            card = Card(table.title, table.note)
            card.add(small_table(table))
            self._add(card)
        numbers = readable(finding.values)
        if numbers:
            card, pairs = Card("Numbers"), Pairs()
            pairs.set_pairs(numbers)
            card.add(pairs)
            self._add(card)

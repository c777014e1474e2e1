"""TableView: a table that uses its width, copies its selection and stays quick at any length.

    view = TableView(); view.set_table(columns, rows)      columns as in table_model.Column
    view.fit()                                             widths from titles and the first rows; the rest is shared
    small_table(findings_table)                            a finding's Table as a widget of its natural height

The side-by-side view is in `side_by_side.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QSizePolicy, QTableView

from workbench.core.findings import Table
from workbench.ui.widgets.tables.table_model import ArrayTableModel, Column

__all__ = ["ArrayTableModel", "Column", "TableView", "small_table"]

_SAMPLED = 60
_ROW = 28
_NARROWEST = 84  # of words that are shortened; below that the table scrolls sideways
FLAG_ROOM = 22  # for the icon of a flagged row, in the first column
_WRAPPED = 100  # of words in several lines
_MOST_MEASURED = 120
_PADDING = 24
_ONE_LINE = 9  # letters of a heading
_MOST_COPIED = 200_000


class TableView(QTableView):
    """Rows of one height, columns that share the width, Ctrl+C as tab-separated text with titles."""

    _arrow = " ↓"  # room in a heading for the arrow of a sorted column

    def __init__(self, model: ArrayTableModel | None = None) -> None:
        super().__init__()
        self.table = model or ArrayTableModel()
        self.table.setParent(self)
        self.flag_room = FLAG_ROOM  # 0 where no row is flagged
        self._wanted: list[int] = []
        self._tight: list[int] = []  # with no room for an arrow in the heading
        self._headings: list[int] = []  # of the heading alone, with no arrow
        self.setModel(self.table)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows, heads = self.verticalHeader(), self.horizontalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(_ROW)
        rows.hide()
        heads.setHighlightSections(False)
        heads.setTextElideMode(Qt.TextElideMode.ElideRight)
        heads.setMinimumSectionSize(40)

    def set_table(self, columns: Sequence[Column], rows: int) -> None:
        self.table.set_table(columns, rows)
        self.fit()

    def fit(self) -> None:
        """Give every column what its title and a sample of its cells need, then share what is left."""
        head = QFontMetrics(self.horizontalHeader().font())
        cell = QFontMetrics(self.font())
        rows = self.sampled_rows()
        self._wanted, self._tight, self._headings = [], [], []
        for column in range(self.table.columnCount()):
            titles = f"{self.table.column(column).title}{self._arrow}".split("\n")
            widest = max(
                (cell.horizontalAdvance(str(self.table.index(row, column).data() or "")) for row in rows),
                default=0,
            )
            flag = self.flag_room if column == 0 and self._arrow else 0
            named = max(head.horizontalAdvance(title) for title in titles) * 11 // 10 + 18
            self._wanted.append(min(max(named, widest + 26 + flag), 340))
            bare = max(head.horizontalAdvance(title) for title in self.table.column(column).title.split("\n")) + 18
            self._headings.append(min(bare, 340))
            self._tight.append(min(max(bare, widest + 26 + flag), 340))
        self._share()

    def sampled_rows(self) -> range:
        """The rows whose cells are looked at to find the widths: some of all of them."""
        rows = self.table.rowCount()
        return range(0, rows, max(1, rows // _SAMPLED))

    def _share(self) -> None:
        if not self._wanted or len(self._wanted) != self.table.columnCount():
            return
        for column, width in enumerate(self._divided(self.viewport().width())):
            self.setColumnWidth(column, width)

    def _divided(self, room: int) -> list[int]:
        return divided(self._wanted, self._shrinkable(), room)

    def _shrinkable(self) -> list[bool]:
        """Words may be shortened, numbers never; a single column of words names the row and is kept whole."""
        words = [not self.table.column(column).number for column in range(self.table.columnCount())]
        return words if sum(words) > 1 else [False] * len(words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        super().keyPressEvent(event)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.selected_text())

    def selected_text(self) -> str:
        """The selected rows with their titles, tab-separated. Very long selections are cut to what a sheet can take."""
        columns = range(self.table.columnCount())
        lines = ["\t".join(self.table.column(column).title.replace("\n", " ") for column in columns)]
        for row in self._selected_rows():
            lines.append("\t".join(str(self.table.index(row, column).data() or "") for column in columns))
        return "\n".join(lines) + "\n"

    def _selected_rows(self) -> list[int]:
        rows: set[int] = set()
        for block in self.selectionModel().selection().toList():
            rows.update(range(block.top(), min(block.bottom(), block.top() + _MOST_COPIED) + 1))
        return sorted(rows)[:_MOST_COPIED]

    def go_to(self, row: int) -> None:
        """Select a shown row and bring it into view."""
        index: QModelIndex = self.table.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, flags)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)


def divided(wanted: Sequence[int], shrinkable: Sequence[bool], room: int, narrowest: Sequence[int] = ()) -> list[int]:
    """Column widths that fill the room: shared evenly where there is more, taken from columns of words where less."""
    spare = room - sum(wanted)
    if spare >= 0:
        each, rest = divmod(spare, len(wanted))
        return [width + each + (rest if column == len(wanted) - 1 else 0) for column, width in enumerate(wanted)]
    least = narrowest or [_NARROWEST] * len(wanted)
    give = [max(0, width - low) if can else 0 for width, can, low in zip(wanted, shrinkable, least, strict=True)]
    lack = min(-spare, sum(give))
    return [width - -(-part * lack // max(1, sum(give))) for width, part in zip(wanted, give, strict=True)]


class SmallTable(TableView):
    """A short table at its natural height, for inside a card. Words that do not fit go on in a second line."""

    _arrow = ""  # as the finding has it; neither sorted nor flagged

    def __init__(self, model: ArrayTableModel, most_rows: int) -> None:
        super().__init__(model)
        self._most = most_rows
        self._heights: list[int] = []
        self._least: list[int] = []
        self.setWordWrap(True)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.fit()

    def sizeHint(self) -> QSize:
        rows = min(self.table.rowCount(), self._most)
        high = sum(self._heights[:rows]) + _ROW * max(0, rows - len(self._heights))
        sideways = self.horizontalScrollBar().sizeHint().height() if sum(self._widths()) > self.width() else 0
        return QSize(sum(self._wanted), self.horizontalHeader().sizeHint().height() + high + 4 + sideways)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def _divided(self, room: int) -> list[int]:
        return divided(self._wanted, self._shrinkable(), room, self._least)

    def fit(self) -> None:
        self._least = self._longest_words()
        super().fit()

    def _longest_words(self) -> list[int]:
        """How narrow each column may become: a line ends between words, so the longest word must fit."""
        metrics = QFontMetrics(self.font())
        least = []
        for column in range(self.table.columnCount()):
            words = {word for row in self.sampled_rows() for word in str(self.table.index(row, column).data()).split()}
            widest = max((metrics.horizontalAdvance(word) for word in words), default=0)
            least.append(max(_WRAPPED, widest + _PADDING))
        return least

    def _shrinkable(self) -> list[bool]:
        """All words: what they lose in width they get in lines."""
        return [not self.table.column(column).number for column in range(self.table.columnCount())]

    def _widths(self) -> list[int]:
        return [self.columnWidth(column) for column in range(self.table.columnCount())]

    def _share(self) -> None:
        super()._share()
        self._measure()

    def _measure(self) -> None:
        """Rows as high as their longest words ask for; a table of many rows keeps to one line each."""
        metrics, rows = QFontMetrics(self.font()), self.table.rowCount()
        words = [column for column in range(self.table.columnCount()) if not self.table.column(column).number]
        heights = [_ROW] * rows
        for row in range(rows if rows <= _MOST_MEASURED else 0):
            for column in words:
                text, room = str(self.table.index(row, column).data() or ""), self.columnWidth(column) - _PADDING
                if metrics.horizontalAdvance(text) > room:
                    box = metrics.boundingRect(QRect(0, 0, room, 10_000), int(Qt.TextFlag.TextWordWrap), text)
                    heights[row] = max(heights[row], box.height() + 10)
        if heights != self._heights:
            self._heights = heights
            for row, height in enumerate(heights):
                self.setRowHeight(row, height)
            self.updateGeometry()


def small_table(table: Table, most_rows: int = 12) -> SmallTable:
    """A finding's table as a widget."""

    def numeric(column: int) -> bool:
        return all(not isinstance(row[column], str) for row in table.rows) and bool(table.rows)

    columns = [
        Column(in_two_lines(title), lambda row, at=number: table.rows[row][at], number=numeric(number))  # type: ignore[misc]
        for number, title in enumerate(table.columns)
    ]
    view = SmallTable(ArrayTableModel(columns, len(table.rows)), most_rows)
    view.setAccessibleName(table.title)
    return view


def in_two_lines(title: str) -> str:
    """A long heading broken where its two lines are most alike, so that it does not widen a column of numbers."""
    if len(title) <= _ONE_LINE or " " not in title:
        return title
    breaks = [at for at, letter in enumerate(title) if letter == " "]
    best = min(breaks, key=lambda at: max(at, len(title) - at - 1))
    return f"{title[:best]}\n{title[best + 1 :]}"

"""FindingsList and FindingDetail: what checks, comparisons and gates have to say.

    findings = FindingsList(); findings.set_findings(result)   "6 checks · 4 pass · 1 needs attention"; first one chosen
    findings.selected                                          Signal(object): the Finding that was chosen, or None
    findings.next_flagged() / previous_flagged()               to the next that fails or warns; also F3 and Shift+F3
    detail = FindingDetail(); findings.selected.connect(detail.set_finding)

`FindingDetail` (in `finding_detail.py`, offered here too) imports the plots only when a finding has some.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeySequence, QPainter, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from workbench.core.findings import Finding, Status
from workbench.ui import theme
from workbench.ui.widgets import icons
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.finding_detail import FindingDetail
from workbench.ui.widgets.icons import IconButton
from workbench.ui.widgets.release_list import paint_row
from workbench.ui.widgets.words import STATUS

__all__ = ["FindingDetail", "FindingsList", "FindingsModel", "rows_height", "summary"]

Index = QModelIndex | QPersistentModelIndex
_FLAGGED = (Status.FAIL, Status.WARN)
_LEFT, _RIGHT, _TOP = 38, 12, 10
_REMEMBERED = 500


def summary(findings: Sequence[Finding]) -> str:
    """How many, and how many of each status, in words."""
    if not findings:
        return "Nothing has been checked yet."
    words = {
        Status.FAIL: ("fails", "fail"), Status.WARN: ("needs attention", "need attention"),
        Status.PASS: ("passes", "pass"), Status.INFO: ("informational", "informational"),
    }  # fmt: skip
    parts = [f"{len(findings)} finding{'s' if len(findings) > 1 else ''}"]
    for status, (one, many) in words.items():
        count = sum(finding.status is status for finding in findings)
        if count:
            parts.append(f"{count} {one if count == 1 else many}")
    return " · ".join(parts)


class FindingsModel(QAbstractListModel):
    """Findings in the order given."""

    def __init__(self) -> None:
        super().__init__()
        self._findings: tuple[Finding, ...] = ()

    def set_findings(self, findings: Sequence[Finding]) -> None:
        self.beginResetModel()
        self._findings = tuple(findings)
        self.endResetModel()

    def findings(self) -> tuple[Finding, ...]:
        return self._findings

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._findings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        finding = self._findings[index.row()]
        if role == Qt.ItemDataRole.UserRole:
            return finding
        if role == Qt.ItemDataRole.DisplayRole:
            return finding.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{finding.title}, {STATUS[finding.status].word}. {finding.sentence}"
        return None


class FindingDelegate(QStyledItemDelegate):
    """Icon, title and status word; the sentence wraps beneath over at most three lines."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._known: dict[tuple[str, str, int, int], tuple[int, int]] = {}

    def _fonts(self) -> tuple[QFont, QFont]:
        title, line = QFont(self._view.font()), QFont(self._view.font())
        title.setPixelSize(theme.base_size())
        title.setWeight(QFont.Weight.DemiBold)
        line.setPixelSize(theme.base_size() - 1)
        return title, line

    def _heights(self, finding: Finding, width: int) -> tuple[int, int]:
        """Of title and sentence. Remembered: Qt asks again and again while it lays a list out, and wrapping is slow."""
        asked = (finding.title, finding.sentence, width, theme.base_size())
        if asked not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            self._known[asked] = self._measured(finding, width)
        return self._known[asked]

    def _measured(self, finding: Finding, width: int) -> tuple[int, int]:
        title, line = (QFontMetrics(font) for font in self._fonts())
        room = max(60, width - _LEFT - _RIGHT)
        flags = int(Qt.TextFlag.TextWordWrap)
        high = title.boundingRect(QRect(0, 0, room, 10_000), flags, finding.title).height()
        low = line.boundingRect(QRect(0, 0, room, 10_000), flags, finding.sentence).height()
        return high, min(low, 3 * line.lineSpacing())

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        finding: Finding = index.data(Qt.ItemDataRole.UserRole)
        width = self._view.viewport().width()
        high, low = self._heights(finding, width)
        return QSize(width, high + low + 2 * _TOP + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        finding: Finding = index.data(Qt.ItemDataRole.UserRole)
        rect, look = option.rect, STATUS[finding.status]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_row(painter, option, rect.adjusted(0, 1, 0, -1))
        high, low = self._heights(finding, rect.width())
        title_font, line_font = self._fonts()
        icon_at = QRectF(rect.left() + 13, rect.top() + _TOP + (QFontMetrics(title_font).height() - 16) / 2, 16, 16)
        icons.paint(painter, icon_at, look.icon, role=look.role)
        room = max(60, rect.width() - _LEFT - _RIGHT)
        painter.setFont(title_font)
        painter.setPen(QColor(theme.tokens().text))
        painter.drawText(
            QRect(rect.left() + _LEFT, rect.top() + _TOP, room, high), Qt.TextFlag.TextWordWrap, finding.title
        )
        painter.setFont(line_font)
        painter.setPen(QColor(theme.tokens().muted))
        below = QRect(rect.left() + _LEFT, rect.top() + _TOP + high + 3, room, low)
        painter.drawText(below, Qt.TextFlag.TextWordWrap, self._shortened(finding.sentence, line_font, room))
        painter.restore()

    def _shortened(self, sentence: str, font: QFont, room: int) -> str:
        """The sentence, cut at a word with an ellipsis where it needs more than three lines."""
        metrics = QFontMetrics(font)
        most = 3 * metrics.lineSpacing()
        words = sentence.split()
        flags = int(Qt.TextFlag.TextWordWrap)
        if metrics.boundingRect(QRect(0, 0, room, 10_000), flags, sentence).height() <= most:
            return sentence
        fits, misses = 0, len(words)
        while misses - fits > 1:
            middle = (fits + misses) // 2
            text = " ".join(words[:middle]) + " …"
            if metrics.boundingRect(QRect(0, 0, room, 10_000), flags, text).height() <= most:
                fits = middle
            else:
                misses = middle
        return " ".join(words[:fits]) + " …"


def rows_height(view: QListView) -> int:
    """All rows of a list together."""
    return sum(view.sizeHintForRow(row) for row in range(view.model().rowCount())) + 2


class _List(QListView):
    """Rows get new heights with every new width."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()


class FindingsList(QWidget):
    """Summary line with previous and next, and the list."""

    selected = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._model, self._view = FindingsModel(), _List()
        self._model.setParent(self)
        self._summary = wrapped("", "muted")
        self._previous = IconButton("chevron-up", "Previous that needs attention (Shift+F3)")
        self._next = IconButton("chevron-down", "Next that needs attention (F3)")
        self._view.setModel(self._model)
        self._view.setItemDelegate(FindingDelegate(self._view))
        self._view.setAccessibleName("Findings")
        self._view.setMouseTracking(True)
        self._view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._view.selectionModel().currentChanged.connect(self._on_current)
        self._previous.clicked.connect(self.previous_flagged)
        self._next.clicked.connect(self.next_flagged)
        for keys, go in (("F3", self.next_flagged), ("Shift+F3", self.previous_flagged)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(go)
        top = QHBoxLayout()
        top.setSpacing(2)
        top.addWidget(self._summary, 1)
        top.addWidget(self._previous)
        top.addWidget(self._next)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(6)
        whole.addLayout(top)
        whole.addWidget(self._view, 1)
        self.setMinimumWidth(190)
        self.set_findings(())

    def set_findings(self, findings: Sequence[Finding]) -> None:
        """Show these. The chosen one stays chosen by its id; otherwise the gravest is chosen."""
        kept = self.current()
        self._model.set_findings(findings)
        self._summary.setText(summary(findings))
        flagged = any(finding.status in _FLAGGED for finding in findings)
        self._previous.setEnabled(flagged)
        self._next.setEnabled(flagged)
        if findings:
            self.select(kept.id if kept and any(f.id == kept.id for f in findings) else _first(findings).id)
        else:
            self.selected.emit(None)  # whoever shows the chosen one must not go on showing what is gone

    def findings(self) -> tuple[Finding, ...]:
        return self._model.findings()

    def lacks(self) -> int:
        """By how many pixels the rows are higher than what is seen of them; below zero where they leave room."""
        return rows_height(self._view) - self._view.viewport().height()

    def current(self) -> Finding | None:
        found = self._view.currentIndex().data(Qt.ItemDataRole.UserRole)
        return found if isinstance(found, Finding) else None

    def select(self, finding: str) -> None:
        """Choose a finding by its id."""
        for row, item in enumerate(self._model.findings()):
            if item.id == finding:
                self._view.setCurrentIndex(self._model.index(row, 0))
                return

    def next_flagged(self) -> bool:
        return self._go(1)

    def previous_flagged(self) -> bool:
        return self._go(-1)

    def _go(self, step: int) -> bool:
        findings = self._model.findings()
        at = self._view.currentIndex().row()
        for away in range(1, len(findings) + 1):
            row = (at + step * away) % len(findings)
            if findings[row].status in _FLAGGED:
                self._view.setCurrentIndex(self._model.index(row, 0))
                return True
        return False

    def _on_current(self, now: QModelIndex) -> None:
        finding = now.data(Qt.ItemDataRole.UserRole)
        if isinstance(finding, Finding):
            self.selected.emit(finding)


def _first(findings: Sequence[Finding]) -> Finding:
    order = (Status.FAIL, Status.WARN)
    return next((f for status in order for f in findings if f.status is status), findings[0])

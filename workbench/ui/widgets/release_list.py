"""ReleaseList: the releases of the project at the left of the window.

releases.set_releases((ReleaseItem("r1", "2026 Q2 employment by place", "in review", "ε 2.0", "2 h ago"), …))
releases.set_current("r1")           no signal
releases.selected                    Signal(str): the id somebody chose
releases.clicked                     Signal(str): the id of a release that was clicked, also the chosen one
releases.new_requested               Signal(): "New release…"
releases.menu_requested              Signal(str, QPoint): right click or menu key on a release, global position
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from workbench.ui import theme
from workbench.ui.widgets import icons
from workbench.ui.widgets.card import wrapped
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.plain_tip import plain_tip
from workbench.ui.widgets.words import release_look

Index = QModelIndex | QPersistentModelIndex
_LEFT, _RIGHT = 18, 14
_ROOM_FOR_ICON = 170  # beside the words of the button


@dataclass(frozen=True, slots=True)
class ReleaseItem:
    """What the list shows of a release, in words."""

    id: str
    title: str
    state: str
    epsilon: str = ""
    age: str = ""

    @property
    def second_line(self) -> str:
        return " · ".join(part for part in (self.id, release_look(self.state).word, self.epsilon) if part)


class ReleaseModel(QAbstractListModel):
    """Releases in the order given, newest first as a rule."""

    def __init__(self) -> None:
        super().__init__()
        self._items: tuple[ReleaseItem, ...] = ()

    def set_items(self, items: Sequence[ReleaseItem]) -> None:
        self.beginResetModel()
        self._items = tuple(items)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        item = self._items[index.row()]
        if role == Qt.ItemDataRole.UserRole:
            return item
        if role == Qt.ItemDataRole.DisplayRole:
            return item.title
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            said = "\n".join(part for part in (item.title, item.second_line, item.age) if part)
            return plain_tip(said) if role == Qt.ItemDataRole.ToolTipRole else said
        return None

    def row_of(self, release: str) -> int:
        return next((row for row, item in enumerate(self._items) if item.id == release), -1)


class _Delegate(QStyledItemDelegate):
    """The title in one line or two; below it icon, state, ε and, at the right, the age."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._for = (0, 0)  # size of the text and room, for which the rest holds
        self._heights = (0, 0)
        self._metrics = QFontMetrics(view.font())
        self._long: dict[str, bool] = {}

    def _fonts(self, option: QStyleOptionViewItem) -> tuple[QFont, QFont]:
        title, line = QFont(option.font), QFont(option.font)
        title.setPixelSize(theme.base_size())
        line.setPixelSize(theme.base_size() - 1)
        return title, line

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Remembered: Qt asks for every release with each new layout."""
        item: ReleaseItem = index.data(Qt.ItemDataRole.UserRole)
        base, room = theme.base_size(), self._view.viewport().width() - _LEFT - _RIGHT
        if (base, room) != self._for:
            self._for, self._long = (base, room), {}
            title, line = self._fonts(option)
            low = QFontMetrics(title).height() + QFontMetrics(line).height() + 24
            self._heights = low, low + QFontMetrics(title).height()
            title.setWeight(QFont.Weight.DemiBold)  # a row must not grow when it is chosen
            self._metrics = QFontMetrics(title)
        long = self._long.get(item.title)
        if long is None:
            long = self._long[item.title] = self._metrics.horizontalAdvance(item.title) > room
        return QSize(120, self._heights[long])

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item: ReleaseItem = index.data(Qt.ItemDataRole.UserRole)
        rect: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_row(painter, option, rect.adjusted(6, 1, -6, -1))
        title_font, line_font = self._fonts(option)
        if chosen:
            title_font.setWeight(QFont.Weight.DemiBold)
        title, line = QFontMetrics(title_font), QFontMetrics(line_font)
        inner = rect.adjusted(_LEFT, 10, -_RIGHT, -10)
        painter.setFont(title_font)
        painter.setPen(QColor(theme.tokens().text))
        for number, shown in enumerate(title_lines(item.title, title, inner.width())):
            at = QRect(inner.left(), inner.top() + number * title.height(), inner.width(), title.height())
            painter.drawText(at, Qt.AlignmentFlag.AlignLeft, shown)
        below = QRect(inner.left(), inner.bottom() - line.height() + 1, inner.width(), line.height())
        self._second(painter, below, item, line_font)
        painter.restore()

    def _second(self, painter: QPainter, rect: QRect, item: ReleaseItem, font: QFont) -> None:
        look, metrics = release_look(item.state), QFontMetrics(font)
        icons.paint(
            painter, QRectF(rect.left(), rect.top() + (rect.height() - 13) / 2, 13, 13), look.icon, role=look.role
        )
        painter.setFont(font)
        painter.setPen(QColor(theme.tokens().muted))
        room = rect.width() - 19
        said = metrics.elidedText(item.second_line, Qt.TextElideMode.ElideRight, room)
        painter.drawText(rect.adjusted(19, 0, 0, 0), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, said)
        if (
            metrics.horizontalAdvance(said) + 8 + metrics.horizontalAdvance(item.age) <= room
        ):  # else the tool tip has it
            painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, item.age)


def title_lines(title: str, metrics: QFontMetrics, room: int) -> list[str]:
    """A title in one line or two, broken between words; what two lines do not hold is cut in the middle of the second.

    So titles that begin alike are told apart, and “… (copy)” stays in view.
    """
    if metrics.horizontalAdvance(title) <= room:
        return [title]
    words = title.split(" ")
    fits = sum(metrics.horizontalAdvance(" ".join(words[:count])) <= room for count in range(1, len(words)))
    rest = " ".join(words[fits:])
    first = [" ".join(words[:fits])] if fits else []
    return [*first, metrics.elidedText(rest, Qt.TextElideMode.ElideMiddle, room)]


def paint_row(painter: QPainter, option: QStyleOptionViewItem, rect: QRect) -> None:
    """The ground of a list row: chosen (tint and bar), under the mouse, focused (ring)."""
    state = option.state
    colours = theme.tokens()
    painter.setPen(Qt.PenStyle.NoPen)
    if state & QStyle.StateFlag.State_Selected:
        painter.setBrush(QColor(colours.accent_soft))
        painter.drawRoundedRect(rect, 6, 6)
        painter.setBrush(QColor(colours.accent))
        painter.drawRoundedRect(QRectF(rect.left(), rect.top() + 7, 3, rect.height() - 14), 1.5, 1.5)
    elif state & QStyle.StateFlag.State_MouseOver:
        painter.setBrush(QColor(colours.raised))
        painter.drawRoundedRect(rect, 6, 6)
    if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colours.accent), 2))
        painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 6, 6)


class _List(QListView):
    """Rows get new heights with every new width."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()


class ReleaseList(QFrame):
    """Heading, filter box, list, "New release…"."""

    selected = Signal(str)
    clicked = Signal(str)  # also where it was chosen already
    new_requested = Signal()
    menu_requested = Signal(str, QPoint)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "side")
        self.setMinimumWidth(190)
        self._model = ReleaseModel()
        self._shown = QSortFilterProxyModel(self)
        self._shown.setSourceModel(self._model)
        self._shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._shown.setFilterRole(Qt.ItemDataRole.ToolTipRole)
        self._filter = QLineEdit()
        self._view = _List()
        self._empty = wrapped("", "muted")
        self._count = QLabel()
        self._new = TextButton("New release…", "plus")
        self._opened, self._current = True, ""
        self._build()
        self._connect()
        self.setFocusProxy(self._view)
        self.set_releases(())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._new.show_icon("plus" if self.width() >= _ROOM_FOR_ICON else "")

    def _build(self) -> None:
        self._filter.setPlaceholderText("Filter releases")
        self._filter.setAccessibleName("Filter releases")
        self._filter.setClearButtonEnabled(True)
        self._view.setModel(self._shown)
        self._view.setItemDelegate(_Delegate(self._view))
        self._view.setMouseTracking(True)
        self._view.setAccessibleName("Releases")
        self._view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        heading = QLabel("Releases")
        heading.setProperty("role", "heading")
        self._count.setProperty("role", "muted")
        top = QHBoxLayout()
        top.addWidget(heading, 1)
        top.addWidget(self._count)
        padded = QVBoxLayout()
        padded.setContentsMargins(14, 14, 12, 8)
        padded.setSpacing(10)
        padded.addLayout(top)
        padded.addWidget(self._filter)
        padded.addWidget(self._empty)
        bottom = QVBoxLayout()
        bottom.setContentsMargins(12, 8, 12, 12)
        bottom.addWidget(self._new)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 1, 0)
        whole.setSpacing(0)
        whole.addLayout(padded)
        whole.addWidget(self._view, 1)
        whole.addLayout(bottom)

    def _connect(self) -> None:
        self._filter.textChanged.connect(self._apply_filter)
        self._view.selectionModel().currentChanged.connect(self._chosen)
        self._view.customContextMenuRequested.connect(self._menu)
        self._view.clicked.connect(self._clicked)
        self._new.clicked.connect(lambda: self.new_requested.emit())

    def set_releases(self, items: Sequence[ReleaseItem]) -> None:
        """Show these releases. The chosen one stays chosen where it is still there; no signal."""
        current = self._current
        self._view.selectionModel().blockSignals(True)
        self._model.set_items(items)
        self._view.selectionModel().blockSignals(False)
        self._count.setText(f"{len(items)}" if items else "")
        self.set_current(current)
        self._say_why_empty()

    def current(self) -> str:
        item = self._view.currentIndex().data(Qt.ItemDataRole.UserRole)
        return item.id if isinstance(item, ReleaseItem) else ""

    def set_current(self, release: str) -> None:
        self._current = release
        row = self._model.row_of(release)
        index = self._shown.mapFromSource(self._model.index(row, 0)) if row >= 0 else QModelIndex()
        self._view.selectionModel().blockSignals(True)
        self._view.setCurrentIndex(index)
        self._view.selectionModel().blockSignals(False)
        self._view.viewport().update()

    def _apply_filter(self, text: str) -> None:
        """Typing in the filter hides releases; it never opens another one, as losing the current row would."""
        current = self._current
        self._view.selectionModel().blockSignals(True)
        self._shown.setFilterFixedString(text.strip())
        self._view.selectionModel().blockSignals(False)
        self.set_current(current)
        self._say_why_empty()

    def set_project(self, *, opened: bool, writable: bool) -> None:
        """Without a project there is nothing to add a release to; the words say so."""
        self._opened = opened
        self._new.setEnabled(writable)
        self._filter.setEnabled(opened)
        self._say_why_empty()

    def _say_why_empty(self) -> None:
        nothing = self._shown.rowCount() == 0
        filtered = self._model.rowCount() > 0
        none = "No release in this project yet." if self._opened else "No project is open."
        self._empty.setText("No release matches the filter." if filtered else none)
        self._empty.setVisible(nothing)

    def _chosen(self, now: QModelIndex) -> None:
        item = now.data(Qt.ItemDataRole.UserRole)
        if isinstance(item, ReleaseItem):
            self._current = item.id
            self.selected.emit(item.id)

    def _clicked(self, at: QModelIndex) -> None:
        item = at.data(Qt.ItemDataRole.UserRole)
        if isinstance(item, ReleaseItem):
            self.clicked.emit(item.id)

    def _menu(self, at: QPoint) -> None:
        item = self._view.indexAt(at).data(Qt.ItemDataRole.UserRole)
        if isinstance(item, ReleaseItem):
            self.menu_requested.emit(item.id, self._view.viewport().mapToGlobal(at))

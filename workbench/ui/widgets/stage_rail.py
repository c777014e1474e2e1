"""StageRail: where the review stands, stage by stage, across the top of the window.

    rail.set_stages((StageView("data", "Data", StageState.DONE, "20,000 rows"), …))
    rail.set_current("audit")            no signal
    rail.selected                        Signal(str): somebody went to a stage (mouse, Left/Right)

Wide windows show whole summaries; narrow ones shorten the summaries first, then the longest titles, and put the whole
text into the tool tip. Nothing is clipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QFrame, QSizePolicy, QWidget

from workbench.ui import theme
from workbench.ui.widgets import icons
from workbench.ui.widgets.plain_tip import plain_tip
from workbench.ui.widgets.words import Look


class StageState(StrEnum):
    NOT_STARTED = "not started"
    ATTENTION = "needs attention"
    DONE = "done"
    STALE = "stale"


LOOKS = {
    StageState.NOT_STARTED: Look("circle", "muted", "not started"),
    StageState.ATTENTION: Look("warning", "warn", "needs attention"),
    StageState.DONE: Look("check", "passed", "done"),
    StageState.STALE: Look("stale", "stale", "stale"),
}


@dataclass(frozen=True, slots=True)
class StageView:
    """What the rail shows of one stage. An empty summary shows the state's own words."""

    id: str
    title: str
    state: StageState = StageState.NOT_STARTED
    summary: str = ""

    @property
    def second_line(self) -> str:
        return self.summary or LOOKS[self.state].word

    @property
    def spoken(self) -> str:
        summary = f": {self.summary}" if self.summary else ""
        return f"{self.title}, {LOOKS[self.state].word}{summary}"


_SIDE, _ICON, _BETWEEN, _ARROW = 9, 16, 7, 15
_SHORTEST = 24


class StageButton(QAbstractButton):
    """One stage: icon, title, one line. It says how wide it would like to be and how narrow it can get."""

    def __init__(self, parent: QWidget, view: StageView, number: int) -> None:
        super().__init__(parent)
        self.view = view
        self.number = number
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_view(view)

    def show_view(self, view: StageView) -> None:
        self.view = view
        self.setAccessibleName(view.spoken)
        self.setToolTip(plain_tip(f"{view.title} · {LOOKS[view.state].word}\n{view.second_line}\nCtrl+{self.number}"))
        self.update()

    def fonts(self) -> tuple[QFont, QFont]:
        title, line = QFont(self.font()), QFont(self.font())
        title.setPixelSize(theme.base_size())
        title.setWeight(QFont.Weight.DemiBold)
        line.setPixelSize(theme.base_size() - 2)
        return title, line

    def widths(self) -> tuple[int, int]:
        """(narrowest that shows the whole title, natural)."""
        title, line = self.fonts()
        least = 2 * _SIDE + _ICON + _BETWEEN + QFontMetrics(title).horizontalAdvance(self.view.title) + 2
        natural = 2 * _SIDE + _ICON + _BETWEEN + QFontMetrics(line).horizontalAdvance(self.view.second_line) + 2
        return least, max(least, natural)

    def sizeHint(self) -> QSize:
        title, line = self.fonts()
        return QSize(self.widths()[1], QFontMetrics(title).height() + QFontMetrics(line).height() + 18)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours, look = theme.tokens(), LOOKS[self.view.state]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        title_font, line_font = self.fonts()
        left = _SIDE + _ICON + _BETWEEN
        room = max(8, self.width() - left - _SIDE)
        title, line = QFontMetrics(title_font), QFontMetrics(line_font)
        top = (self.height() - title.height() - line.height() - 1) // 2
        icons.paint(painter, QRectF(_SIDE, top + (title.height() - _ICON) / 2, _ICON, _ICON), look.icon, role=look.role)
        painter.setFont(title_font)
        painter.setPen(QColor(colours.accent if self.isChecked() else colours.text))
        painter.drawText(
            QRect(left, top, room, title.height()),
            Qt.AlignmentFlag.AlignVCenter,
            title.elidedText(self.view.title, Qt.TextElideMode.ElideRight, room),
        )
        painter.setFont(line_font)
        attention = self.view.state in {StageState.ATTENTION, StageState.STALE}
        painter.setPen(QColor(str(getattr(colours, look.role if attention else "muted"))))
        painter.drawText(
            QRect(left, top + title.height() + 1, room, line.height()),
            Qt.AlignmentFlag.AlignVCenter,
            line.elidedText(self.view.second_line, Qt.TextElideMode.ElideRight, room),
        )
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        colours = theme.tokens()
        inner = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.isChecked():
            painter.setBrush(QColor(colours.accent_soft))
            painter.drawRoundedRect(inner, 6, 6)
            painter.setBrush(QColor(colours.accent))
            painter.drawRoundedRect(QRectF(inner.left() + 8, inner.bottom() - 3, inner.width() - 16, 3), 1.5, 1.5)
        elif self.underMouse():
            painter.setBrush(QColor(colours.raised))
            painter.drawRoundedRect(inner, 6, 6)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.drawRoundedRect(inner, 6, 6)


class StageRail(QFrame):
    """The stages side by side, with arrows between them."""

    selected = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Stages of the review")
        self._buttons: list[StageButton] = []

    def set_stages(self, stages: Sequence[StageView]) -> None:
        """Show these stages; the one that was current stays current where it still exists."""
        current = self.current()
        if [stage.id for stage in stages] == [button.view.id for button in self._buttons]:
            for button, stage in zip(self._buttons, stages, strict=True):
                button.show_view(stage)
        else:
            self._rebuild(stages)
            self.set_current(current or (stages[0].id if stages else ""))
        self.updateGeometry()
        self._place()

    def stages(self) -> tuple[StageView, ...]:
        return tuple(button.view for button in self._buttons)

    def current(self) -> str:
        return next((button.view.id for button in self._buttons if button.isChecked()), "")

    def current_button(self) -> StageButton | None:
        """Where the keyboard enters the rail: at the current stage, or at the first where none is in view."""
        checked = (button for button in self._buttons if button.isChecked())
        return next(checked, self._buttons[0] if self._buttons else None)

    def set_current(self, stage: str) -> None:
        for button in self._buttons:
            if button.view.id == stage:
                button.setChecked(True)

    def clear_current(self) -> None:
        """No stage is in view: the window shows a page about the whole project."""
        for button in self._buttons:
            button.setAutoExclusive(False)
            button.setChecked(False)
            button.setAutoExclusive(True)

    def _rebuild(self, stages: Sequence[StageView]) -> None:
        for old in self._buttons:
            old.hide()
            old.deleteLater()
        self._buttons = [StageButton(self, stage, number) for number, stage in enumerate(stages, start=1)]
        for index, button in enumerate(self._buttons):
            button.clicked.connect(partial(self._go, index))
            button.show()

    def _go(self, index: int, _checked: bool = False) -> None:
        if 0 <= index < len(self._buttons):
            button = self._buttons[index]
            button.setChecked(True)
            self.selected.emit(button.view.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        at = next((index for index, button in enumerate(self._buttons) if button.isChecked()), None)
        if step is None or at is None:
            super().keyPressEvent(event)
            return
        to = min(max(at + step, 0), len(self._buttons) - 1)
        if to != at:
            self._buttons[to].setFocus(Qt.FocusReason.TabFocusReason)
            self._go(to)

    def sizeHint(self) -> QSize:
        height = max((button.sizeHint().height() for button in self._buttons), default=40)
        return QSize(sum(button.widths()[1] for button in self._buttons) + _ARROW * len(self._buttons), height + 12)

    def minimumSizeHint(self) -> QSize:
        return QSize(70 * len(self._buttons), self.sizeHint().height())

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._place()

    def _place(self) -> None:
        if not self._buttons:
            return
        room = self.width() - 12 - _ARROW * (len(self._buttons) - 1)
        widths = shared_widths([button.widths() for button in self._buttons], room)
        left = 6
        for button, width in zip(self._buttons, widths, strict=True):
            button.setGeometry(left, 6, width, self.height() - 12)
            left += width + _ARROW
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        super().paintEvent(_event)
        painter = QPainter(self)
        for button in self._buttons[:-1]:
            edge = button.geometry().right()
            square = QRectF(edge + _ARROW / 2 - 4.5, self.height() / 2 - 5, 10, 10)
            icons.paint(painter, square, "chevron-right", role="border_strong")
        painter.end()


def shared_widths(wishes: Sequence[tuple[int, int]], room: int) -> list[int]:
    """Divide the room: titles first, then summaries, then evenly; the longest are shortened first."""
    least, natural = [wish[0] for wish in wishes], [wish[1] for wish in wishes]
    if sum(least) >= room:
        wishes = [(_SHORTEST, width) for width in least]
        natural = least
    if sum(natural) <= room:
        each = min(36, (room - sum(natural)) // len(wishes))
        return [width + each for width in natural]
    low, high = 0, max(natural, default=0)
    while high - low > 1:
        limit = (low + high) // 2
        if sum(_limited(wish, limit) for wish in wishes) <= room:
            low = limit
        else:
            high = limit
    return [_limited(wish, low) for wish in wishes]


def _limited(wish: tuple[int, int], limit: int) -> int:
    return max(wish[0], min(wish[1], limit))

"""ProblemsPanel: the one place for problems. ProblemsBadge: the same, closed, in one line.

    panel.set_problems(problems)         all at once; an empty tuple closes the panel
    panel.jump                           Signal(object): "Show me" was pressed; carries the problem
    panel.can_be_shown                   asked for each problem: is there a place in the window to lead to?
    panel.dismissed                      Signal(): somebody closed the panel; the badge stays
    panel.badge                          a ProblemsBadge for the progress strip; pressing it opens and closes the panel

The panel is hidden while there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from workbench.core.errors import Problem
from workbench.ui import theme
from workbench.ui.widgets.card import Scrolling, wrapped
from workbench.ui.widgets.icons import IconButton, IconLabel, TextButton, icon

_HIGHEST = 180


def counted(number: int) -> str:
    return "No problems" if not number else "1 problem" if number == 1 else f"{number} problems"


class ProblemsBadge(QToolButton):
    """One line: how many problems there are. Pressing it asks for the panel.

    Hidden where there are none: "no problems" would contradict a finding that fails, which is none of these.
    """

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(19, 14))
        self.setCheckable(True)
        self.set_number(0)

    def set_number(self, number: int) -> None:
        self._number = number
        self.setText(counted(number))
        self.setAccessibleName(counted(number))
        self.setToolTip("Show or hide the problems")
        self.setVisible(number > 0)
        self._redraw()

    def _redraw(self) -> None:
        self._drawn = theme.tokens()
        self.setIcon(
            icon("cross", "fail", size=14, after=5) if self._number else icon("check", "passed", size=14, after=5)
        )

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.StyleChange and self._drawn is not theme.tokens():
            self._redraw()
        super().changeEvent(event)


class ProblemRow(QWidget):
    """One problem: what and where in the first line, what to do in the second."""

    jump = Signal(object)

    def __init__(self, problem: Problem, *, can_be_shown: bool = True) -> None:
        super().__init__()
        words = QVBoxLayout()
        words.setSpacing(1)
        head = f"{problem.where}: {problem.what}" if problem.where else problem.what
        words.addWidget(wrapped(head, "label"))
        if problem.do:
            words.addWidget(wrapped(problem.do, "muted"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 3, 0, 3)
        row.setSpacing(10)
        row.addWidget(IconLabel("cross", "fail"), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        if can_be_shown:
            show = TextButton("Show me", role="link")
            show.setAccessibleName(f"Show me {problem.where or problem.what}")
            show.clicked.connect(partial(self._ask, problem))
            row.addWidget(show, 0, Qt.AlignmentFlag.AlignTop)
        self.setAccessibleName(problem.sentence())

    def _ask(self, problem: Problem, _checked: bool = False) -> None:
        self.jump.emit(problem)


class ProblemsPanel(QFrame):
    """All problems at once, each with what to do."""

    jump = Signal(object)
    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "strip")
        self.setAccessibleName("Problems")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.badge = ProblemsBadge()
        self.badge.toggled.connect(self._open)
        self._problems: tuple[Problem, ...] = ()
        self.can_be_shown: Callable[[Problem], bool] = lambda problem: problem.place is not None
        self._count = QLabel()
        self._count.setProperty("role", "heading")
        copy, close = IconButton("copy", "Copy all problems"), IconButton("close", "Hide the problems")
        copy.clicked.connect(self.copy)
        close.clicked.connect(self._dismiss)
        head = QHBoxLayout()
        head.addWidget(self._count, 1)
        head.addWidget(copy)
        head.addWidget(close)
        self._rows = QVBoxLayout()
        self._rows.setContentsMargins(0, 0, 6, 0)
        self._rows.setSpacing(2)
        inside = QWidget()
        column = QVBoxLayout(inside)  # what is left over stays below the last problem, not between its lines
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._rows)
        column.addStretch(1)
        self._inside = inside
        self._scroll = Scrolling(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(theme.PADDING, 8, 10, 8)
        whole.setSpacing(4)
        whole.addLayout(head)
        whole.addWidget(self._scroll)
        self.hide()

    def problems(self) -> tuple[Problem, ...]:
        return self._problems

    def set_problems(self, problems: Sequence[Problem]) -> None:
        """Show exactly these. The panel opens by itself where there are new ones and closes where there are none."""
        fresh = tuple(problems)
        if fresh == self._problems:
            return
        self._problems = fresh
        while (item := self._rows.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for problem in fresh:
            row = ProblemRow(problem, can_be_shown=self.can_be_shown(problem))
            row.jump.connect(self.jump)
            self._rows.addWidget(row)
        self._count.setText(counted(len(fresh)))
        self.badge.set_number(len(fresh))
        self.badge.setChecked(bool(fresh))
        self._open(bool(fresh))

    def add(self, problems: Sequence[Problem]) -> None:
        """Show these besides the ones shown already."""
        self.set_problems((*self._problems, *(problem for problem in problems if problem not in self._problems)))

    def clear(self) -> None:
        self.set_problems(())

    def text(self) -> str:
        """All problems as plain text, one to a line."""
        return "\n".join(problem.sentence() for problem in self._problems)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())

    def _open(self, wanted: bool) -> None:
        self.setVisible(wanted and bool(self._problems))
        self.updateGeometry()

    def _dismiss(self) -> None:
        self.badge.setChecked(False)
        self.dismissed.emit()

    def sizeHint(self) -> QSize:
        width = max(self.width(), 400)
        rows = self._inside.heightForWidth(width - 50) if self._inside.hasHeightForWidth() else 0
        return QSize(600, min(_HIGHEST, max(rows, 24) + 56))

"""The order in which Tab goes through the window: as one reads it, whatever the order in which widgets were made.

Pages add rows, choosers and figures long after the rest of them, and Qt would put those at the end of its chain.

    reached(window)                      what Tab can reach now, in order
    step(window, forwards=True)          the next widget gets the focus and is brought into view; False without one
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLayout,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTableWidget,
    QTabWidget,
    QWidget,
)

from workbench.ui.widgets.stage_rail import StageRail


def reached(widget: QWidget | None) -> Iterator[QWidget]:
    """The widgets that take the focus with Tab: top to bottom and left to right, as they are laid out."""
    if widget is None or not widget.isVisible() or not widget.isEnabled():
        return
    if isinstance(widget, StageRail):
        current = widget.current_button()  # one stop: the arrow keys go from stage to stage
        yield from () if current is None else (current,)
        return
    takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and not isinstance(widget, QTabWidget)
    if takes:
        yield widget
    if takes and not isinstance(widget, QScrollArea | QTableWidget):
        return  # what is inside a spin box or a list belongs to it
    for inner in _inside(widget):
        yield from reached(inner)


def _inside(widget: QWidget) -> Iterator[QWidget | None]:
    layout = widget.layout()
    if isinstance(widget, QSplitter):
        yield from (widget.widget(at) for at in range(widget.count()))
    elif isinstance(widget, QTabWidget):
        yield from (widget.tabBar(), widget.currentWidget())
    elif isinstance(widget, QStackedWidget):
        yield from (widget.currentWidget(),)
    elif isinstance(widget, QScrollArea):
        yield from (widget.widget(),)
    elif isinstance(widget, QTableWidget):
        yield from (widget.cellWidget(row, column) for row in range(widget.rowCount()) for column in range(2))
    elif layout is not None:
        yield from _laid_out(layout)


def _laid_out(layout: QLayout) -> Iterator[QWidget]:
    for at in range(layout.count()):
        item = layout.itemAt(at)
        inner, below = (item.widget(), item.layout()) if item is not None else (None, None)
        if inner is not None:
            yield inner
        elif below is not None:
            yield from _laid_out(below)


def step(window: QWidget | None, *, forwards: bool) -> bool:
    chain = list(reached(window))
    now = _at(chain, QApplication.focusWidget())
    if not chain:
        return False
    beyond = (now + 1 if forwards else now - 1) if now is not None else (0 if forwards else -1)
    target = chain[beyond % len(chain)]
    reason = Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason
    target.setFocus(reason)
    _bring_into_view(target)
    return True


def _at(chain: list[QWidget], focused: QWidget | None) -> int | None:
    """Where in the chain the focus is: at the widget itself or at what it is a part of."""
    while focused is not None:
        if focused in chain:
            return chain.index(focused)
        focused = focused.parentWidget()
    return None


def _bring_into_view(target: QWidget) -> None:
    around = target.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(target)
        elif isinstance(around, QAbstractItemView):
            around.scrollTo(around.indexAt(target.pos()))
        around = around.parentWidget()

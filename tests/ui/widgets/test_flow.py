"""Buttons in a flow stand side by side where there is room, and below each other where there is not."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.widgets.flow import Flow


def test_that_rows_follow_from_the_width(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = Flow(holder)
    buttons = [QPushButton("one of several") for _ in range(4)]
    for button in buttons:
        flow.addWidget(button)
    one = buttons[0].sizeHint()
    wide, narrow = 4 * one.width() + 40, one.width() + 10
    assert flow.heightForWidth(wide) == one.height()
    assert flow.heightForWidth(narrow) >= 4 * one.height()
    for width, rows in ((wide, 1), (narrow, 4)):
        holder.resize(width, flow.heightForWidth(width))
        holder.show()
        qtbot.waitUntil(lambda rows=rows: len({button.y() for button in buttons}) == rows)  # type: ignore[misc]
        assert all(button.geometry().right() <= width for button in buttons)
    flow.removeWidget(buttons[0])
    assert flow.count() == 3

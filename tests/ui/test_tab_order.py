"""Tab goes through the window as one reads it: releases, rail, page from top to bottom, evidence."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import page_of
from tests.ui.test_window import drawn
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.compare_page import ComparePage
from workbench.ui.pages.data_page import DataPage
from workbench.ui.pages.mechanism_page import MechanismPage

_LONG = 60_000


def walked(qtbot: QtBot, window: MainWindow) -> list[QWidget]:
    """Everything Tab reaches, beginning at the filter of the releases, once around."""
    qtbot.waitUntil(lambda: window.settled, timeout=_LONG)
    qtbot.wait(100)
    window.activateWindow()
    start = window.frame.releases._filter
    start.setFocus()
    qtbot.waitUntil(start.hasFocus, timeout=5_000)
    seen: list[QWidget] = [start]
    for _ in range(120):
        assert window.focusNextChild()
        now = QApplication.focusWidget()
        assert now is not None
        if now is start:
            return seen
        seen.append(now)
    raise AssertionError("Tab never came back to where it began")


def test_that_tab_reads_every_page_from_the_releases_over_the_rail_to_the_evidence(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    for stage in (Stage.DATA, Stage.MECHANISM, Stage.COMPARE):
        window.navigation.go_to(stage.value)
        seen = walked(qtbot, window)
        current = window.frame.rail.current_button()
        assert current is not None
        assert current.view.id == stage.value
        evidence = next(place for place, widget in enumerate(seen) if window.frame.evidence.isAncestorOf(widget))
        pages = [place for place, widget in enumerate(seen) if window.frame.stack.isAncestorOf(widget)]
        assert seen.index(window.frame.releases._view) < seen.index(current) < min(pages) <= max(pages) < evidence
        assert sum(window.frame.rail.isAncestorOf(widget) for widget in seen) == 1


def test_that_roles_come_before_loading_and_checks_before_drawing(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    data = page_of(window, Stage.DATA, DataPage)
    window.navigation.go_to(Stage.DATA.value)
    seen = walked(qtbot, window)
    roles = [seen.index(box) for box in data.roles.findChildren(QComboBox) if box.isVisible()]
    assert roles == sorted(roles)
    assert max(roles) < seen.index(data.confirm_button)
    mechanism = page_of(window, Stage.MECHANISM, MechanismPage)
    window.navigation.go_to(Stage.MECHANISM.value)
    made = mechanism.checks_card.choices
    qtbot.waitUntil(lambda: len(made.rows) > 2 and made.complete, timeout=_LONG)
    seen = walked(qtbot, window)
    checks = [seen.index(row.chosen) for row in mechanism.checks_card.rows.values()]
    assert checks == sorted(checks)
    assert max(checks) < seen.index(mechanism.draw_button)


def test_that_backtab_goes_the_same_way_back_and_what_gets_the_focus_is_seen(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    window.resize(window.minimumSize())
    window.navigation.go_to(Stage.MECHANISM.value)
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    seen = walked(qtbot, window)
    page.draw_button.setFocus()
    qtbot.keyClick(page.draw_button, Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is seen[seen.index(page.draw_button) - 1]
    window.focusNextChild()
    button = page.draw_button
    assert button.hasFocus()
    assert not button.visibleRegion().isEmpty()


def test_that_both_tabs_of_the_comparison_are_reached_by_keyboard(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    window.navigation.go_to(Stage.COMPARE.value)
    page = page_of(window, Stage.COMPARE, ComparePage)
    assert page.tabs.tabBar() in walked(qtbot, window)
    page.tabs.setCurrentIndex(1)
    assert page.findings._view in walked(qtbot, window)

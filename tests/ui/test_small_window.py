"""The smallest window still shows everything: what does not fit scrolls or gives way, and nothing is cut off."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import page_of
from tests.ui.test_window import drawn
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import SMALLEST, MainWindow
from workbench.ui.pages.audit_page import AuditPage
from workbench.ui.pages.compare_page import ComparePage
from workbench.ui.pages.mechanism_page import MechanismPage
from workbench.ui.widgets.tables.table_views import TableView

_LONG = 60_000
_AT_150_PERCENT = QSize(1000, 587)  # of a screen of 1500×880


def cut_off(page: QWidget) -> list[str]:
    """The scroll areas in view whose content is wider than they are, and the page itself where it is."""
    wide = [] if page.minimumSizeHint().width() <= page.width() else [type(page).__name__]
    for area in page.findChildren(QScrollArea):
        if area.isVisible() and area.widget().width() > area.viewport().width():
            wide.append(area.accessibleName() or type(area.widget()).__name__)
    return wide


def test_that_no_page_of_the_smallest_window_is_cut_off(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    drawn(qtbot, window, sample)
    for size in (SMALLEST, _AT_150_PERCENT):
        window.setMinimumSize(size)
        window.resize(size)
        for stage in (Stage.DATA, Stage.RELEASE, Stage.MECHANISM, Stage.AUDIT, Stage.COMPARE):
            page = window.navigation.page(stage)
            qtbot.waitUntil(lambda: window.settled, timeout=_LONG)
            qtbot.wait(100)  # checks and figures are added one a turn
            qtbot.waitUntil(lambda page=page: not cut_off(page), timeout=5_000)  # type: ignore[misc]
            assert not cut_off(window.frame.evidence)
    assert all(button.width() >= button.widths()[0] for button in window.frame.rail._buttons), "titles are whole"


def test_that_the_smallest_window_draws_what_epsilon_buys_at_a_readable_height(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    window.resize(SMALLEST)
    window.navigation.go_to(Stage.MECHANISM.value)
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    qtbot.waitUntil(
        lambda: page.curve_card.figure.isVisible() and bool(page.curve_card.figure.readout()), timeout=_LONG
    )
    qtbot.wait(60)
    view = page.curve_card.figure
    plot, said = view.plot(), view._readout
    assert plot.height() >= 160
    assert said.geometry().top() >= plot.geometry().bottom()
    assert page.curve_card.height() >= page.curve_card.heightForWidth(page.curve_card.width())


def test_that_looking_closer_leaves_the_list_of_releases_as_it_is(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    page = page_of(window, Stage.AUDIT, AuditPage)
    window.navigation.go_to(Stage.AUDIT.value)
    qtbot.waitUntil(lambda: window.settled, timeout=_LONG)
    before = window.frame.releases.width()
    closer = page.right.closer
    closer.offers.buttons["prior-to-posterior"].click()
    qtbot.waitUntil(lambda: closer.form is not None and closer.form.isVisible(), timeout=_LONG)
    qtbot.wait(60)
    assert window.frame.releases.width() == before
    assert not cut_off(page)


def test_that_a_whole_figure_of_the_comparison_is_seen_without_scrolling(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    window.navigation.go_to(Stage.COMPARE.value)
    page = page_of(window, Stage.COMPARE, ComparePage)
    page.tabs.setCurrentIndex(1)
    page.findings.select("l1-error")
    qtbot.waitUntil(lambda: page.detail._grid is not None and page.detail._grid.isVisible(), timeout=_LONG)
    qtbot.waitUntil(lambda: window.settled, timeout=_LONG)
    qtbot.wait(60)
    assert page.detail._grid is not None
    card = page.detail._grid.views()[0]
    bottom = card.mapTo(page.detail, card.rect().bottomLeft()).y()
    assert bottom <= page.detail.height()


def test_that_requirements_fit_their_column_and_attacks_show_first_what_matters(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    """Rows of requirements were 300 pixels high; what an attack is permitted lay behind a scroll bar."""
    drawn(qtbot, window, sample)
    window.navigation.go_to(Stage.AUDIT.value)
    page = page_of(window, Stage.AUDIT, AuditPage)
    found = {finding.id: finding for finding in page.findings.findings()}

    def tables(finding: str) -> list[TableView]:
        page.detail.set_finding(found[finding])
        qtbot.wait(60)
        return [table for table in page.detail.findChildren(TableView) if table.isVisible()]

    for size in (QSize(1280, 800), QSize(1500, 880)):
        window.resize(size)
        qtbot.waitUntil(lambda: window.settled, timeout=_LONG)
        for table in tables("requirements"):
            lines = [table.rowHeight(row) / table.fontMetrics().lineSpacing() for row in range(table.table.rowCount())]
            assert max(lines) <= 7
            assert not table.horizontalScrollBar().maximum()
        attacks, *_ = tables("sdl-attacks-release")
        titles = [attacks.table.column(place).title for place in range(attacks.table.columnCount())]
        last = titles.index("Permitted")
        assert attacks.columnViewportPosition(last) + attacks.columnWidth(last) <= attacks.viewport().width()

"""From an ordinary agency file to an approved report, with nothing but the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QFileDialog
from pytestqt.qtbot import QtBot

from tests.ui.journeys.agency_file import write_agency_file, write_file_without_names
from tests.ui.journeys.test_whole_review import at_rest, create_release, drop, page_of, session_of, tick
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.data_page import DataPage
from workbench.ui.pages.decide_page import DecidePage
from workbench.ui.pages.release_page import ReleasePage
from workbench.ui.pages.report_page import ReportPage

_LONG = 60_000


def choose(data: DataPage, column: str, value: str, *, gaps: bool = False) -> None:
    box = data.roles.box(column, gaps=gaps)
    box.setCurrentIndex(box.findData(value))


@pytest.mark.usefixtures("few_draws")
def test_that_an_ordinary_agency_file_becomes_an_approved_report(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    create_release(qtbot, window, tmp_path / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, write_agency_file(tmp_path / "Beschäftigte.csv"))
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    at_rest(qtbot, window)

    # The rows are in view before anything is confirmed, and roles come from the content.
    assert data.preview.model().rowCount() == 50
    assert data.roles.roles()["Betr.-Nr."] == "establishment"
    assert data.roles.roles()["WZ 2008"] == "workplace attribute"
    cell = data.roles.item(1, 2)
    assert cell is not None
    assert "01001" in cell.text()

    # The file's own words for nothing are proposed, and taken over by one press.
    assert "“.”" in data.questions.codes_words.text()
    assert "“-9”" in data.questions.codes_words.text()
    qtbot.mouseClick(data.questions.codes_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: data.questions.codes_row.isHidden(), timeout=_LONG)
    at_rest(qtbot, window)
    assert session_of(window).plan.data.options.missing == (".", "-9")

    choose(data, "Gemeinde", "geography")
    choose(data, "Bemerkung", "ignore")
    choose(data, "Geschl.", "own category", gaps=True)
    qtbot.mouseClick(data.confirm_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_of(window).data_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    assert session_of(window).plan.data.shaping.missing["Geschl."].rows == "own category"

    # A gap in a column that the table does not use is no obstacle.
    release = page_of(window, Stage.RELEASE, ReleasePage)
    tick(release, "workplace", "Gemeinde", "WZ")
    tick(release, "worker", "Geschl.")
    qtbot.waitUntil(lambda: session_of(window).prepared_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    window.controller.run.draw()
    qtbot.waitUntil(lambda: session_of(window).evidence_fresh, timeout=_LONG)
    at_rest(qtbot, window)

    decide = page_of(window, Stage.DECIDE, DecidePage)
    window.controller.file.person = "Ben"
    window.controller.editor.changed.emit()
    qtbot.waitUntil(decide.approve.isEnabled, timeout=_LONG)
    qtbot.keyClicks(decide.comment, "Seen and weighed.")
    qtbot.mouseClick(decide.approve, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_of(window).state == "approved", timeout=_LONG)
    at_rest(qtbot, window)
    report = page_of(window, Stage.REPORT, ReportPage)
    qtbot.waitUntil(lambda: report.paper.page_count > 1, timeout=_LONG)


def test_that_a_file_without_names_is_asked_about_on_its_rows(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    create_release(qtbot, window, tmp_path / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, write_file_without_names(tmp_path / "numbers.csv"))
    qtbot.waitUntil(lambda: not data.questions.header_row.isHidden(), timeout=_LONG)
    at_rest(qtbot, window)
    assert data.preview.model().rowCount() == 50
    assert data.roles.rowCount() == 0
    assert window.controller.jobs.problems, "and the problem is told in words"
    qtbot.mouseClick(data.questions.data_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: data.roles.rowCount() == 3, timeout=_LONG)
    at_rest(qtbot, window)
    assert data.questions.header_row.isHidden()
    assert session_of(window).plan.data.options.header == "absent"


def test_that_missing_value_codes_can_be_typed(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    create_release(qtbot, window, tmp_path / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, write_agency_file(tmp_path / "jobs.csv", 400))
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    at_rest(qtbot, window)
    data.reading.set_open(True)
    line = data.options.editor("missing")
    qtbot.keyClicks(line, '., -9, "a, b"')
    qtbot.waitUntil(lambda: session_of(window).plan.data.options.missing == (".", "-9", "a, b"), timeout=_LONG)
    at_rest(qtbot, window)
    assert data.questions.codes_row.isHidden()


def test_that_files_are_looked_for_beside_the_data(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    create_release(qtbot, window, tmp_path / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    folder = tmp_path / "Daten"
    folder.mkdir()

    def begins_at(press: QAbstractButton) -> Path:
        qtbot.mouseClick(press, Qt.MouseButton.LeftButton)
        dialog = data.findChildren(QFileDialog)[-1]
        dialog.close()
        return Path(dialog.directory().path())

    assert begins_at(data.drop_zone.choose) == tmp_path
    drop(data, write_agency_file(folder / "jobs.csv", 400))
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    at_rest(qtbot, window)
    assert {begins_at(button) for button in (data.dictionary_button, data.link_button)} == {folder}

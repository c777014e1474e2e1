"""From an ordinary agency file to an approved report, with nothing but the window."""

from __future__ import annotations

import contextlib
import sqlite3
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
from workbench.ui.widgets.file_dialog import FileDialog

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
    assert "encoding Windows-1252" in data.found.text(), "names keep their capitals"
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

    assert data.roles_card.subtitle().startswith("Suggested")
    choose(data, "Gemeinde", "geography")
    choose(data, "Bemerkung", "ignore")
    choose(data, "Geschl.", "own category", gaps=True)
    choose(data, "Rechtsform", "own category", gaps=True)  # which makes it vary within a workplace
    qtbot.mouseClick(data.confirm_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_of(window).data_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    assert session_of(window).plan.data.shaping.missing["Geschl."].rows == "own category"
    assert data.roles_card.subtitle().startswith("Confirmed.")

    said = {finding.id: finding for finding in data.checks.findings()}
    assert "“Geschl.” (" in said["data.gaps-own-category"].sentence, "and reviewers see how many rows it takes"

    # Neither a gap nor a second value in a column that the table does not use is an obstacle.
    assert "more than one value of “Rechtsform”" in said["data.establishment-in-two-places"].sentence
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
    reviewed = page_of(window, Stage.DATA, DataPage)
    at_rest(qtbot, window)
    assert reviewed.roles_card.subtitle() == "The roles as reviewed.", "nothing is left to confirm"
    report = page_of(window, Stage.REPORT, ReportPage)
    qtbot.waitUntil(lambda: report.paper.page_count > 1, timeout=_LONG)

    # The other edition takes the place of the one in view at once, and what is written is told with its folder.
    report.public.click()
    assert report.paper.page_count == 0
    qtbot.waitUntil(lambda: report.paper.page_count > 1, timeout=_LONG)
    at_rest(qtbot, window)
    for name in ("html", "pdf"):
        report.formats[name].setChecked(False)
    report.export_to(tmp_path)
    qtbot.waitUntil(report.folder_button.isVisible, timeout=_LONG)
    assert report.written_note.text() == f"1 file written to {tmp_path}."


def test_that_what_was_chosen_by_hand_survives_another_look_at_the_file(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    create_release(qtbot, window, tmp_path / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, write_agency_file(tmp_path / "jobs.csv", 400))
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    at_rest(qtbot, window)
    assert not data.confirm_button.visibleRegion().isEmpty(), "what comes next is in view before anything is scrolled"
    suggested = data.roles.roles()["Gemeinde"]
    choose(data, "Gemeinde", "geography")
    choose(data, "Geb.-Jahr", "own category", gaps=True)
    assert data.roles.box("Gemeinde").toolTip() == f"your choice (suggested: {suggested})"
    qtbot.mouseClick(data.questions.codes_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: data.questions.codes_row.isHidden(), timeout=_LONG)
    at_rest(qtbot, window)
    assert data.roles.roles()["Gemeinde"] == "geography"
    assert data.roles.gaps()["Geb.-Jahr"] == "own category"
    drop(data, write_agency_file(tmp_path / "others.csv", 400))
    qtbot.waitUntil(lambda: data.file_name.text() == "others.csv", timeout=_LONG)
    at_rest(qtbot, window)
    assert data.roles.roles()["Gemeinde"] == suggested, "another file is asked about anew"


def test_that_a_file_without_names_is_asked_about_on_its_rows(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    create_release(qtbot, window, tmp_path / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, write_file_without_names(tmp_path / "numbers.csv"))
    qtbot.waitUntil(lambda: not data.questions.header_row.isHidden(), timeout=_LONG)
    at_rest(qtbot, window)
    assert data.preview.model().rowCount() == 50
    assert data.roles.rowCount() == 0
    assert window.controller.jobs.problems, "and the problem is told in words"
    assert data.reading.is_open, "and can be put right there"
    assert window.frame.evidence._why.text() == "Say how the file is read: its columns are not known yet."
    assert "cannot be read yet" in {stage.summary for stage in window.frame.rail.stages()}
    qtbot.mouseClick(data.questions.data_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: data.roles.rowCount() == 3, timeout=_LONG)
    at_rest(qtbot, window)
    assert data.questions.header_row.isHidden()
    assert not data.reading.is_open, "the roles, which come next, are in view"
    assert session_of(window).plan.data.options.header == "absent"
    assert window.frame.evidence._why.text().startswith("Confirm what each column means")


def test_that_the_table_of_a_database_is_chosen_where_its_rows_will_be_seen(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "agency.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as base:
        for table in ("jobs", "workers"):
            base.execute(f"CREATE TABLE {table} (firm TEXT, sex TEXT)")
            base.executemany(f"INSERT INTO {table} VALUES (?, ?)", [("01", "f"), ("02", "m")])
        base.commit()
    create_release(qtbot, window, tmp_path / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, path)
    qtbot.waitUntil(lambda: not data.questions.tables_row.isHidden(), timeout=_LONG)
    at_rest(qtbot, window)
    assert data.reading.is_open
    box = data.questions.tables
    assert (box.currentIndex(), [box.itemText(place) for place in range(box.count())]) == (-1, ["jobs", "workers"])
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: data.roles.rowCount() == 2, timeout=_LONG)
    at_rest(qtbot, window)
    assert session_of(window).plan.data.options.sheet == "jobs"
    assert data.questions.tables_row.isHidden()
    assert not data.reading.is_open


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
    elsewhere = tmp_path / "Reports"
    elsewhere.mkdir()
    dialog = FileDialog(data, "Choose a file")
    dialog.setDirectory(str(elsewhere))
    dialog.accepted.emit()
    assert Path(FileDialog(data, "Save the plan", "plan.toml").directory().path()) == elsewhere
    window.close()
    assert window.settings.folder == str(elsewhere), "also the next time the program is started"

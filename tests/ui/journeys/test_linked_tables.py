"""Three tables joined in the window: keys proposed, matches counted, padding offered, row rules kept."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import at_rest, choose_table, create_release, drop, page_of, session_of
from workbench.core.findings import Finding, Status
from workbench.core.progress import QUIET
from workbench.review.decide.stages import Stage
from workbench.review.plan.plan_text import read_plan
from workbench.review.run.opening import load_data
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.data_page import DataPage
from workbench.ui.widgets.forms.settings_table import SettingsTable

_LONG = 60_000
PARTS = {
    "jobs": ("worker", "establishment"),
    "workers": ("worker", "sex", "education", "age", "race", "ethnicity"),
    "workplaces": ("establishment", "place", "sector", "ownership"),
}


@pytest.fixture
def tables(sample: Path) -> Path:
    """The sample in three tables, in a folder of their own beside the flat file."""
    with (sample / "jobs.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    (sample / "tables").mkdir()
    for name, columns in PARTS.items():
        lines = dict.fromkeys(",".join(row[column] for column in columns) for row in rows)
        text = "\n".join([",".join(columns), *lines, ""])
        (sample / "tables" / f"{name}.csv").write_text(text, encoding="utf-8")
    return sample / "tables"


def begun(qtbot: QtBot, window: MainWindow, tables: Path) -> DataPage:
    create_release(qtbot, window, tables.parent / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, tables / "jobs.csv")
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    at_rest(qtbot, window)
    return data


def link(qtbot: QtBot, window: MainWindow, data: DataPage, path: Path) -> None:
    data.link(str(path))
    at_rest(qtbot, window)
    qtbot.waitUntil(lambda: "not been compared" not in data.links.rows[path.stem].result.text(), timeout=_LONG)


def confirmed(qtbot: QtBot, window: MainWindow, data: DataPage) -> None:
    qtbot.mouseClick(data.confirm_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_of(window).data_fresh, timeout=_LONG)
    at_rest(qtbot, window)


def test_that_three_tables_become_the_rows_of_the_flat_file(qtbot: QtBot, window: MainWindow, tables: Path) -> None:
    data = begun(qtbot, window, tables)
    for name in ("workers", "workplaces"):
        link(qtbot, window, data, tables / f"{name}.csv")
    assert data.links.rows["workers"].file.pairs == (("worker", "worker"),)
    assert "Linked by “establishment”: 3,000 of 3,000 rows have a match" in data.links.rows["workplaces"].result.text()
    roles = data.roles.roles()
    assert (roles["place"], roles["sex"]) == ("geography", "worker attribute"), "columns that a file brings have roles"
    data._dictionary_chosen(str(tables.parent / "dictionary.csv"))
    confirmed(qtbot, window, data)
    flat = read_plan(tables.parent / "plan.toml")
    same = load_data(flat, base=tables.parent, context=QUIET)
    loaded = session_of(window).loaded
    assert loaded is not None
    assert loaded.microdata.fingerprint.content == same.microdata.fingerprint.content
    assert {"data.link-workers", "data.link-workplaces"} <= {finding.id for finding in data.checks.findings()}
    choose_table(qtbot, window, "all")

    # What was linked can be let go again, and undo brings it back with the roles it had.
    data = page_of(window, Stage.DATA, DataPage)
    at_rest(qtbot, window)
    qtbot.mouseClick(data.links.rows["workers"].remove_button, Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    assert "sex" not in session_of(window).plan.data.roles
    assert set(session_of(window).plan.data.linked) == {"workplaces"}
    window.controller.editor.undo()
    at_rest(qtbot, window)
    assert session_of(window).plan.data.roles["sex"] == "worker attribute"


def test_that_keys_that_differ_in_zeros_are_told_and_padded_by_one_press(
    qtbot: QtBot, window: MainWindow, tables: Path
) -> None:
    path = tables / "workplaces.csv"
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    bare = [line.replace("E", "", 1).lstrip("0") for line in lines]
    path.write_text("\n".join([first, *bare, ""]), encoding="utf-8")
    jobs = tables / "jobs.csv"
    text = jobs.read_text(encoding="utf-8").replace(",E", ",")
    jobs.write_text(text, encoding="utf-8")
    data = begun(qtbot, window, tables)
    link(qtbot, window, data, path)
    row = data.links.rows["workplaces"]
    assert "3,000 would match if keys were padded with zeros" in row.result.text()
    qtbot.mouseClick(row.pad_button, Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    qtbot.waitUntil(lambda: "3,000 of 3,000" in data.links.rows["workplaces"].result.text(), timeout=_LONG)
    assert data.links.rows["workplaces"].pad_button.isHidden()
    assert session_of(window).plan.data.shaping.links["workplaces"].pad


def test_that_a_key_with_two_lines_is_not_called_a_match_before_the_columns_are_known(
    qtbot: QtBot, window: MainWindow, tables: Path
) -> None:
    path = tables / "workplaces.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    other = lines[1].rpartition(",")[0] + ",other"
    path.write_text("\n".join([*lines, other, ""]), encoding="utf-8")
    data = begun(qtbot, window, tables)
    link(qtbot, window, data, path)
    assert "1 key appears there several times" in data.links.rows["workplaces"].result.text()
    assert "differ between such lines" in data.links.rows["workplaces"].result.text()
    finding = window.controller.linking.matches["workplaces"]
    assert isinstance(finding, Finding)
    assert finding.status is Status.WARN
    qtbot.mouseClick(data.confirm_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(window.controller.jobs.problems), timeout=_LONG)
    at_rest(qtbot, window)
    assert session_of(window).loaded is None, "nothing is half-loaded"


def test_that_a_key_is_chosen_among_the_columns_of_both_files(qtbot: QtBot, window: MainWindow, tables: Path) -> None:
    path = tables / "workplaces.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("establishment", "id", 1), encoding="utf-8")
    data = begun(qtbot, window, tables)
    link(qtbot, window, data, path)
    assert "No key is named" in data.links.rows["workplaces"].result.text()
    for place, name in ((0, "establishment"), (1, "id")):
        box: QComboBox = data.links.rows["workplaces"].keys[0][place]
        box.setCurrentIndex(box.findData(name))
        at_rest(qtbot, window)
    qtbot.waitUntil(lambda: "3,000 of 3,000" in data.links.rows["workplaces"].result.text(), timeout=_LONG)
    made = session_of(window).plan.data.shaping.links["workplaces"]
    assert (made.key, made.their_key) == (("establishment",), ("id",))


def test_that_what_a_file_brings_describes_what_its_key_describes(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    """Columns of each workplace are traits of workplaces, whatever they are called, once somebody says which column
    identifies it."""
    firms = [f"{number:06};{number % 40:05};{'ABC'[number % 3]}" for number in range(300)]
    files = {
        "jobs.csv": ["Betr.-Nr.;Pers.-Nr.", *(f"{row % 300:06};P{row:05}" for row in range(2000))],
        "betriebe.csv": ["Betr.-Nr.;Gemeinde;WZ 2008", *firms],
        "gemeinden.csv": ["Gemeinde;Kreis", *(f"{number:05};{number % 5}" for number in range(40))],
        "personen.csv": ["Pers.-Nr.;Geschl.", *(f"P{row:05};{'mw'[row % 2]}" for row in range(2000))],
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    create_release(qtbot, window, tmp_path / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, tmp_path / "jobs.csv")
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    at_rest(qtbot, window)
    for name in ("betriebe", "gemeinden", "personen"):
        link(qtbot, window, data, tmp_path / f"{name}.csv")
    assert data.roles.roles()["Betr.-Nr."] == "ignore", "numbers that recur tell nothing by themselves"
    box = data.roles.box("Betr.-Nr.")
    box.setCurrentIndex(box.findData("establishment"))
    at_rest(qtbot, window)
    brought = {name: role for name, role in data.roles.roles().items() if name not in ("Betr.-Nr.", "Pers.-Nr.")}
    attribute = "workplace attribute"
    assert brought == {
        "Gemeinde": attribute, "WZ 2008": attribute, "Kreis": attribute, "Geschl.": "worker attribute",
    }  # fmt: skip
    assert data.links.rows["gemeinden"].file.pairs == (("Gemeinde", "Gemeinde"),), "the key comes from betriebe.csv"
    assert "2,000 of 2,000 rows have a match" in data.links.rows["gemeinden"].result.text()
    assert "from betriebe.csv; one for each “Betr.-Nr.”" in data.roles.box("Gemeinde").toolTip()
    tips = [item.toolTip() for row in range(6) if (item := data.roles.item(row, 0)) is not None]
    assert any("00000, 00001, 00002" in tip for tip in tips), "values of linked files are in view too"
    confirmed(qtbot, window, data)
    assert session_of(window).plan.data.roles["Gemeinde"] == attribute


def test_that_a_column_of_two_files_is_told_when_the_file_is_linked(
    qtbot: QtBot, window: MainWindow, tables: Path
) -> None:
    """Before anybody gave it a role, and with both files by name."""
    path = tables / "workplaces.csv"
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([f"{first},worker", *(f"{line},x" for line in lines), ""]), encoding="utf-8")
    data = begun(qtbot, window, tables)
    link(qtbot, window, data, path)
    row = data.links.rows["workplaces"]
    said = "“worker” is a column of both jobs.csv and workplaces.csv."
    assert any(said in label.text() for label in row.findChildren(QLabel))
    qtbot.mouseClick(row.leave_button, Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    row = data.links.rows["workplaces"]
    assert not any("column of both" in label.text() for label in row.findChildren(QLabel))
    assert session_of(window).plan.data.shaping.links["workplaces"].columns == ("place", "sector", "ownership")
    qtbot.waitUntil(lambda: "3,000 of 3,000" in data.links.rows["workplaces"].result.text(), timeout=_LONG)
    confirmed(qtbot, window, data)


def test_that_a_column_of_two_linked_files_is_told_when_the_second_is_linked(
    qtbot: QtBot, window: MainWindow, tables: Path
) -> None:
    path = tables / "workplaces.csv"
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([f"{first},sex", *(f"{line},x" for line in lines), ""]), encoding="utf-8")
    data = begun(qtbot, window, tables)
    link(qtbot, window, data, tables / "workers.csv")
    link(qtbot, window, data, path)
    row = data.links.rows["workplaces"]
    said = "“sex” is a column of both workers.csv and workplaces.csv."
    assert any(said in label.text() for label in row.findChildren(QLabel))
    qtbot.mouseClick(row.leave_button, Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    assert session_of(window).plan.data.shaping.links["workplaces"].columns == ("place", "sector", "ownership")
    confirmed(qtbot, window, data)


def test_that_rows_are_kept_and_columns_recoded_by_lines_of_a_table(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, sample / "jobs.csv")
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    at_rest(qtbot, window)
    data.rules_fold.set_open(True)
    recode, keep = data.rules.form.editor("recode"), data.rules.form.editor("keep")
    assert isinstance(recode, SettingsTable)
    assert isinstance(keep, SettingsTable)
    recode.model.add(["division"])
    assert window.controller.editor.half_typed, "a line that is not filled in holds every draw"
    for column, value in ((1, "sector"), (3, "1")):
        recode.model.setData(recode.model.index(0, column), value)
    keep.model.add(["women"])
    for column, value in ((1, "sex"), (2, "="), (3, "F")):
        keep.model.setData(keep.model.index(0, column), value)
    at_rest(qtbot, window)
    assert not window.controller.editor.half_typed
    assert data.roles.roles()["division"] == "workplace attribute", "proposed as what it is made from"
    confirmed(qtbot, window, data)
    with (sample / "jobs.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["sex"] == "F"]
    loaded = session_of(window).loaded
    assert loaded is not None
    assert loaded.microdata.rows == len(rows)
    assert set(loaded.microdata.coded("division").values) == {row["sector"][:1] for row in rows}

"""The Data stage where rows are not loaded: who reads them is said, and the preview shows counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.tabulation.engines.sample import employment_sample
from tests.ui.journeys.test_whole_review import create_release, page_of, session_of
from workbench.review.decide.stages import Stage
from workbench.review.plan.plan_text import read_plan
from workbench.review.run import data_view
from workbench.review.run.data_view import ColumnRow, Look
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.data_page import DataPage

_LONG = 60_000


@pytest.fixture
def data_page(qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataPage:
    monkeypatch.setenv("DWB_ALLOWED", str(tmp_path / "allowed.json"))
    create_release(qtbot, window, tmp_path / "review.dwb")
    window.navigation.go_to(Stage.DATA.value)
    return page_of(window, Stage.DATA, DataPage)


def test_that_rows_read_in_place_are_shown_by_counts(
    qtbot: QtBot, window: MainWindow, data_page: DataPage, tmp_path: Path
) -> None:
    plan = read_plan(employment_sample(tmp_path / "jobs", engine='[engine]\nkind = "duckdb"\n'))
    data = replace(plan.data, dictionary=str(tmp_path / "jobs" / "dictionary.csv"))
    window.controller.editor.edit("take the plan", data=data, engine=plan.engine, product=plan.product)
    window.controller.run.load()
    session = session_of(window)
    qtbot.waitUntil(lambda: session.loaded is not None and window.settled, timeout=_LONG)
    assert data_page.file_facts.text().startswith("20,000 rows read in place")
    assert data_page.engine.words.text() == "The plan chooses the engine duckdb."
    assert "none is fetched" in data_page.preview_card._subtitle.text()
    assert data_page.preview.table.rowCount() == len(session.loaded.microdata.columns)  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: session.prepared is not None, timeout=_LONG)


def test_that_data_on_a_server_are_chosen_by_address_and_folder(
    qtbot: QtBot, window: MainWindow, data_page: DataPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look itself is tried against a real server elsewhere."""
    asked: list[str] = []

    def look(plan: object, path: str, context: object) -> Look:
        asked.append(path)
        return Look(
            rows=7, found=("2 Parquet files on the cluster",), columns=(ColumnRow(name="plant", role="ignore"),)
        )

    monkeypatch.setattr(data_view, "look_elsewhere", look)
    data_page.drop_zone.cluster.click()
    assert data_page.stack.currentIndex() == 1
    session = session_of(window)
    engine = session.plan.engine
    window.controller.editor.edit("name the server", engine=replace(engine, remote="sc://127.0.0.1:15002"))
    qtbot.waitUntil(lambda: data_page.engine.folder.isVisible(), timeout=_LONG)
    data_page.engine.folder.setText("/warehouse/jobs")
    questions = []
    window.controller.run._questions.outside.connect(questions.append)
    data_page.engine.look_button.click()
    qtbot.waitUntil(lambda: bool(questions), timeout=_LONG)
    assert not asked, "a server is asked about first, like a file elsewhere: a token would be sent to it"
    questions[0].go_on()
    qtbot.waitUntil(lambda: session.plan.data.path == "/warehouse/jobs", timeout=_LONG)
    qtbot.waitUntil(lambda: data_page.roles.rowCount() == 1, timeout=_LONG)

"""The window shows forty variables as one table, without having heard of the product."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.cli.said import dwb
from tests.contract.forty import QUESTIONS, csv, forty_questions, plan
from tests.ui.journeys.test_whole_review import at_rest, session_of
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.mechanism_page import MechanismPage
from workbench.ui.widgets.forms.settings_table import SettingsTable

_LONG = 60_000


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    with forty_questions():
        (tmp_path / "answers.csv").write_text(csv(), encoding="utf-8")
        (tmp_path / "plan.toml").write_text(plan(), encoding="utf-8")
        path = tmp_path / "review.dwb"
        assert dwb("run", tmp_path / "plan.toml", "--project", path, "--preparer", "Ana").code == 0
        yield path


def test_that_a_line_is_edited_filled_down_and_taken_back(qtbot: QtBot, project: Path, window: MainWindow) -> None:
    window.resize(1280, 800)
    window.open_project(project)
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    window.navigation.go_to(Stage.MECHANISM)
    at_rest(qtbot, window)
    (page,) = window.findChildren(MechanismPage)
    table = page.settings.form.editor("variables")
    assert isinstance(table, SettingsTable)
    assert table.model.names == QUESTIONS
    before = session_of(window).plan
    table.model.setData(table.model.index(10, 1), "0.3")
    table.view.setCurrentIndex(table.model.index(10, 1))
    table.fill_down()
    at_rest(qtbot, window)
    spent = [row.epsilon for row in session_of(window).plan.mechanism.params.variables.values()]
    assert spent == [Decimal("0.1")] * 10 + [Decimal("0.3")] * 30
    window.controller.editor.undo()
    window.controller.editor.undo()
    at_rest(qtbot, window)
    assert session_of(window).plan == before
    assert table.model.raw()["q39"] == {"epsilon": "0.1"}


def test_that_a_wrong_line_holds_the_draw_back(qtbot: QtBot, project: Path, window: MainWindow) -> None:
    window.open_project(project)
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    window.navigation.go_to(Stage.MECHANISM)
    at_rest(qtbot, window)
    (page,) = window.findChildren(MechanismPage)
    table = page.settings.form.editor("variables")
    assert isinstance(table, SettingsTable)
    table.model.setData(table.model.index(3, 1), "much")
    at_rest(qtbot, window)
    assert page.settings.form.problem_text("variables").startswith("q3: ε must be a number")
    assert not page.draw_button.isEnabled()
    page.settings.form.revert()
    at_rest(qtbot, window)
    assert page.settings.form.problem_text("variables") == ""
    assert not window.controller.editor.half_typed

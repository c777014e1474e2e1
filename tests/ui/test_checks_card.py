"""The checks of the audit are chosen and set in the window, and stand in the plan."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QSpinBox
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import create_release, page_of, session_of
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.mechanism_page import MechanismPage


def test_that_checks_can_be_left_out_set_and_taken_back(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    before = [choice.id for choice in session_of(window).plan.checks]
    qtbot.waitUntil(lambda: list(page.checks_card.rows) == before)
    page.checks_card.rows["black-box"].chosen.click()
    assert [choice.id for choice in session_of(window).plan.checks] == [name for name in before if name != "black-box"]
    page.checks_card.rows["black-box"].chosen.click()
    assert [choice.id for choice in session_of(window).plan.checks] == before
    draws = page.checks_card.rows["black-box"].form.editor("draws")
    assert isinstance(draws, QSpinBox)
    draws.setValue(50_000)
    params = next(choice.params for choice in session_of(window).plan.checks if choice.id == "black-box")
    assert params.draws == 50_000
    window.controller.editor.undo()
    params = next(choice.params for choice in session_of(window).plan.checks if choice.id == "black-box")
    assert params.draws != 50_000

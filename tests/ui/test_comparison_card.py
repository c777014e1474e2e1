"""What the release is compared with is chosen in the window, and stands in the plan."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import create_release, page_of, session_of
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.mechanism_page import MechanismPage

_LONG = 20_000


def test_that_other_mechanisms_are_chosen_and_taken_back(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    rows = page.comparison_card.rivals.rows
    qtbot.waitUntil(lambda: page.comparison_card.rivals.complete and len(rows) > 3, timeout=_LONG)
    assert "block-gamma" not in rows, "the plan's own mechanism is no rival of itself"
    rows["log-laplace"].chosen.click()
    assert [choice.id for choice in session_of(window).plan.rivals] == ["log-laplace"]
    window.controller.editor.undo()
    assert session_of(window).plan.rivals == ()


def test_that_a_rival_that_becomes_the_mechanism_is_no_rival_any_more(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    qtbot.waitUntil(lambda: "log-laplace" in page.comparison_card.rivals.rows, timeout=_LONG)
    page.comparison_card.rivals.rows["log-laplace"].chosen.click()
    page.chooser.setCurrentIndex(page.chooser.findData("log-laplace"))
    page.chooser.activated.emit(page.chooser.currentIndex())
    assert session_of(window).plan.mechanism.id == "log-laplace"
    assert session_of(window).plan.rivals == ()


def test_that_the_only_baseline_cannot_be_left_out(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    qtbot.waitUntil(lambda: page.comparison_card.baselines.complete, timeout=_LONG)
    (row,) = [row for row in page.comparison_card.baselines.rows.values() if row.chosen.isChecked()]
    assert not row.chosen.isEnabled()

"""The ledger shows which data share a budget, and somebody who prepared neither can separate them with a reason."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from tests.cli.said import dwb
from tests.cli.small import PLAN, write_small
from tests.ui.journeys.test_whole_review import at_rest
from workbench.ui.dialogs import SeparateData
from workbench.ui.main_window import MainWindow

_LONG = 60_000


def test_that_data_sets_that_share_a_budget_are_separated_with_a_reason(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    plan, project = write_small(tmp_path), tmp_path / "review.dwb"
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben").code == 0
    rows = (tmp_path / "jobs.csv").read_text(encoding="utf-8").rsplit("\n", 2)[0] + "\n"
    (tmp_path / "fewer.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "fewer.toml").write_text(PLAN.replace('"jobs.csv"', '"fewer.csv"'), encoding="utf-8")
    assert dwb("run", tmp_path / "fewer.toml", "--project", project, "--preparer", "Ana").code == 0
    window.controller.file.person = "Carl"
    window.open_project(project)
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    at_rest(qtbot, window)
    window.navigation.show_ledger()
    ledger = window.navigation.ledger
    qtbot.waitUntil(lambda: len(ledger.books) == 2, timeout=_LONG)
    assert "One budget with" in ledger.remark.text()
    assert all(len(book.entries) == 1 for book in ledger.books)
    assert ledger.separate.isVisible()
    ledger.separate.click()
    (dialog,) = ledger.findChildren(SeparateData)
    dialog.accept()
    assert dialog.problem.text() == "Give a reason."
    dialog.reason.setText("numbers were given out anew")
    dialog.accept()
    qtbot.waitUntil(lambda: {len(book.entries) for book in ledger.books} == {0, 1}, timeout=_LONG)
    assert any("Carl separated it from" in book.remark() for book in ledger.books)
    at_rest(qtbot, window)

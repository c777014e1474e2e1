"""A product that the window has never heard of goes through every page of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.cli.said import dwb
from tests.contract import toy_means
from tests.contract.test_toy_product import PLAN, PRODUCT
from tests.ui.journeys.test_whole_review import at_rest, session_of
from workbench.products import registry
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.compare_page import ComparePage

_LONG = 60_000


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(registry, "PRODUCTS", (*registry.PRODUCTS, PRODUCT))
    (tmp_path / "people.csv").write_text(toy_means.csv(), encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    path = tmp_path / "review.dwb"
    assert dwb("run", tmp_path / "plan.toml", "--project", path, "--preparer", "Ana").code == 0
    return path


def test_that_every_page_shows_it_and_values_can_be_drawn_again(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    window.open_project(project)
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    at_rest(qtbot, window)
    window.controller.run.load()
    qtbot.waitUntil(lambda: session_of(window).prepared is not None, timeout=_LONG)
    at_rest(qtbot, window)
    for stage in Stage:
        window.go_to(stage)
        at_rest(qtbot, window)
    window.controller.run.draw()
    qtbot.waitUntil(lambda: session_of(window).evidence_fresh and not window.bridge.busy, timeout=_LONG)
    at_rest(qtbot, window)
    window.go_to(Stage.COMPARE)
    at_rest(qtbot, window)
    (page,) = window.findChildren(ComparePage)
    qtbot.waitUntil(lambda: page.table._columns.isVisible(), timeout=_LONG)
    page.table.choose("mean pay")
    assert not window.controller.jobs.problems

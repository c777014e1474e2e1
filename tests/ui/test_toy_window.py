"""A product that the window has never heard of goes through every page of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.cli.said import dwb
from tests.contract.toy import Toy
from tests.contract.toys import TOYS, registered
from tests.ui.journeys.test_whole_review import at_rest, session_of
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.compare_page import ComparePage

_LONG = 60_000


@pytest.fixture(params=TOYS, ids=lambda toy: toy.product.id)
def toy(request: pytest.FixtureRequest) -> Toy:
    found: Toy = request.param
    return found


@pytest.fixture
def project(toy: Toy, tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "review.dwb"
    with registered():
        assert dwb("run", toy.write(tmp_path), "--project", path, "--preparer", "Ana").code == 0
        yield path


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
        window.navigation.go_to(stage)
        at_rest(qtbot, window)
    window.controller.run.draw()
    qtbot.waitUntil(lambda: session_of(window).evidence_fresh and not window.bridge.busy, timeout=_LONG)
    at_rest(qtbot, window)
    window.navigation.go_to(Stage.COMPARE)
    at_rest(qtbot, window)
    (page,) = window.findChildren(ComparePage)
    compared = [each for table in session_of(window).evidence.side_by_side for each in table.compared]  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: page.table._columns.count() == len(compared) > 0, timeout=_LONG)
    for place in range(len(compared)):
        page.table._columns.setCurrentIndex(place)
        at_rest(qtbot, window)
    assert not window.controller.jobs.problems

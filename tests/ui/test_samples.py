"""`make run`: the window opens on releases that nobody has drawn, draws them aside, and shows every product."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from workbench.core.progress import QUIET
from workbench.core.states import ReleaseState
from workbench.review.publish import sample_project, samples
from workbench.review.publish.sample_project import PREPARER, REVIEWER, write_sample_project
from workbench.ui import tour
from workbench.ui.main_window import MainWindow

_LONG = 60_000
SMALL = "employment_tables"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two releases of a small twin: one can be in view while the other is drawn."""
    twins = dict.fromkeys(("a", "b"), samples.SAMPLES[SMALL])

    def small(_name: str, out: Path, **given: object) -> object:
        return samples.write_sample(SMALL, out, twin={"jobs": 400}, context=QUIET, overwrite=True)

    monkeypatch.setattr(sample_project, "SAMPLES", twins)
    monkeypatch.setattr(sample_project, "write_sample", small)
    return write_sample_project(tmp_path / "samples", QUIET)


def test_that_releases_are_drawn_aside_while_another_is_looked_at(
    qtbot: QtBot, window: MainWindow, project: Path
) -> None:
    window.controller.file.person = REVIEWER
    window.open_project(project)
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    window.controller.waiting.draw_all()
    qtbot.waitUntil(lambda: window.bridge.busy_aside, timeout=_LONG)
    assert not window.controller.jobs.occupied
    window.controller.releases.select("R-0001")
    qtbot.waitUntil(lambda: not window.bridge.pending, timeout=_LONG)
    view, session = window.controller.file.view, window.controller.editor.session
    assert view is not None and session is not None and session.release_id == "R-0001"
    assert [(row.state, row.draws, row.preparer) for row in view.releases] == [
        (ReleaseState.IN_REVIEW, 1, PREPARER)
    ] * 2
    assert session.evidence is not None and session.evidence_fresh
    assert not window.controller.jobs.problems


def test_that_drawing_aside_can_be_cancelled_and_does_not_go_on_in_another_project(
    qtbot: QtBot, window: MainWindow, project: Path, tmp_path: Path
) -> None:
    window.open_project(project)
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    window.controller.waiting.draw_all()
    qtbot.waitUntil(lambda: window.bridge.busy_aside and not window.bridge.busy, timeout=_LONG)
    window.frame.strip.cancel_requested.emit()
    qtbot.waitUntil(lambda: not window.bridge.pending, timeout=_LONG)
    window.controller.waiting.draw_all()
    qtbot.waitUntil(lambda: window.bridge.busy_aside, timeout=_LONG)
    window.open_project(tmp_path / "other.dwb", create=True)
    qtbot.waitUntil(lambda: not window.bridge.pending, timeout=_LONG)
    view = window.controller.file.view
    assert view is not None and view.path.name == "other.dwb" and view.releases == ()
    assert not window.bridge.busy_aside


@pytest.mark.heavy
def test_that_without_a_display_every_release_is_photographed_and_reported(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour, "write_sample_project", lambda _folder, _context: project)
    (visited,) = itertools.islice(tour.tour(tmp_path / "out"), 1)  # the second has nothing new
    assert (visited.release_id, visited.state) == ("R-0001", ReleaseState.APPROVED)
    assert (visited.pictures, visited.reports) == (7, 6)
    written = {path.name for path in (tmp_path / "out" / SMALL).iterdir()}
    assert {"1-data.png", "7-report.png", "R-0001-public-report.pdf", "R-0001-table.csv"} <= written

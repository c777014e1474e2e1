"""The window around the pages: what it remembers, what it refuses, how it begins and ends."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDialogButtonBox, QInputDialog, QMenu
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import at_rest, choose_table, create_release, load_sample, session_of
from workbench.core.errors import Place, Problem
from workbench.core.findings import Audience
from workbench.project.store import open_project
from workbench.review.decide.stages import Stage
from workbench.ui import dialogs
from workbench.ui.main_window import MainWindow
from workbench.ui.menus import release_menu
from workbench.ui.settings import Settings

_LONG = 60_000
pytestmark = pytest.mark.usefixtures("few_draws")


def drawn(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    load_sample(qtbot, window, sample)
    choose_table(qtbot, window)
    window.controller.run.draw()
    qtbot.waitUntil(lambda: session_of(window).evidence_fresh, timeout=_LONG)
    at_rest(qtbot, window)


def problem_words(window: MainWindow) -> str:
    return " ".join(problem.sentence() for problem in window.controller.jobs.problems)


@pytest.mark.parametrize(
    ("content", "expected"),
    [(None, "no"), (b"", "empty"), (b"this is not a project at all, but it is long enough to be looked at " * 20, "")],
)
def test_that_a_file_that_is_no_project_is_a_problem_in_words(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, content: bytes | None, expected: str
) -> None:
    path = tmp_path / "wrong.dwb"
    if content is not None:
        path.write_bytes(content)
    window.open_project(path)
    qtbot.waitUntil(lambda: bool(window.controller.jobs.problems), timeout=_LONG)
    assert expected in problem_words(window).lower()
    assert window.controller.file.view is None
    assert path.exists() == (content is not None)


def test_that_a_project_open_elsewhere_can_be_read_but_not_changed(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    window.controller.file.workspace.close()
    with open_project(sample / "review.dwb", person="Somebody Else"):
        window.controller.file.open(sample / "review.dwb")
        qtbot.waitUntil(
            lambda: window.controller.file.view is not None and window.controller.file.view.read_only, timeout=_LONG
        )
        at_rest(qtbot, window)
        assert "read-only" in window.windowTitle()
        assert "Somebody Else" in window.controller.file.view.why_read_only  # type: ignore[union-attr]
        before = session_of(window).plan
        window.controller.editor.edit("anything", study=before.study.__class__(trials=7))
        assert session_of(window).plan == before
        assert "read-only" in problem_words(window)


def test_that_an_approved_release_stays_as_it_is_and_can_be_duplicated(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    window.controller.file.person = "Ben"
    window.controller.voices.decide("approve", comment="", public_comment="")
    qtbot.waitUntil(lambda: session_of(window).closed, timeout=_LONG)
    at_rest(qtbot, window)
    plan = session_of(window).plan
    window.controller.editor.edit("anything", study=plan.study.__class__(trials=7))
    assert session_of(window).plan == plan
    assert "approved" in problem_words(window)
    window.controller.run.draw()
    assert not window.bridge.busy
    window.controller.releases.duplicate()
    qtbot.waitUntil(lambda: session_of(window).release_id == "R-0002", timeout=_LONG)
    at_rest(qtbot, window)
    assert not session_of(window).closed
    assert session_of(window).plan.run_digest() == plan.run_digest()
    assert session_of(window).preparer == "Ben"


def test_that_stored_values_stand_side_by_side_again_without_another_draw(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    assert session_of(window).evidence is not None
    first = session_of(window).evidence.side_by_side  # type: ignore[union-attr]
    window.controller.file.open(sample / "review.dwb")
    qtbot.waitUntil(
        lambda: window.controller.editor.session is not None and session_of(window).loaded is None, timeout=_LONG
    )
    at_rest(qtbot, window)
    window.controller.run.load()
    qtbot.waitUntil(lambda: bool(session_of(window).evidence.side_by_side), timeout=_LONG)  # type: ignore[union-attr]
    again = session_of(window).evidence
    assert again is not None
    assert again.draws == 1
    pairs = zip(first[0].compared[0].columns, again.side_by_side[0].compared[0].columns, strict=True)
    assert [(one.values.reveal() == other.values.reveal()).all() for one, other in pairs] == [True, True, True]


def test_that_the_window_has_the_icon_of_the_program(window: MainWindow) -> None:
    picture = window.windowIcon().pixmap(64, 64).toImage()
    assert not picture.isNull()
    assert len({picture.pixel(x, y) for x in range(0, 64, 4) for y in range(0, 64, 4)}) > 1


def test_that_closing_a_project_lets_its_data_go(
    qtbot: QtBot, window: MainWindow, sample: Path, tmp_path: Path
) -> None:
    """The rows, and whatever was made of them to answer faster, leave the memory with the project."""
    drawn(qtbot, window, sample)
    rows = weakref.ref(session_of(window).loaded.microdata)  # type: ignore[union-attr]
    assert rows() is not None
    window.controller.file.open(tmp_path / "another.dwb", create=True)
    qtbot.waitUntil(lambda: window.controller.editor.session is None, timeout=_LONG)
    at_rest(qtbot, window)
    gc.collect()
    assert rows() is None


def test_that_data_changed_under_the_same_name_make_the_evidence_stale(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    data = sample / "jobs.csv"
    data.write_text("\n".join(data.read_text(encoding="utf-8").splitlines()[:-1]) + "\n", encoding="utf-8")
    window.controller.run.load()
    qtbot.waitUntil(lambda: session_of(window).loaded.microdata.rows == 2999, timeout=_LONG)  # type: ignore[union-attr]
    at_rest(qtbot, window)
    assert not session_of(window).evidence_fresh


def test_that_the_budget_changes_only_with_a_reason(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    drawn(qtbot, window, sample)
    window.controller.file.person = "Head of unit"
    window.navigation.go_to("mechanism")
    dialogs.ask_budget(window, window.controller.editor, window.controller.voices)
    dialog = window.findChild(dialogs.ChangeBudget)
    assert isinstance(dialog, dialogs.ChangeBudget)
    dialog.cap.setText("12.5")
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Ok), Qt.MouseButton.LeftButton)
    assert dialog.isVisible()
    dialog.reason.setText("Board decision")
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Ok), Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    assert window.controller.editor.session.budget is not None
    assert window.controller.editor.session.budget.cap == Decimal("12.5")


def test_that_a_withdrawn_release_leaves_the_list(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    release_menu(window, "R-0001", QPoint(10, 10))
    menu = window.findChild(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert menu is not None
    window.controller.releases.withdraw("R-0001")
    at_rest(qtbot, window)
    assert window.controller.file.view is not None
    assert window.controller.file.view.releases == ()
    assert window.controller.editor.session is None
    menu.close()


def test_that_a_public_report_before_approval_is_refused(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    drawn(qtbot, window, sample)
    target = sample / "public.html"
    window.controller.publishing.export({(Audience.PUBLIC, "html"): target}, {})
    at_rest(qtbot, window)
    assert "only after approval" in problem_words(window)
    assert not target.exists()


def test_that_a_problem_leads_to_its_stage(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    window.navigation.go_to("report")
    wrong = Problem("Something", "[mechanism], epsilon", "Do", Place("mechanism", "epsilon"))
    window.frame.problems.set_problems((wrong,))
    window.frame.problems.jump.emit(wrong)
    assert window.navigation.stage is Stage.MECHANISM


def test_that_whoever_sits_here_can_say_so(qtbot: QtBot, window: MainWindow, settings: Settings) -> None:
    dialogs.ask_identity(window)
    dialog = window.findChild(QInputDialog)
    assert isinstance(dialog, QInputDialog)
    dialog.setTextValue("Cleo")
    dialog.accept()
    assert window.controller.file.person == settings.identity == "Cleo"


def test_that_size_and_recent_projects_are_remembered(
    qtbot: QtBot, window: MainWindow, sample: Path, settings: Settings
) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    window.frame.split.setSizes([260, 900])
    state = window.frame.split.saveState()
    window.close()
    again = MainWindow(settings)
    qtbot.addWidget(again)
    # Compared before it is shown: the offscreen screen is smaller than the window and would clamp it.
    assert again.frame.split.saveState() == state == settings.bytes_of("split")
    assert settings.bytes_of("geometry") is not None
    assert [path.name for path in settings.recent_projects()] == ["review.dwb"]
    again.close()


def test_that_the_program_begins_and_ends_without_a_sound(sample: Path) -> None:
    program = """
import sys
import weakref
from pathlib import Path
from PySide6.QtCore import QTimer
from workbench.ui import app as start
made = start.make_app()
QTimer.singleShot(1500, made.closeAllWindows)
sys.exit(start.run_window(None))
"""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(sample)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr

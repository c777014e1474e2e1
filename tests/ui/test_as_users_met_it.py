"""What people who tried the program stumbled over, each as the rule that keeps it from coming back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import (
    at_rest,
    choose_table,
    create_release,
    drop,
    load_sample,
    page_of,
    session_of,
    set_epsilon,
)
from workbench.core.progress import QUIET
from workbench.review.decide.evidence import evidence_view
from workbench.review.decide.stages import Stage, StageState
from workbench.review.decide.status import next_step, stages
from workbench.review.plan.offers import copy_title
from workbench.review.publish.samples import write_sample
from workbench.ui.controller.questions import PassphraseQuestion
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.data_page import DataPage
from workbench.ui.pages.decide_page import DecidePage
from workbench.ui.pages.mechanism_page import MechanismPage
from workbench.ui.pages.release_page import ReleasePage
from workbench.ui.settings import Settings
from workbench.ui.widgets.check_list import CheckList
from workbench.ui.widgets.icons import TextButton

_LONG = 60_000
pytestmark = pytest.mark.usefixtures("few_draws")


def loaded(qtbot: QtBot, window: MainWindow, sample: Path) -> DataPage:
    create_release(qtbot, window, sample / "review.dwb")
    load_sample(qtbot, window, sample)
    return page_of(window, Stage.DATA, DataPage)


def test_that_the_focus_stays_on_the_button_that_started_a_job(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    data = loaded(qtbot, window, sample)
    at_rest(qtbot, window)
    data.confirm_button.setFocus()
    qtbot.keyClick(data.confirm_button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.controller.jobs.occupied, timeout=_LONG)
    assert not isinstance(window.focusWidget(), QLineEdit), "typing must not filter the list of releases"
    qtbot.waitUntil(lambda: not window.controller.jobs.occupied, timeout=_LONG)
    at_rest(qtbot, window)
    assert window.focusWidget() is data.confirm_button


def test_that_a_needed_public_file_is_asked_for_where_files_are_chosen(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    folder = tmp_path / "flows"
    write_sample("commuting_flows", folder, twin={"jobs": 800}, seed=3, context=QUIET)
    window.frame.start_page.create_requested.emit(tmp_path / "review.dwb")
    qtbot.waitUntil(lambda: window.controller.file.view is not None, timeout=_LONG)
    window.controller.releases.new("commuting_flows", "Flows")
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, folder / "jobs.csv")
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    at_rest(qtbot, window)
    qtbot.mouseClick(data.confirm_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_of(window).data_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    info = stages(session_of(window))[0]
    assert (info.state, info.summary) == (StageState.ATTENTION, "choose geography")
    assert next_step(session_of(window)) == (Stage.DATA, "Choose a file under “Geography…”.")
    assert "needed" in data.companions.names["geography"].text()
    long = folder / f"crosswalk of all blocks {'of the district ' * 6}2022.csv"
    (folder / "geography.csv").rename(long)
    data.companions.use("geography", str(long))
    at_rest(qtbot, window)
    assert next_step(session_of(window))[1] != "Choose a file under “Geography…”."
    button = data.confirm_button
    assert button.text() == "Load the data"
    assert button.fontMetrics().horizontalAdvance(button.text()) + 16 <= button.width(), "its words are not cut"
    name = data.companions.names["geography"]
    shown = name.text()
    assert name.fontMetrics().horizontalAdvance(shown) <= name.width(), "a long name is not cut"
    assert shown.startswith("cross") and "…" in shown and shown.endswith(".csv")
    assert (name.whole(), name.toolTip()) == (long.name, str(long)), "the whole name on hover"
    qtbot.mouseClick(data.companions.none_buttons["geography"], Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    assert not session_of(window).plan.data.companions.get("geography"), "and can be taken away again"


def test_that_nothing_is_red_or_done_before_anybody_touched_it(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    loaded(qtbot, window, sample)
    page = page_of(window, Stage.RELEASE, ReleasePage)
    at_rest(qtbot, window)
    form = page.product_form.form
    assert not form.problem_text("workplace")
    choose_table(qtbot, window)
    mechanism = {info.stage: info.state for info in stages(session_of(window))}[Stage.MECHANISM]
    assert mechanism is StageState.NOT_STARTED
    assert next_step(session_of(window))[0] is Stage.MECHANISM
    boxes = form.editor("workplace")
    assert isinstance(boxes, CheckList)
    for row in range(boxes.count()):
        boxes.item(row).setCheckState(Qt.CheckState.Unchecked)
    assert form.problem_text("workplace"), "what was taken away is asked for"
    window.controller.editor.undo()
    window.navigation.go_to(Stage.MECHANISM.value)
    qtbot.waitUntil(lambda: session_of(window).prepared_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    assert next_step(session_of(window))[0] is Stage.AUDIT


def test_that_rows_are_not_called_jobs(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    loaded(qtbot, window, sample)
    facts = dict(evidence_view(session_of(window), Stage.DATA).facts)
    assert facts["rows"] == "3,000"
    assert "jobs" not in facts


def test_that_loading_again_and_going_on_raises_nothing(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    """The window fixture fails the test where a page swallowed an exception; Qt's slots report them too."""
    loaded(qtbot, window, sample)
    choose_table(qtbot, window)
    page_of(window, Stage.MECHANISM, MechanismPage)
    at_rest(qtbot, window)
    with qtbot.captureExceptions() as raised:
        window.controller.run.load()
        qtbot.waitUntil(lambda: session_of(window).prepared_fresh, timeout=_LONG)
        at_rest(qtbot, window)
        page_of(window, Stage.MECHANISM, MechanismPage)
        at_rest(qtbot, window)
    assert not raised


def places(qtbot: QtBot, page: MechanismPage | ReleasePage, names: tuple[str, ...]) -> list[int]:
    """Where editors stand once the page has come to rest."""
    form = page.settings.form if isinstance(page, MechanismPage) else page.product_form.form
    seen: list[list[int]] = [[]] * 5

    def resting() -> bool:
        page.grab()
        seen.append([form.editor(name).mapTo(page, QPoint(0, 0)).y() for name in names])
        return all(each == seen[-1] for each in seen[-5:])

    qtbot.waitUntil(resting, timeout=_LONG)
    return seen[-1]


def test_that_fields_stay_where_they_are_while_a_mistake_is_corrected(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    loaded(qtbot, window, sample)
    choose_table(qtbot, window)
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    at_rest(qtbot, window)
    places(qtbot, page, ("epsilon", "alpha"))
    set_epsilon(qtbot, window, "-1")
    at_rest(qtbot, window)
    wrong = places(qtbot, page, ("epsilon", "alpha"))
    assert page.settings.form.problem_text("epsilon")
    set_epsilon(qtbot, window, "2")
    at_rest(qtbot, window)
    assert not page.settings.form.problem_text("epsilon")
    assert places(qtbot, page, ("epsilon", "alpha")) == wrong


def test_that_ticks_stay_where_they_are_while_rows_are_counted(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    loaded(qtbot, window, sample)
    page = page_of(window, Stage.RELEASE, ReleasePage)
    at_rest(qtbot, window)
    seen = set()
    for words in ("", "Counting the rows…", "12 cells would be released."):
        page.size_line.setText(words)
        seen.add(places(qtbot, page, ("workplace",))[0])
    assert len(seen) == 1


def test_that_a_comment_is_asked_for_before_a_passphrase(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    loaded(qtbot, window, sample)
    choose_table(qtbot, window, "all")
    window.controller.run.draw()
    qtbot.waitUntil(lambda: session_of(window).evidence_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    window.controller.file.person = "Ben"
    window.controller.voices.signs = True
    decide = page_of(window, Stage.DECIDE, DecidePage)
    window.controller.editor.changed.emit()
    at_rest(qtbot, window)
    asked: list[PassphraseQuestion] = []
    window.controller.questions.passphrase.disconnect()
    window.controller.questions.passphrase.connect(asked.append)
    qtbot.waitUntil(decide.voice.changes.isEnabled, timeout=_LONG)
    qtbot.mouseClick(decide.voice.changes, Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    assert [problem.what for problem in window.controller.jobs.problems] == ["Requesting changes needs a comment"]
    assert not asked


def test_that_changes_made_and_drawn_are_not_asked_for_again(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    loaded(qtbot, window, sample)
    choose_table(qtbot, window, "all")
    window.controller.run.draw()
    qtbot.waitUntil(lambda: session_of(window).evidence_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    window.controller.file.person = "Ben"
    window.controller.voices.decide("request changes", comment="Less noise.", public_comment="")
    qtbot.waitUntil(lambda: bool(session_of(window).decisions), timeout=_LONG)
    at_rest(qtbot, window)
    window.controller.file.person = "Ana"
    assert "Changes were requested" in next_step(session_of(window), "Ana")[1]
    set_epsilon(qtbot, window, "2")
    at_rest(qtbot, window)
    window.controller.run.draw()
    qtbot.waitUntil(lambda: session_of(window).evidence_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    window.controller.editor.read_again()
    at_rest(qtbot, window)
    assert "Changes were requested" not in next_step(session_of(window), "Ana")[1]
    assert next_step(session_of(window), "Ben")[0] is Stage.DECIDE


def test_that_stage_keys_work_from_the_overview_and_say_why_where_they_cannot(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    keys = [action for action in window.findChildren(QAction) if action.shortcut().toString() == "Ctrl+3"]
    assert len(keys) == 1
    keys[0].trigger()
    assert "No release is open" in window.frame.strip.sentence()
    create_release(qtbot, window, sample / "review.dwb")
    window.navigation.show_overview()
    at_rest(qtbot, window)
    keys[0].trigger()
    assert window.navigation.page_in_view is not None
    assert window.navigation.stage is Stage.MECHANISM


def test_that_every_menu_entry_has_a_key_of_its_own(window: MainWindow) -> None:
    for menu in window.menuBar().findChildren(QMenu):
        texts = [action.text().replace("&&", "") for action in menu.actions() if action.text()]
        letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
        assert len(letters) == len(set(letters)), texts
        if menu is not window.menus.recent:
            assert len(letters) == len(texts), texts


def test_that_enter_presses_the_button_in_focus(qtbot: QtBot) -> None:
    button = TextButton("Load data")
    qtbot.addWidget(button)
    with qtbot.waitSignal(button.clicked, timeout=_LONG):
        qtbot.keyClick(button, Qt.Key.Key_Return)


def test_that_the_window_fits_its_screen(window: MainWindow, settings: Settings) -> None:
    room = window.screen().availableSize()
    fresh = MainWindow(settings)
    assert fresh.width() <= room.width()
    assert fresh.height() <= room.height()
    assert fresh.minimumWidth() <= room.width()
    fresh.close()
    fresh.deleteLater()


def test_that_the_strip_does_not_tell_the_next_person_what_was_voted(
    qtbot: QtBot, window: MainWindow, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    said: list[str] = []
    monkeypatch.setattr(window.controller.voices, "_speak", lambda _work, _doing, recorded: said.append(recorded))
    window.controller.voices.vote("approve", comment="", public_comment="")
    assert said == ["Your vote is recorded:"]


def test_that_whoever_sits_here_stands_in_the_title(window: MainWindow) -> None:
    window.controller.file.changed.emit()
    assert "Ana" in window.windowTitle()


def test_that_copies_of_copies_are_numbered() -> None:
    assert copy_title("Jobs", ["Jobs"]) == "Jobs (copy)"
    assert copy_title("Jobs (copy)", ["Jobs", "Jobs (copy)"]) == "Jobs (copy 2)"
    assert copy_title("Jobs (copy 2)", ["Jobs (copy)", "Jobs (copy 2)"]) == "Jobs (copy 3)"


def test_that_help_stays_open_beside_the_work_and_can_be_searched(qtbot: QtBot, window: MainWindow) -> None:
    from workbench.ui.dialogs import HelpWindow, show_glossary

    show_glossary(window)
    page = window.findChild(HelpWindow)
    assert isinstance(page, HelpWindow)
    assert not page.isModal()
    qtbot.keyClicks(page.search, "support point")
    assert page.text.textCursor().selectedText().lower() == "support point"
    page.close()

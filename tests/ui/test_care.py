"""What a person may do by haste or mistake, and what the window makes of it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import (
    at_rest,
    choose_table,
    create_release,
    load_sample,
    page_of,
    session_of,
    set_epsilon,
)
from workbench.core.errors import Place, Problem
from workbench.core.findings import Status
from workbench.core.quantities import Epsilon
from workbench.report.preview import PageImage
from workbench.review.decide.evidence import NextStep, evidence_view
from workbench.review.decide.stages import Stage
from workbench.review.plan.plan import Choice
from workbench.review.run.prepare import product_of
from workbench.ui import display
from workbench.ui.app import tell_defects
from workbench.ui.bridge import Kind
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.audit_page import AuditPage
from workbench.ui.pages.data_page import DataPage
from workbench.ui.pages.decide_page import DecidePage
from workbench.ui.pages.mechanism_page import MechanismPage
from workbench.ui.pages.release_page import ReleasePage
from workbench.ui.pages.report_page import ReportPage
from workbench.ui.settings import Settings

_LONG = 60_000
pytestmark = pytest.mark.usefixtures("few_draws")


def tabulated(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    load_sample(qtbot, window, sample)
    choose_table(qtbot, window)


def test_that_asking_twice_draws_once(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    tabulated(qtbot, window, sample)
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    at_rest(qtbot, window)
    page.draw_button.click()
    assert not page.draw_button.isEnabled()
    assert not window.menus.draw.isEnabled()
    page.draw_button.click()
    window.controller.run.draw()
    at_rest(qtbot, window)
    evidence = session_of(window).evidence
    assert evidence is not None
    assert evidence.draws == 1


def test_that_nothing_is_drawn_while_a_field_holds_what_cannot_be_used(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    tabulated(qtbot, window, sample)
    page = set_epsilon(qtbot, window, "0")
    at_rest(qtbot, window)
    assert "The plan keeps ε = 2" in page.draw_note.text()
    window.controller.run.draw()
    assert not window.bridge.occupied
    assert any("epsilon" in problem.where for problem in window.controller.jobs.problems)
    window.navigation.go_to(Stage.AUDIT.value)
    again = page_of(window, Stage.MECHANISM, MechanismPage)
    assert again.settings.form.editor("epsilon").property("text") == "2", "elsewhere the plan is shown, so here too"
    assert again.draw_button.isEnabled()


def test_that_undo_tabulates_the_table_it_brings_back(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    tabulated(qtbot, window, sample)
    page = page_of(window, Stage.RELEASE, ReleasePage)
    box = page.product_form.form.editor("workplace")
    first = session_of(window).plan.product.params
    item = box.item(0)  # type: ignore[attr-defined]
    item.setCheckState(Qt.CheckState.Unchecked)
    qtbot.waitUntil(lambda: session_of(window).prepared_fresh, timeout=_LONG)
    assert session_of(window).plan.product.params != first
    window.controller.editor.undo()
    assert session_of(window).plan.product.params == first, "every tick is a step of its own"
    assert not session_of(window).prepared_fresh
    qtbot.waitUntil(lambda: session_of(window).prepared_fresh, timeout=_LONG)


def test_that_a_comment_stays_with_its_release(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    decide = page_of(window, Stage.DECIDE, DecidePage)
    decide.comment.setPlainText("Not yet.")
    window.controller.releases.new("employment_tables", "Another")
    qtbot.waitUntil(lambda: session_of(window).release_id == "R-0002", timeout=_LONG)
    page_of(window, Stage.DECIDE, DecidePage)
    assert decide.comment.toPlainText() == ""
    window.controller.releases.select("R-0001")
    qtbot.waitUntil(lambda: session_of(window).release_id == "R-0001", timeout=_LONG)
    page_of(window, Stage.DECIDE, DecidePage)
    assert decide.comment.toPlainText() == "Not yet."


def test_that_nothing_of_one_release_is_shown_with_another(
    qtbot: QtBot, window: MainWindow, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blank = PageImage(pixels=bytes(16), width=2, height=2)
    publishing = window.controller.publishing
    monkeypatch.setattr(publishing, "preview_report", lambda _: publishing.report_ready.emit((blank,)))
    tabulated(qtbot, window, sample)
    window.controller.run.draw()
    at_rest(qtbot, window)
    audit = page_of(window, Stage.AUDIT, AuditPage)
    qtbot.waitUntil(lambda: audit.detail.finding() is not None, timeout=_LONG)
    report = page_of(window, Stage.REPORT, ReportPage)
    at_rest(qtbot, window)
    assert report.paper.page_count > 0
    window.controller.releases.new("employment_tables", "Another")
    qtbot.waitUntil(lambda: session_of(window).release_id == "R-0002", timeout=_LONG)
    at_rest(qtbot, window)
    page_of(window, Stage.AUDIT, AuditPage)
    qtbot.waitUntil(lambda: audit.detail.finding() is None, timeout=_LONG)
    page_of(window, Stage.REPORT, ReportPage)
    assert report.paper.page_count == 0
    assert "nothing to report yet" in report.nothing.text()
    data = page_of(window, Stage.DATA, DataPage)
    assert data.stack.currentWidget() is data.drop_zone
    assert data.roles.rowCount() == 0
    assert not data.confirm_button.isEnabled()


def test_that_the_filter_hides_releases_and_opens_none(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    window.controller.releases.new("employment_tables", "Another")
    qtbot.waitUntil(lambda: session_of(window).release_id == "R-0002", timeout=_LONG)
    at_rest(qtbot, window)
    box = window.frame.releases.findChild(QLineEdit)
    assert isinstance(box, QLineEdit)
    with qtbot.assertNotEmitted(window.frame.releases.selected):
        box.setText("Jobs by place")
        box.setText("nothing like it")
        box.setText("")
    assert window.frame.releases.current() == "R-0002"


def test_that_the_panel_leads_on_but_not_to_where_one_is(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    assert evidence_view(session_of(window), Stage.DATA).next_step == NextStep("data", "", "Choose the data file.")
    step = evidence_view(session_of(window), Stage.RELEASE).next_step
    assert step is not None
    assert step.action == "Go to Data"
    load_sample(qtbot, window, sample)
    choose_table(qtbot, window)
    mechanisms = {spec.id: spec for spec in product_of(session_of(window).plan).mechanisms}
    stuck = replace(
        Choice.of(mechanisms["block-gamma"]), params=mechanisms["block-gamma"].params(epsilon=Epsilon("0.01"))
    )
    window.controller.editor.edit("too small", mechanism=stuck)
    view = evidence_view(session_of(window), Stage.DATA)
    assert view.claim is None, "what cannot run promises nothing"
    assert "cannot run" in view.no_claim


def test_that_the_last_release_chosen_is_the_one_shown(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    window.controller.releases.duplicate()
    qtbot.waitUntil(lambda: session_of(window).release_id == "R-0002", timeout=_LONG)
    at_rest(qtbot, window)
    window.controller.releases.select("R-0001")
    window.controller.releases.select("R-0002")
    at_rest(qtbot, window)
    assert session_of(window).release_id == "R-0002"
    assert window.frame.releases.current() == "R-0002"


def test_that_a_problem_leads_to_its_field(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    gone = Problem("The folder does not exist", "/somewhere/else.html", "Create it")
    wrong = Problem("Something", "[mechanism], epsilon", "Do", Place("mechanism", "epsilon"))
    window.frame.problems.set_problems((gone, wrong))
    shown = [button.accessibleName() for button in window.frame.problems.findChildren(QPushButton)]
    assert shown == ["Show me [mechanism], epsilon"], "no button that leads nowhere"
    window.frame.problems.jump.emit(wrong)
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    assert window.focusWidget() is page.settings.form.editor("epsilon")


def test_that_another_mechanism_keeps_the_chosen_epsilon_and_has_its_own_curve(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    tabulated(qtbot, window, sample)
    page = set_epsilon(qtbot, window, "0.7")
    at_rest(qtbot, window)
    seen = set()
    for index in range(page.chooser.count()):
        page.chooser.setCurrentIndex(index)
        page.chooser.activated.emit(index)
        at_rest(qtbot, window)
        assert session_of(window).plan.mechanism.id == page.chooser.itemData(index)
        assert session_of(window).plan.mechanism.params.epsilon == Epsilon("0.7")
        figure = page.curve_card.figure.figure()
        assert page.curve_card.note.text() or figure is not None
        assert page.target_card.result.text() not in ("", "Calculating…")
        if figure is not None and not page.curve_card.figure.isHidden():
            seen.add(figure.series[0].name)
    assert len(seen) > 1, "each mechanism shows a curve of its own"


def test_that_an_epsilon_found_on_the_confidential_table_is_offered_rounded_up(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    """ε is published: to three digits it would tell how large employers are. Worker-level noise tells nothing."""
    tabulated(qtbot, window, sample)
    page = page_of(window, Stage.MECHANISM, MechanismPage)
    offered = {}
    for mechanism in ("laplace", "smooth-gamma"):
        index = page.chooser.findData(mechanism)
        page.chooser.setCurrentIndex(index)
        page.chooser.activated.emit(index)
        page.target_card.target.setText("3.3")
        qtbot.wait(300)
        at_rest(qtbot, window)
        offered[mechanism] = page.target_card.use.text().removeprefix("Use ε = ")
    said = page.target_card.result.text()
    assert "computed from the confidential table" in said
    assert f"Use {offered['smooth-gamma']} instead" in said
    assert offered["smooth-gamma"].strip("0.") in {"1", "2", "3", "5"}
    assert len(offered["laplace"].strip("0.")) == 3
    page.target_card.use.click()
    assert session_of(window).plan.mechanism.params.epsilon == Epsilon(offered["smooth-gamma"])


def test_that_a_word_on_what_was_saved_never_hides_what_is_running(qtbot: QtBot, window: MainWindow) -> None:
    window.frame.strip.cancel_requested.emit()
    assert not window.frame.strip.busy(), "Esc with nothing under way changes nothing"
    window.bridge.start(lambda _context: None, lambda _nothing: None, sentence="Working")
    window.controller.jobs.noted.emit("All changes saved.")
    assert window.frame.strip.busy()
    assert window.frame.strip.sentence() == "Working"
    qtbot.waitUntil(lambda: not window.bridge.pending, timeout=_LONG)
    window.controller.jobs.noted.emit("2 files written.")
    window.bridge.start(lambda _context: None, lambda _nothing: None, kind=Kind.SAVE)
    qtbot.waitUntil(lambda: not window.bridge.pending, timeout=_LONG)
    assert window.frame.strip.sentence() == "2 files written.", "a silent save does not wipe out the last word"


def test_that_keys_reach_every_page_and_f3_works_from_anywhere(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    tabulated(qtbot, window, sample)
    release = page_of(window, Stage.RELEASE, ReleasePage)
    findings = release.facts
    flagged = [finding.id for finding in findings.findings() if finding.status in (Status.FAIL, Status.WARN)]
    assert flagged
    findings.select(next(finding.id for finding in findings.findings() if finding.id not in flagged))
    qtbot.keyClick(window, Qt.Key.Key_F3)  # type: ignore[no-untyped-call]
    current = findings.current()
    assert current is not None
    assert current.id == flagged[0]
    for stage in Stage:
        page = window.navigation.page(stage)
        at_rest(qtbot, window)
        reached = [w for w in page.findChildren(QScrollArea) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
        assert all(area.accessibleName() for area in reached), stage
    data = page_of(window, Stage.DATA, DataPage)
    assert not data.roles.tabKeyNavigation(), "Tab must not walk through every cell"


def test_that_a_project_that_can_only_be_read_offers_nothing_that_writes(
    qtbot: QtBot, window: MainWindow, sample: Path, settings: Settings
) -> None:
    tabulated(qtbot, window, sample)
    window.controller.editor.save()
    at_rest(qtbot, window)
    second = MainWindow(settings)
    qtbot.addWidget(second)
    second.resize(1280, 800)
    second.show()
    second.open_project(sample / "review.dwb")
    qtbot.waitUntil(lambda: second.controller.editor.session is not None, timeout=_LONG)
    at_rest(qtbot, second)
    assert second.frame.strip.sentence().startswith("Read-only")
    menus = second.menus
    assert not any(action.isEnabled() for action in (menus.new_release, menus.duplicate, menus.draw, menus.undo))
    page = page_of(second, Stage.DATA, DataPage)
    assert page.confirm_button.text() == "Load the data"
    assert page.confirm_button.isEnabled(), "looking at the data is not writing"
    assert not page.choose_button.isEnabled()
    second.close()


def test_that_a_mistake_while_showing_is_told_and_leaves_no_old_promise(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    window.controller.jobs.defect.disconnect()
    window.controller.jobs.defect.connect(told.append)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # put back what pytest-qt has there
    tell_defects(window)
    monkeypatch.setattr(display, "evidence_view", lambda *_of: 1 / 0)
    window.frame.evidence.show()
    for _ in range(2):
        try:
            window._display._show_evidence()
        except ZeroDivisionError as error:
            sys.excepthook(type(error), error, error.__traceback__)
    assert window.frame.evidence.isHidden()
    assert len(told) == 1 and "ZeroDivisionError raised at" in told[0]

"""What cannot be taken back is told or asked before it happens: budgets, second draws, refusals, files replaced."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from tests.cli.said import dwb
from tests.cli.small import PLAN, write_small
from tests.ui.journeys.test_whole_review import at_rest, page_of, session_of
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.policy.text import from_text
from workbench.review.decide.evidence import evidence_view
from workbench.review.decide.policy_book import page_of as policy_page
from workbench.review.decide.stages import Stage
from workbench.review.plan.plan_text import from_text as plan_from_text
from workbench.review.run.opening import load_data
from workbench.review.workspace import Workspace
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.audit_page import AuditPage
from workbench.ui.pages.decide_page import DecidePage
from workbench.ui.pages.mechanism_page import MechanismPage
from workbench.ui.pages.report_page import ReportPage
from workbench.ui.policy_dialog import PolicyDialog, show_policy

_LONG = 60_000
STRICT = """[policy]
name = "careful"
version = 1
[epsilon]
edge = 2
conditional = 2
[evidence]
required_checks = ["black-box"]
"""


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ana's first release was approved by Ben and spent ε 1.5 of 4."""
    folder = tmp_path_factory.mktemp("budget")
    plan = write_small(folder)
    for words in (
        ("run", plan, "--project", folder / "review.dwb", "--preparer", "Ana"),
        ("decide", folder / "review.dwb", "R-0001", "--approve", "--reviewer", "Ben"),
        ("run", plan, "--project", folder / "review.dwb", "--preparer", "Ana"),
    ):
        said = dwb(*words)
        assert said.code == 0, said.err
    return folder


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, approved: Path, tmp_path: Path) -> Iterator[MainWindow]:
    for name in ("review.dwb", "jobs.csv"):
        shutil.copy(approved / name, tmp_path / name)
    window.open_project(tmp_path / "review.dwb")
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    at_rest(qtbot, window)
    yield window


def look_at(qtbot: QtBot, window: MainWindow, release: str, name: str = "Ana") -> None:
    window.controller.file.person = name
    window.controller.releases.select(release)
    qtbot.waitUntil(lambda: session_of(window).release_id == release, timeout=_LONG)
    at_rest(qtbot, window)


def load(qtbot: QtBot, window: MainWindow) -> None:
    window.controller.run.load()
    qtbot.waitUntil(lambda: session_of(window).prepared_fresh and session_of(window).ahead is not None, timeout=_LONG)
    at_rest(qtbot, window)


def budget_words(window: MainWindow) -> str:
    controller = window.controller
    view = evidence_view(controller.editor.session, Stage.MECHANISM, controller.file.person)
    return view.budget.sentence() if view.budget is not None else view.no_budget


def question(window: MainWindow) -> QMessageBox:
    return next(box for box in window.findChildren(QMessageBox) if box.isVisible())


def put_in_force(qtbot: QtBot, window: MainWindow, text: str) -> None:
    window.controller.file.person = "Director"
    window.controller.voices.set_policy(policy_page(from_text(text)), "June")
    at_rest(qtbot, window)


def test_that_what_was_spent_on_the_data_is_known_before_the_first_draw(qtbot: QtBot, opened: MainWindow) -> None:
    look_at(qtbot, opened, "R-0001")
    opened.controller.releases.duplicate()
    qtbot.waitUntil(lambda: session_of(opened).release_id == "R-0003", timeout=_LONG)
    assert "to see the remaining budget" in budget_words(opened)
    load(qtbot, opened)
    assert budget_words(opened) == "ε 1.5 of 4 spent; this release adds 1.5; 1 would remain."
    page = page_of(opened, Stage.MECHANISM, MechanismPage)
    at_rest(qtbot, opened)
    assert "can spend ε 4" in page.cap_note.text()
    assert page.policy_form.isHidden(), "the budget of known data is not proposed anew"


def test_that_the_cap_of_the_policy_counts_before_the_first_draw(qtbot: QtBot, opened: MainWindow) -> None:
    put_in_force(qtbot, opened, STRICT)
    look_at(qtbot, opened, "R-0001")
    opened.controller.releases.duplicate()
    qtbot.waitUntil(lambda: session_of(opened).release_id == "R-0003", timeout=_LONG)
    load(qtbot, opened)
    assert budget_words(opened) == "ε 1.5 of 2 spent; this release adds 1.5, 1 more than is left."
    advice = evidence_view(session_of(opened), Stage.MECHANISM, "Ana").next_step
    assert advice is not None
    assert advice.why.startswith("This ε is 1 more than is left of the budget."), "not simply to draw"
    show_policy(opened, opened.controller.file, opened.controller.voices)
    dialog = opened.findChild(PolicyDialog)
    assert dialog.choice.itemText(0) == "In force now: careful, version 1"
    dialog.close()


def test_that_a_second_draw_is_asked_about(qtbot: QtBot, opened: MainWindow) -> None:
    look_at(qtbot, opened, "R-0002")
    load(qtbot, opened)
    page = page_of(opened, Stage.AUDIT, AuditPage)
    at_rest(qtbot, opened)
    assert page.run_button.text() == "Draw again…"
    assert page.run_button.property("role") != "primary"
    qtbot.mouseClick(page.run_button, Qt.MouseButton.LeftButton)
    box = question(opened)
    assert "Drawn once" in box.informativeText()
    assert "cannot decide" not in box.informativeText(), "Ana prepared it and could not decide anyway"
    box.close()
    at_rest(qtbot, opened)
    assert session_of(opened).evidence.draws == 1  # type: ignore[union-attr]


def test_that_a_reviewer_is_told_that_drawing_ends_the_review(qtbot: QtBot, opened: MainWindow) -> None:
    look_at(qtbot, opened, "R-0002", "Ben")
    load(qtbot, opened)
    opened.controller.run.ask_to_draw()
    box = question(opened)
    assert "If you draw the values, you cannot decide on the release." in box.informativeText()
    next(button for button in box.buttons() if button.text() == "Draw again").click()
    qtbot.waitUntil(lambda: session_of(opened).evidence.draws == 2, timeout=_LONG)  # type: ignore[union-attr]
    at_rest(qtbot, opened)
    decide = page_of(opened, Stage.DECIDE, DecidePage)
    at_rest(qtbot, opened)
    qtbot.waitUntil(lambda: "drew the values" in decide.why_not.text(), timeout=_LONG)
    assert not decide.approve.isEnabled()


def test_that_a_reviewer_may_try_a_setting_and_take_it_back(qtbot: QtBot, opened: MainWindow) -> None:
    look_at(qtbot, opened, "R-0002", "Ben")
    opened.controller.editor.move_setting("epsilon", 0.9)
    opened.controller.editor.save()
    at_rest(qtbot, opened)
    assert session_of(opened).plan.mechanism.params.epsilon == Epsilon("0.9")
    opened.controller.editor.undo()
    opened.controller.editor.save()
    at_rest(qtbot, opened)
    decide = page_of(opened, Stage.DECIDE, DecidePage)
    at_rest(qtbot, opened)
    qtbot.waitUntil(lambda: decide.desk is not None and decide.desk.viewer == "Ben", timeout=_LONG)
    assert decide.approve.isEnabled()
    qtbot.mouseClick(decide.approve, Qt.MouseButton.LeftButton)
    at_rest(qtbot, opened)
    assert session_of(opened).state == "approved"
    assert opened.frame.strip.sentence() == "Recorded: Ben approved R-0002."
    qtbot.waitUntil(lambda: decide.who.text().startswith("Approved by Ben on "), timeout=_LONG)


def test_that_an_approval_that_would_be_refused_is_not_offered(qtbot: QtBot, opened: MainWindow) -> None:
    put_in_force(qtbot, opened, STRICT.replace("= 2\n", "= 20\n"))
    look_at(qtbot, opened, "R-0002", "Ben")
    decide = page_of(opened, Stage.DECIDE, DecidePage)
    at_rest(qtbot, opened)
    qtbot.waitUntil(lambda: "An approval would be refused." in decide.why_not.text(), timeout=_LONG)
    assert "black-box" in decide.why_not.text()
    assert not decide.approve.isEnabled()
    assert decide.changes.isEnabled()
    first = decide.gates.findings()[0]
    assert (first.status, first.title) == (Status.FAIL, "Required checks")
    assert decide.history_card.isHidden(), "as long as nobody spoke, the checks have all the room"


def test_that_the_next_step_depends_on_who_looks(qtbot: QtBot, opened: MainWindow) -> None:
    look_at(qtbot, opened, "R-0002")
    session = session_of(opened)
    words = {name: evidence_view(session, Stage.AUDIT, name).next_step.why for name in ("Ana", "Ben")}  # type: ignore[union-attr]
    assert "Waiting for a reviewer" in words["Ana"]
    assert "Waiting for a reviewer" not in words["Ben"]


def test_that_exported_files_are_not_replaced_without_a_question(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    look_at(qtbot, opened, "R-0002")
    page = page_of(opened, Stage.REPORT, ReportPage)
    at_rest(qtbot, opened)
    for name, box in page.formats.items():
        box.setChecked(name == "json")
    page.export_to(tmp_path)
    at_rest(qtbot, opened)
    written = tmp_path / "R-0002-internal-report.json"
    written.write_text("edited by hand", encoding="utf-8")
    page.export_to(tmp_path)
    asked = question(opened)
    assert written.name in asked.informativeText()
    asked.close()
    at_rest(qtbot, opened)
    assert written.read_text(encoding="utf-8") == "edited by hand"
    page.export_to(tmp_path)
    next(button for button in question(opened).buttons() if button.text() == "Replace").click()
    at_rest(qtbot, opened)
    assert written.read_text(encoding="utf-8").startswith("{")


def test_that_a_project_file_that_is_gone_is_told_as_such(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    look_at(qtbot, opened, "R-0002")
    (tmp_path / "review.dwb").rename(tmp_path / "elsewhere.dwb")
    opened.controller.editor.move_setting("epsilon", 0.7)
    opened.controller.editor.save()
    qtbot.waitUntil(lambda: bool(opened.controller.jobs.problems), timeout=_LONG)
    assert "no longer there" in opened.controller.jobs.problems[0].what
    (tmp_path / "elsewhere.dwb").rename(tmp_path / "review.dwb")


def test_that_the_budget_ahead_of_new_data_is_the_proposed_one(tmp_path: Path) -> None:
    write_small(tmp_path, plan=PLAN)
    workspace = Workspace()
    workspace.open(tmp_path / "new.dwb", create=True, person="Ana")
    try:
        from workbench.core.claims import Definition

        loaded = load_data(plan_from_text(PLAN), base=tmp_path, context=QUIET)
        ahead = workspace.budget_ahead(loaded)
        assert not ahead.known
        assert ahead.cap_on(Definition.EDGE, Decimal(7)) == Decimal(7)
    finally:
        workspace.close()

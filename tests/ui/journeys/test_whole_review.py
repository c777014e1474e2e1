"""A whole review through real widgets: from an empty project to an exported public report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from workbench.core.quantities import Epsilon
from workbench.microdata.roles import Role
from workbench.project.history.verify import verify
from workbench.review.decide.stages import Stage, StageState
from workbench.review.decide.status import stages
from workbench.review.session import ReviewSession
from workbench.ui.dialogs import NewRelease
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.audit_page import AuditPage
from workbench.ui.pages.compare_page import ComparePage
from workbench.ui.pages.data_page import DataPage
from workbench.ui.pages.decide_page import DecidePage
from workbench.ui.pages.mechanism_page import MechanismPage
from workbench.ui.pages.page import Page
from workbench.ui.pages.release_page import ReleasePage
from workbench.ui.pages.report_page import ReportPage
from workbench.ui.settings import Settings
from workbench.ui.widgets.check_list import CheckList

P = TypeVar("P", bound=Page)
_LONG = 60_000


def page_of(window: MainWindow, stage: Stage, kind: type[P]) -> P:
    page = window.navigation.page(stage)
    assert isinstance(page, kind)
    while not page.settled:  # the page takes over the session in the next turn of the loop
        QApplication.processEvents()
    return page


def session_of(window: MainWindow) -> ReviewSession:
    assert window.controller.editor.session is not None
    return window.controller.editor.session


def at_rest(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.bridge.pending and window.settled, timeout=_LONG)


def states(window: MainWindow) -> dict[Stage, StageState]:
    return {info.stage: info.state for info in stages(session_of(window))}


def tick(page: ReleasePage, field: str, *names: str) -> None:
    box = page.product_form.form.editor(field)
    assert isinstance(box, CheckList)
    for row in range(box.count()):
        item = box.item(row)
        if item.data(Qt.ItemDataRole.UserRole) in names or item.text().split(" ")[0] in names:
            item.setCheckState(Qt.CheckState.Checked)


def drop(page: DataPage, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(QPoint(20, 20)),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    page.dropEvent(event)


def create_release(qtbot: QtBot, window: MainWindow, project: Path) -> None:
    window.frame.start_page.create_requested.emit(project)
    qtbot.waitUntil(lambda: window.controller.file.view is not None, timeout=_LONG)
    window.frame.releases.new_requested.emit()
    dialog = window.findChild(NewRelease)
    assert isinstance(dialog, NewRelease)
    qtbot.keyClicks(dialog.name, "Jobs by place")
    dialog.accept()
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    at_rest(qtbot, window)


def load_sample(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, sample / "jobs.csv")
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    assert data.roles.roles()["establishment"] == Role.ESTABLISHMENT
    data._dictionary_chosen(str(sample / "dictionary.csv"))
    qtbot.mouseClick(data.confirm_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_of(window).data_fresh, timeout=_LONG)
    at_rest(qtbot, window)


def choose_table(qtbot: QtBot, window: MainWindow, domain: str = "establishments") -> None:
    """With the domain `all` every combination of public values is listed, so that the claim is proved."""
    release = page_of(window, Stage.RELEASE, ReleasePage)
    tick(release, "workplace", "place", "sector")
    box = release.product_form.form.editor("domain")
    assert isinstance(box, QComboBox)
    if box.currentData() != domain:
        box.setCurrentIndex(box.findData(domain))
        box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: session_of(window).prepared_fresh, timeout=_LONG)
    at_rest(qtbot, window)


def set_epsilon(qtbot: QtBot, window: MainWindow, text: str) -> MechanismPage:
    mechanism = page_of(window, Stage.MECHANISM, MechanismPage)
    editor = mechanism.settings.form.editor("epsilon")
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    return mechanism


def test_that_a_release_is_reviewed_from_an_empty_project_to_a_public_report(
    qtbot: QtBot, window: MainWindow, sample: Path, settings: Settings
) -> None:
    project = sample / "review.dwb"
    create_release(qtbot, window, project)
    assert states(window)[Stage.DATA] is StageState.NOT_STARTED

    load_sample(qtbot, window, sample)
    data = page_of(window, Stage.DATA, DataPage)
    assert data.checks.findings()
    qtbot.waitUntil(lambda: data.preview.model().rowCount() == 3000, timeout=_LONG)
    assert states(window)[Stage.DATA] is StageState.DONE

    choose_table(qtbot, window, "all")
    release = page_of(window, Stage.RELEASE, ReleasePage)
    assert "cells would be released" in release.size_line.text()
    assert release.facts.findings()

    mechanism = set_epsilon(qtbot, window, "0")
    assert "above 0" in mechanism.settings.form.problem_text("epsilon")
    at_rest(qtbot, window)
    assert not mechanism.draw_button.isEnabled(), "what stands in the form is not what would be drawn"
    set_epsilon(qtbot, window, "0.5")
    assert session_of(window).plan.mechanism.params.epsilon == Epsilon("0.5")
    at_rest(qtbot, window)

    qtbot.mouseClick(mechanism.draw_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_of(window).evidence is not None, timeout=_LONG)
    at_rest(qtbot, window)
    assert window.navigation.stage is Stage.AUDIT
    audit = page_of(window, Stage.AUDIT, AuditPage)
    assert {finding.id for finding in audit.findings.findings()} >= {"exact-loss", "integers"}
    compare = page_of(window, Stage.COMPARE, ComparePage)
    assert compare.stack.currentWidget() is compare.table

    decide = page_of(window, Stage.DECIDE, DecidePage)
    assert not decide.approve.isEnabled(), "whoever prepared a release cannot approve it"
    assert "cannot decide" in decide.why_not.text()
    window.controller.file.person = "Ben"
    window.controller.editor.changed.emit()
    qtbot.waitUntil(decide.approve.isEnabled, timeout=_LONG)
    qtbot.keyClicks(decide.comment, "Seen and weighed.")
    qtbot.mouseClick(decide.approve, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_of(window).state == "approved", timeout=_LONG)
    at_rest(qtbot, window)
    assert states(window)[Stage.DECIDE] is StageState.DONE
    assert not decide.approve.isEnabled()

    report = page_of(window, Stage.REPORT, ReportPage)
    qtbot.waitUntil(lambda: report.paper.page_count > 1, timeout=_LONG)
    report.public.setChecked(True)
    report.with_table.setChecked(True)
    at_rest(qtbot, window)
    out = sample / "out"
    out.mkdir()
    report.export_to(out)
    at_rest(qtbot, window)
    written = {path.name for path in out.iterdir()}
    reports = {f"R-0001-public-report.{kind}" for kind in ("html", "pdf", "json")}
    tables = {f"R-0001-{name}" for name in ("table.csv", "code-book.csv", "table.parquet", "table.dta")}
    assert written == reports | tables
    assert json.loads((out / "R-0001-public-report.json").read_text(encoding="utf-8"))["audience"] == "public"
    assert states(window)[Stage.REPORT] is StageState.DONE
    assert all(state is StageState.DONE for state in states(window).values())

    window.close()
    assert verify(project).ok
    assert project.resolve() in [path.resolve() for path in settings.recent_projects()]


@pytest.mark.usefixtures("few_draws")
def test_that_an_edit_makes_results_stale_and_undo_makes_them_fresh(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    load_sample(qtbot, window, sample)
    choose_table(qtbot, window, "all")
    window.controller.run.draw()
    qtbot.waitUntil(lambda: session_of(window).evidence_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    set_epsilon(qtbot, window, "0.7")
    assert states(window)[Stage.AUDIT] is StageState.STALE
    assert states(window)[Stage.COMPARE] is StageState.STALE
    assert window.menus.undo.isEnabled()
    window.menus.undo.trigger()
    assert states(window)[Stage.AUDIT] is StageState.DONE
    window.menus.redo.trigger()
    assert session_of(window).plan.mechanism.params.epsilon == Epsilon("0.7")
    assert states(window)[Stage.AUDIT] is StageState.STALE


def test_that_a_cancelled_draw_leaves_nothing_behind(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    project = sample / "review.dwb"
    create_release(qtbot, window, project)
    load_sample(qtbot, window, sample)
    choose_table(qtbot, window, "all")
    window.controller.run.draw()
    window.frame.strip.cancel_requested.emit()
    at_rest(qtbot, window)
    assert session_of(window).evidence is None
    window.controller.file.refresh()
    at_rest(qtbot, window)
    assert window.controller.file.view is not None
    assert window.controller.file.view.releases[0].draws == 0


@pytest.mark.usefixtures("few_draws")
def test_that_a_review_goes_on_where_it_was_left(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    project = sample / "review.dwb"
    create_release(qtbot, window, project)
    load_sample(qtbot, window, sample)
    choose_table(qtbot, window, "all")
    window.controller.run.draw()
    qtbot.waitUntil(lambda: session_of(window).evidence_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    plan = session_of(window).plan
    window.controller.file.open(project)
    qtbot.waitUntil(lambda: session_of(window).loaded is None, timeout=_LONG)
    at_rest(qtbot, window)
    assert session_of(window).plan == plan
    assert session_of(window).evidence_fresh
    assert states(window)[Stage.AUDIT] is StageState.DONE
    compare = page_of(window, Stage.COMPARE, ComparePage)
    assert compare.stack.currentWidget() is compare.empty

"""Moving ε in one figure moves error, loss and budget together; explorations answer while somebody turns them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import page_of, session_of
from tests.ui.test_window import drawn
from workbench.review.decide.evidence import evidence_view, loss_pairs
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.audit_page import AuditPage
from workbench.ui.pages.compare_page import ComparePage

_LONG = 60_000
pytestmark = pytest.mark.usefixtures("few_draws")


def test_that_dragging_epsilon_in_a_comparison_moves_error_loss_and_budget(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    session = session_of(window)
    window.navigation.go_to(Stage.COMPARE.value)
    page = page_of(window, Stage.COMPARE, ComparePage)
    page.findings.select("l1-error")
    qtbot.waitUntil(lambda: page.detail._grid is not None and bool(page.detail._grid.views()), timeout=_LONG)
    assert page.detail._grid is not None
    view = page.detail._grid.views()[0]
    qtbot.waitUntil(lambda: "ε = " in view.readout(), timeout=_LONG)
    before = view.readout()
    view.plot().handle_moved.emit(0.5)
    assert session.plan.mechanism.params.epsilon == Decimal("0.5")
    assert not session.evidence_fresh
    qtbot.waitUntil(lambda: "ε = 0.5" in view.readout(), timeout=_LONG)
    assert view.readout() != before

    def evidence() -> str:
        view = evidence_view(session, Stage.COMPARE)
        return f"{loss_pairs(view)} {view.budget.sentence() if view.budget else ''}"

    qtbot.waitUntil(lambda: "would spend" in evidence() and "adds 0.5" in evidence(), timeout=_LONG)
    assert "at most ε = 0.5" in evidence()
    window.controller.editor.undo()
    assert session.evidence_fresh


def test_that_an_exploration_answers_in_the_place_of_a_finding_and_goes_back(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    drawn(qtbot, window, sample)
    window.navigation.go_to(Stage.AUDIT.value)
    page = page_of(window, Stage.AUDIT, AuditPage)
    closer = page.right.closer
    closer.offers.buttons["prior-to-posterior"].click()
    qtbot.waitUntil(lambda: closer.form is not None and bool(closer.sentence.text()), timeout=_LONG)
    first = closer.sentence.text()
    window.resize(1280, 800)
    form = closer.form
    assert form is not None
    qtbot.waitUntil(lambda: form.height() >= form.minimumSizeHint().height(), timeout=_LONG)  # no field is cut off
    closer._edited(closer._params.__class__(size=5000))
    qtbot.waitUntil(lambda: closer.detail.finding() is not None and closer.sentence.text() != first, timeout=_LONG)
    closer.back.click()
    assert page.right.currentWidget() is page.detail


def test_that_the_loss_says_whether_it_was_found_or_is_foreseen(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    drawn(qtbot, window, sample)
    session = session_of(window)
    names = [name for name, _ in loss_pairs(evidence_view(session, Stage.AUDIT))]
    assert "spent, exact" in names and "would spend" not in names

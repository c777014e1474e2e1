"""Tables published elsewhere are laid beside the drawn one in the window, and their findings stand in the audit."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import at_rest, page_of, session_of
from tests.ui.test_window import drawn
from workbench.review.decide.stages import Stage
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.audit_page import AuditPage


@pytest.mark.usefixtures("few_draws")
def test_that_a_table_from_outside_is_compared_and_remembered(
    qtbot: QtBot, window: MainWindow, sample: Path, tmp_path: Path
) -> None:
    drawn(qtbot, window, sample)
    session = session_of(window)
    place = session.evidence.table.keys[0].texts()[0]  # type: ignore[union-attr]
    outside = tmp_path / "elsewhere.csv"
    outside.write_text(f"place,jobs\n{place},123\n", encoding="utf-8")
    page = page_of(window, Stage.AUDIT, AuditPage)
    before = session.evidence
    window.controller.run.compare_outside([outside])
    qtbot.waitUntil(lambda: session.evidence is not before and not window.bridge.pending, timeout=60_000)
    at_rest(qtbot, window)
    assert page.outside_button.isEnabled()
    shown = {finding.id.partition(".")[0] for finding in page.findings.findings()}
    assert "differencing" in shown
    now = page.findings.current()
    assert now is not None
    assert now.id.startswith("differencing"), "the answer to what was asked is in view"
    assert "Compared with elsewhere.csv" in window.frame.strip.sentence()
    assert session.evidence_fresh
    (kept,) = window.controller.file.workspace.project.comparisons(session.release_id)
    assert list(kept.files) == ["elsewhere.csv"]
    before = session.evidence
    page.again_button.click()
    qtbot.waitUntil(lambda: session.evidence is not before and not window.bridge.pending, timeout=60_000)
    at_rest(qtbot, window)
    assert len(window.controller.file.workspace.project.comparisons(session.release_id)) == 2

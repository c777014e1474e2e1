"""Findings, releases, stages, problems and progress: what is shown, chosen and sent."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QLabel, QListView, QPushButton
from pytestqt.qtbot import QtBot

from workbench.core.claims import Claim, Definition
from workbench.core.errors import Place, Problem
from workbench.core.findings import Finding, Spent
from workbench.review.decide.evidence import BudgetView, EvidenceView, NextStep, loss_pairs
from workbench.ui.widgets.evidence_panel import EvidencePanel
from workbench.ui.widgets.findings_view import FindingDetail, FindingsList, FindingsModel, summary
from workbench.ui.widgets.pairs import ValueText
from workbench.ui.widgets.problems_panel import ProblemRow, ProblemsPanel
from workbench.ui.widgets.progress_strip import ProgressStrip
from workbench.ui.widgets.release_list import ReleaseItem, ReleaseList, ReleaseModel, title_lines
from workbench.ui.widgets.stage_rail import StageRail, StageState, StageView, shared_widths

STAGES = (
    StageView("data", "Data", StageState.DONE, "20,000 jobs in 1,200 establishments"),
    StageView("audit", "Audit", StageState.ATTENTION, "1 needs attention"),
    StageView("decide", "Decide"),
)
RELEASES = (ReleaseItem("r1", "Employment by place", "in review", "ε 2"), ReleaseItem("r2", "Flows", "approved", "ε 9"))
CLAIM = Claim(
    definition=Definition.EDGE, unit="one job", epsilon=Decimal(2), sentence="Odds of e² to one.", assumptions=("A.",)
)


def test_that_the_models_keep_qts_rules(qtmodeltester: Any, findings: tuple[Finding, ...]) -> None:
    model, releases = FindingsModel(), ReleaseModel()
    model.set_findings(findings)
    releases.set_items(RELEASES)
    qtmodeltester.check(model)
    qtmodeltester.check(releases)


def test_that_the_summary_counts_each_status_in_words(findings: tuple[Finding, ...]) -> None:
    assert summary(findings) == "4 findings · 1 fails · 1 needs attention · 2 pass"
    assert summary(()) == "Nothing has been checked yet."


def test_that_the_gravest_finding_is_chosen_first(qtbot: QtBot, findings: tuple[Finding, ...]) -> None:
    view = FindingsList()
    qtbot.addWidget(view)
    with qtbot.waitSignal(view.selected) as got:
        view.set_findings(findings)
    assert got.args[0].id == "d"


def test_that_next_flagged_goes_round_all_that_need_attention(qtbot: QtBot, findings: tuple[Finding, ...]) -> None:
    view = FindingsList()
    qtbot.addWidget(view)
    view.set_findings(findings)
    seen = []
    view.selected.connect(lambda finding: seen.append(finding.id))
    assert view.next_flagged()
    assert view.next_flagged()
    assert view.previous_flagged()
    assert seen == ["b", "d", "b"]


def test_that_a_long_sentence_gets_a_higher_row_in_a_narrow_list(qtbot: QtBot, findings: tuple[Finding, ...]) -> None:
    view = FindingsList()
    qtbot.addWidget(view)
    view.set_findings(findings)
    view.resize(300, 500)
    with qtbot.waitExposed(view):
        view.show()
    inner = view._view
    tall, short = (inner.visualRect(inner.model().index(row, 0)).height() for row in (1, 0))
    assert tall > short


def test_that_a_finding_is_shown_with_what_it_does_not_prove(qtbot: QtBot, findings: tuple[Finding, ...]) -> None:
    detail = FindingDetail()
    qtbot.addWidget(detail)
    detail.set_finding(findings[0])
    words = " ".join(label.text() for label in detail.findChildren(QLabel))
    assert "What this does not prove" in words
    assert "2 of 2." in words


def test_that_choosing_a_release_tells_its_id_but_setting_it_does_not(qtbot: QtBot) -> None:
    view = ReleaseList()
    qtbot.addWidget(view)
    with qtbot.assertNotEmitted(view.selected):
        view.set_releases(RELEASES)
        view.set_current("r1")
    assert view.current() == "r1"
    view.show()
    with qtbot.waitSignal(view.selected, check_params_cb=lambda release: release == "r2"):
        qtbot.keyClick(view._view, Qt.Key.Key_Down)


def test_that_the_filter_finds_words_of_title_and_state(qtbot: QtBot) -> None:
    view = ReleaseList()
    qtbot.addWidget(view)
    view.set_releases(RELEASES)
    qtbot.keyClicks(view._filter, "approved")
    assert view._shown.rowCount() == 1
    qtbot.keyClicks(view._filter, " nothing")
    assert view._shown.rowCount() == 0
    assert not view._empty.isHidden()


def test_that_stages_are_reached_by_keyboard(qtbot: QtBot) -> None:
    rail = StageRail()
    qtbot.addWidget(rail)
    rail.set_stages(STAGES)
    with qtbot.waitActive(rail):
        rail.show()
        rail.activateWindow()
    with qtbot.waitSignal(rail.selected, check_params_cb=lambda stage: stage == "audit"):
        qtbot.keyClick(rail, Qt.Key.Key_Right)
    assert rail.current() == "audit"


def test_that_new_states_keep_the_current_stage_and_are_spoken(qtbot: QtBot) -> None:
    rail = StageRail()
    qtbot.addWidget(rail)
    rail.set_stages(STAGES)
    rail.set_current("audit")
    rail.set_stages((*STAGES[:1], StageView("audit", "Audit", StageState.STALE), STAGES[2]))
    assert rail.current() == "audit"
    assert rail._buttons[1].accessibleName() == "Audit, stale"


@pytest.mark.parametrize("room", [100, 300, 420, 700, 1500])
def test_that_stages_never_take_more_than_the_room_there_is(room: int) -> None:
    wishes = [(60, 140), (70, 70), (120, 260)]
    widths = shared_widths(wishes, room)
    assert sum(widths) <= room
    if room >= 250:
        assert all(width >= least for width, (least, _) in zip(widths, wishes, strict=True))


def test_that_only_the_longest_titles_and_summaries_are_shortened() -> None:
    assert shared_widths([(60, 100), (70, 100), (160, 300)], 250)[:2] == [60, 70]
    assert shared_widths([(60, 100), (60, 100), (60, 300)], 400)[:2] == [100, 100]


def test_that_problems_open_the_panel_and_jump_to_where_they_are(qtbot: QtBot) -> None:
    panel = ProblemsPanel()
    qtbot.addWidget(panel)
    qtbot.addWidget(panel.badge)
    wrong = Problem("ε is 0", "epsilon", "Use 2", Place("mechanism", "epsilon"))
    panel.set_problems((wrong, Problem("No data")))
    assert not panel.isHidden()
    assert panel.badge.text() == "2 problems"
    panel.copy()
    assert QGuiApplication.clipboard().text() == "epsilon: ε is 0. Use 2.\nNo data."
    show = next(button for button in panel.findChildren(QPushButton) if button.text() == "Show me")
    with qtbot.waitSignal(panel.jump, check_params_cb=lambda problem: problem is wrong):
        show.click()
    panel.clear()
    assert panel.isHidden()
    assert panel.badge.isHidden(), "a finding may fail all the same: nothing is said of problems"


def test_that_cancel_is_asked_once_and_shown_as_stopping(qtbot: QtBot) -> None:
    strip = ProgressStrip()
    qtbot.addWidget(strip)
    strip.show()
    strip.set_progress(0.4, "Trial 8 of 20")
    assert strip.busy()
    with qtbot.waitSignal(strip.cancel_requested):
        qtbot.mouseClick(strip._cancel, Qt.MouseButton.LeftButton)
    strip.set_progress(0.5, "Trial 10 of 20")
    assert not strip._cancel.isEnabled()
    strip.set_idle("Stopped")
    assert not strip.busy()
    strip.set_progress(None, "Again")
    assert strip._cancel.isEnabled()


def test_that_the_budget_is_told_exactly_in_words() -> None:
    fits = BudgetView(spent=Decimal("0.1"), adds=Decimal("0.2"), cap=Decimal("0.3"))
    assert fits.sentence() == "ε 0.1 of 0.3 spent; this release adds 0.2; 0 would remain."
    over = BudgetView(spent=Decimal("6.2"), adds=Decimal(5), cap=Decimal(10))
    assert "1.2 more than is left" in over.sentence()
    counted = BudgetView(spent=Decimal("4.5"), adds=Decimal(0), cap=Decimal(4))
    assert counted.sentence() == "ε 4.5 of 4 spent, this release included; 0.5 above the cap."
    assert "No cap is set" in BudgetView(spent=Decimal(1), adds=Decimal(1)).sentence()


def test_that_the_next_step_is_a_button_that_says_which(qtbot: QtBot) -> None:
    panel = EvidencePanel()
    qtbot.addWidget(panel)
    panel.set_evidence(EvidenceView(claim=CLAIM, next_step=NextStep("audit", "Run the audit")))
    panel.resize(280, 700)
    panel.show()
    with qtbot.waitSignal(panel.next_step, check_params_cb=lambda step: step == "audit"):
        qtbot.mouseClick(panel._button, Qt.MouseButton.LeftButton)


def test_that_an_unaudited_loss_says_so() -> None:
    assert ("spent, exact", "not audited yet") in loss_pairs(EvidenceView(claim=CLAIM))
    assert ("spent, exact", "ε = 1.998") in loss_pairs(EvidenceView(claim=CLAIM, spent=Spent(epsilon=1.998)))
    bound = EvidenceView(claim=CLAIM, spent=Spent(epsilon=1.998, bound=True))
    assert ("spent, at most", "ε = 1.998") in loss_pairs(bound), "what is only bounded is not called exact"


def test_that_the_panel_never_needs_more_width_than_its_place(qtbot: QtBot) -> None:
    panel = EvidencePanel()
    qtbot.addWidget(panel)
    step = NextStep("x", "Look at the requirement on the shape of establishments before you decide")
    panel.set_evidence(
        EvidenceView(claim=CLAIM, next_step=step, facts=(("file", "a_very_long_name_without_spaces.parquet"),))
    )
    assert panel._claim.minimumSizeHint().width() <= 265
    assert panel._next.minimumSizeHint().width() <= 265
    assert panel._facts.minimumSizeHint().width() <= 265


def test_that_a_value_breaks_between_words_and_inside_one_only_where_it_must(qtbot: QtBot) -> None:
    words, name = ValueText("at most ε = 8.326"), ValueText("employment_2026_quarter_2.parquet")
    for value in (words, name):
        qtbot.addWidget(value)
    assert words.flags(80) & int(Qt.TextFlag.TextWordWrap)
    assert not words.flags(80) & int(Qt.TextFlag.TextWrapAnywhere)
    assert name.flags(80) & int(Qt.TextFlag.TextWrapAnywhere)
    assert name.heightForWidth(80) > words.heightForWidth(400)


def test_that_one_problem_stands_close_together_however_high_its_panel(qtbot: QtBot) -> None:
    panel = ProblemsPanel()
    qtbot.addWidget(panel)
    panel.set_problems((Problem("The release was approved", do="Duplicate it"),))
    panel.resize(600, 170)
    with qtbot.waitExposed(panel):
        panel.show()
    row = panel.findChild(ProblemRow)
    assert row is not None
    assert row.height() <= row.heightForWidth(row.width())


def test_that_a_long_title_takes_two_lines_and_keeps_its_end(qtbot: QtBot) -> None:
    releases = ReleaseList()
    qtbot.addWidget(releases)
    long = "2026 Q2 employment by place, sector and ownership"
    releases.set_releases((ReleaseItem("r1", "Flows", "draft"), ReleaseItem("r2", long, "draft")))
    releases.resize(216, 600)
    releases.show()
    view = releases.findChild(QListView)
    assert view is not None
    qtbot.waitUntil(lambda: view.sizeHintForRow(1) > view.sizeHintForRow(0))
    metrics = QFontMetrics(view.font())
    room = metrics.horizontalAdvance("2026 Q2 employment by place")
    first, second = title_lines(long, metrics, room)
    assert first == "2026 Q2 employment by place,"[: len(first)] and f"{first} {second}" == long, "nothing is cut"
    first, second = title_lines(f"{long} in the whole of the country (copy)", metrics, room)
    assert "…" in second and second.endswith("(copy)"), "a copy is told from what it was made of"
    assert max(map(metrics.horizontalAdvance, (first, second))) <= room
    assert title_lines("Flows", metrics, room) == ["Flows"]
    releases.resize(500, 600)
    qtbot.waitUntil(lambda: view.sizeHintForRow(1) == view.sizeHintForRow(0))


def test_that_the_words_of_the_button_are_whole_in_a_narrow_list(qtbot: QtBot) -> None:
    releases = ReleaseList()
    releases.setMinimumWidth(146)  # as on a small screen at 150 %
    qtbot.addWidget(releases)
    releases.show()
    for width, icon in ((146, False), (216, True), (146, False)):
        releases.resize(width, 600)
        qtbot.waitUntil(lambda icon=icon: releases._new.icon().isNull() is not icon)
        assert releases._new.sizeHint().width() <= width - 24, "the margins at both sides"

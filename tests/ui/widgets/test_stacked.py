"""A list above something else takes the height of its rows, and no more than its share."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from workbench.core.findings import Finding, Status
from workbench.ui.pages.stacked import Stacked
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.findings_view import FindingsList


def findings(count: int) -> tuple[Finding, ...]:
    return tuple(
        Finding(id=f"a.{n}", title=f"Check {n}", status=Status.PASS, sentence="It holds.", does_not_prove="More.")
        for n in range(count)
    )


def shown(qtbot: QtBot) -> tuple[Stacked, Card, FindingsList, QLabel]:
    """Two findings above a label, 800 pixels high."""
    card, rows, below = Card("Checks", grows=True), FindingsList(), QLabel("below")
    card.add(rows, stretch=1)
    split = Stacked(card, rows, below)
    qtbot.addWidget(split)
    rows.set_findings(findings(2))
    split.resize(400, 800)
    split.show()
    qtbot.waitUntil(lambda: abs(rows.lacks()) <= 1)
    return split, card, rows, below


def test_that_few_findings_leave_the_room_to_what_is_below(qtbot: QtBot) -> None:
    split, card, rows, below = shown(qtbot)
    few = card.height()
    assert few < 300 < below.height(), "the card ends where its rows end"
    rows.set_findings(findings(20))
    split.fit()
    qtbot.waitUntil(lambda: card.height() > few)
    assert rows.lacks() > 0, "so many do not fit, and scroll"
    assert below.height() >= 0.4 * 800, "what is below keeps its share"
    split.resize(400, 3000)
    qtbot.waitUntil(lambda: abs(rows.lacks()) <= 1)


def test_that_a_share_somebody_dragged_stays(qtbot: QtBot) -> None:
    split, card, rows, _below = shown(qtbot)
    split.moveSplitter(500, 1)
    rows.set_findings(findings(1))
    split.fit()
    assert card.height() == 500

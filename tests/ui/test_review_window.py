"""Several reviewers at one window: votes, signatures, overspends, exceptions, the ledger, the overview, the search."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from tests.cli.said import dwb
from tests.cli.small import PLAN, write_small
from tests.ui.journeys.test_whole_review import at_rest, page_of, session_of
from workbench.core.passphrase import Passphrase
from workbench.core.states import Verdict
from workbench.policy.text import from_text
from workbench.project.signing.keys import KeyStore
from workbench.review.decide.keyring import Keyring
from workbench.review.decide.stages import Stage
from workbench.review.workspace import Workspace
from workbench.ui.identity import KeysDialog, show_keys
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.compare_page import ComparePage
from workbench.ui.pages.data_page import DataPage
from workbench.ui.pages.decide_page import DecidePage
from workbench.ui.passphrase import PassphraseDialog
from workbench.ui.policy_dialog import PolicyDialog, show_policy

_LONG = 60_000
_SECRET = "four words are enough"
POLICY = """[policy]
name = "office"
version = 1
[epsilon]
edge = 4
[review]
reviewers = 2
blinded = true
exceptions_by = ["Head of unit"]
"""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ana prepared three releases; Ben approved the first before there was a policy. The third asks for too much."""
    folder = tmp_path_factory.mktemp("review")
    write_small(folder)
    for epsilon, title in (("1.5", "First table"), ("0.5", "Second table"), ("3", "Hospitals in Zürich")):
        text = PLAN.replace("epsilon = 1.5", f"epsilon = {epsilon}").replace("Jobs by place and sector", title)
        (folder / "plan.toml").write_text(text, encoding="utf-8")
        ran = dwb("run", folder / "plan.toml", "--project", folder / "review.dwb", "--preparer", "Ana", "--json")
        assert ran.code == 0, ran.err
        if epsilon == "1.5":
            decided = dwb("decide", folder / "review.dwb", "R-0001", "--approve", "--reviewer", "Ben")
            assert decided.code == 0, decided.err
    return folder


@pytest.fixture
def project(prepared: Path, tmp_path: Path) -> Path:
    for name in ("review.dwb", "jobs.csv"):
        shutil.copy(prepared / name, tmp_path / name)
    with_policy = Workspace()
    with_policy.open(tmp_path / "review.dwb", person="Director")
    with_policy.set_policy(from_text(POLICY), actor="Director", reason="June")
    with_policy.close()
    return tmp_path / "review.dwb"


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, project: Path) -> Iterator[MainWindow]:
    window.controller.voices.keyring = Keyring(KeyStore(project.parent / "keys", cost=2**8))
    window.open_project(project)
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    at_rest(qtbot, window)
    yield window


def sit_down(qtbot: QtBot, window: MainWindow, name: str, release: str) -> DecidePage:
    """Somebody else takes the chair and looks at a release."""
    window.controller.file.person = name
    window.controller.releases.select(release)
    qtbot.waitUntil(lambda: session_of(window).release_id == release, timeout=_LONG)
    window.controller.editor.changed.emit()
    page = page_of(window, Stage.DECIDE, DecidePage)
    at_rest(qtbot, window)
    qtbot.waitUntil(lambda: page.desk is not None and page.desk.viewer == name and page.desk.release_id == release)
    return page


def voices(page: DecidePage) -> str:
    return "\n".join(f"{voice.title}. {voice.sentence}" for voice in page.history.voices())


def click(qtbot: QtBot, window: MainWindow, button: object) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)  # type: ignore[arg-type]
    at_rest(qtbot, window)


def dialog_of(qtbot: QtBot, window: MainWindow) -> PassphraseDialog:
    qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(PassphraseDialog)), timeout=_LONG)
    return next(each for each in window.findChildren(PassphraseDialog) if each.isVisible())


def answer(qtbot: QtBot, window: MainWindow, first: str, again: str = "") -> None:
    dialog = dialog_of(qtbot, window)
    qtbot.keyClicks(dialog.first, first)
    if again:
        qtbot.keyClicks(dialog.again, again)
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Ok), Qt.MouseButton.LeftButton)


def test_that_two_reviewers_vote_blinded_and_then_one_records_the_decision(qtbot: QtBot, opened: MainWindow) -> None:
    page = sit_down(qtbot, opened, "Ben", "R-0002")
    assert page.voice.title() == "Your vote"
    assert "Policy: office, version 1 · 2 reviewers, blinded" in page.gate_card._subtitle.text()
    assert page.voice.other.isHidden(), "where votes are blinded nobody decides before all have voted"
    page.comment.setPlainText("secret thoughts")
    click(qtbot, opened, page.approve)
    assert "Ben votes: approve" in voices(page)
    assert page.comment.toPlainText() == "", "speaking uses the comment up"
    page = sit_down(qtbot, opened, "Cleo", "R-0002")
    assert "Ben has voted" in voices(page)
    assert "secret thoughts" not in voices(page)
    assert "1 of 2 reviewers have voted: Ben" in page.who.text()
    click(qtbot, opened, page.approve)
    assert "secret thoughts" in voices(page)
    assert page.voice.title() == "Your decision"
    assert "2 approve" in page.who.text()
    page.public_comment.setPlainText("Reviewed by two people.")
    click(qtbot, opened, page.approve)
    assert session_of(opened).state == "approved"
    assert session_of(opened).decisions[-1].decision is Verdict.APPROVE
    assert "under office, version 1" in voices(page)
    assert not page.voice.answers.isVisible()


def test_that_a_reviewer_sees_what_was_checked_and_loads_the_data_where_they_are_missed(
    qtbot: QtBot, opened: MainWindow
) -> None:
    sit_down(qtbot, opened, "Ben", "R-0002")
    data = page_of(opened, Stage.DATA, DataPage)
    at_rest(qtbot, opened)
    assert session_of(opened).loaded is None
    assert data.checks.findings(), "what was found of the data is stored, and in view without them"
    assert data.preview_card.isHidden()
    compare = page_of(opened, Stage.COMPARE, ComparePage)
    at_rest(qtbot, opened)
    click(qtbot, opened, compare.load_button)
    qtbot.waitUntil(lambda: compare.stack.currentWidget() is compare.table, timeout=_LONG)


def test_that_a_stored_draw_is_shown_with_its_own_claim(qtbot: QtBot, opened: MainWindow) -> None:
    """Without the data the plan alone would promise more: that the list of cells is public is not known then."""
    sit_down(qtbot, opened, "Ben", "R-0002")
    evidence = session_of(opened).evidence
    assert evidence is not None
    assert not evidence.claim.formal
    assert opened.frame.evidence._claim._formal.text().startswith("Not a formal guarantee.")


def test_that_a_vote_before_the_plan_changed_is_called_out_of_date(qtbot: QtBot, opened: MainWindow) -> None:
    page = sit_down(qtbot, opened, "Ben", "R-0002")
    page.comment.setPlainText("less, please")
    click(qtbot, opened, page.changes)
    plan = session_of(opened).plan
    opened.controller.editor.edit("another study", study=replace(plan.study, trials=3))
    opened.controller.editor.save()
    at_rest(qtbot, opened)
    qtbot.waitUntil(lambda: "out of date" in voices(page), timeout=_LONG)
    assert session_of(opened).plan != plan
    assert not page.approve.isEnabled()


def test_that_a_voice_is_signed_with_a_key_made_on_first_use_and_unlocked_once(
    qtbot: QtBot, opened: MainWindow, capfd: pytest.CaptureFixture[str]
) -> None:
    page = sit_down(qtbot, opened, "Ben", "R-0002")
    page.voice.sign.setChecked(True)
    assert page.approve.text() == "Vote to approve and sign"
    qtbot.mouseClick(page.approve, Qt.MouseButton.LeftButton)
    answer(qtbot, opened, "short", "short")
    dialog = dialog_of(qtbot, opened)
    assert "12 characters" in dialog.problem.text()
    assert dialog.first.text() == ""
    answer(qtbot, opened, _SECRET, _SECRET + "x")
    assert "differ" in dialog.problem.text()
    answer(qtbot, opened, _SECRET, _SECRET)
    at_rest(qtbot, opened)
    qtbot.waitUntil(lambda: "signed by Ben" in voices(page), timeout=_LONG)
    assert ", verified" in voices(page)
    assert "is unlocked" in page.voice.key_words.text()
    click(qtbot, opened, page.approve)
    assert len(page.history.voices()) == 2, "asked once: the second vote went through without a question"
    opened.controller.voices.keyring.forget()
    opened.controller.editor.changed.emit()
    qtbot.mouseClick(page.approve, Qt.MouseButton.LeftButton)
    answer(qtbot, opened, "another passphrase")
    qtbot.waitUntil(lambda: "does not open the key" in dialog_of(qtbot, opened).problem.text(), timeout=_LONG)
    answer(qtbot, opened, _SECRET)
    at_rest(qtbot, opened)
    qtbot.waitUntil(lambda: len(page.history.voices()) == 3, timeout=_LONG)
    assert not page.voice.sign.isEnabled(), "whoever has a key here signs"
    assert page.voice.sign.toolTip().startswith("You have a key in this project"), "and is told why"
    said = capfd.readouterr()
    assert _SECRET not in said.out + said.err + repr([vars(part) for part in vars(opened.controller).values()])


def test_that_an_overspend_is_refused_until_somebody_the_policy_names_lets_it_pass(
    qtbot: QtBot, opened: MainWindow
) -> None:
    for who in ("Ben", "Cleo"):
        page = sit_down(qtbot, opened, who, "R-0003")
        click(qtbot, opened, page.approve)
    assert page.voice.title() == "Your decision"
    assert not page.approve.isEnabled()
    assert "exceed the cap of 4 by 0.5" in page.overspend.words.text()
    assert "Head of unit may grant an exception" in page.overspend.who.text()
    assert not page.overspend.grant.isVisible()
    page = sit_down(qtbot, opened, "Head of unit", "R-0003")
    assert page.overspend.grant.isVisible()
    assert not page.overspend.grant.isEnabled(), "an exception needs a reason"
    page.overspend.reason.setText("Asked for by parliament")
    click(qtbot, opened, page.overspend.grant)
    assert "Head of unit granted an exception" in voices(page)
    assert not page.overspend.isVisible()
    page = sit_down(qtbot, opened, "Cleo", "R-0003")
    click(qtbot, opened, page.approve)
    assert session_of(opened).state == "approved"
    opened.navigation.show_ledger()
    at_rest(qtbot, opened)
    ledger = opened.navigation.ledger
    qtbot.waitUntil(lambda: ledger.entries.table.rowCount() == 2, timeout=_LONG)
    assert "Asked for by parliament" in ledger.granted.text()
    assert "by exception" in str(ledger.entries.table.index(1, 5).data())


@pytest.mark.parametrize("size", [(1280, 800), (1500, 880)])
def test_that_the_buttons_of_a_decision_are_in_view(qtbot: QtBot, opened: MainWindow, size: tuple[int, int]) -> None:
    opened.resize(*size)
    page = sit_down(qtbot, opened, "Head of unit", "R-0003")
    assert page.overspend.isVisible()
    for button in (*page.voice.buttons(), page.overspend.grant):
        qtbot.waitUntil(lambda button=button: button.width() >= button.sizeHint().width())  # type: ignore[misc]
        corner = button.mapTo(page, QPoint(button.width(), button.height()))
        assert page.rect().contains(corner), button.text()


def test_that_a_project_begins_with_its_overview_and_a_search_leads_to_a_release(
    qtbot: QtBot, opened: MainWindow
) -> None:
    overview = opened.navigation.overview
    assert opened.frame.stack.currentWidget() is overview
    assert [each.id for each in overview.shown] == ["R-0002", "R-0003", "R-0001"]
    numbers = {tile.what.text(): tile.number.text() for tile in overview.tiles.tiles}
    assert (numbers["wait for reviewers"], numbers["approved"]) == ("2", "1")
    assert overview.table.table.index(0, 3).data() == "2 reviewers: vote"
    opened.navigation.go_to("audit")
    opened.menus.find.trigger()
    assert opened.frame.stack.currentWidget() is overview
    qtbot.waitUntil(overview.search.hasFocus)
    qtbot.keyClicks(overview.search, "zurich HOSP")
    assert [each.id for each in overview.shown] == ["R-0003"], "instantly, whatever the case and accents"
    assert overview.counted.text() == "1 of 3"
    qtbot.keyClick(overview.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session_of(opened).release_id == "R-0003", timeout=_LONG)
    at_rest(qtbot, opened)
    assert not opened.navigation.whole_in_view
    assert opened.frame.evidence.isVisible()
    overview.search.setText("nothing of the kind")
    assert not overview.shown
    assert "No release contains" in overview.nothing.text()


def test_that_the_ledger_is_reached_from_the_gauge_and_written_as_csv(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    opened.navigation.show_release("R-0003")
    qtbot.waitUntil(lambda: session_of(opened).release_id == "R-0003", timeout=_LONG)
    opened.navigation.go_to("mechanism")
    at_rest(qtbot, opened)
    qtbot.mouseClick(opened.frame.evidence._gauge, Qt.MouseButton.LeftButton)
    ledger = opened.navigation.ledger
    assert opened.frame.stack.currentWidget() is ledger
    at_rest(qtbot, opened)
    qtbot.waitUntil(lambda: "all within the last day" in ledger.no_course.text(), timeout=_LONG)
    assert "would exceed the cap of 4 by 0.5" in ledger.what_if.text()
    assert "If R-0003 were approved" in ledger.what_if.text()
    assert [ledger.entries.table.index(0, column).data() for column in (1, 3, 4)] == ["R-0001", "1.5", "0"]
    assert "added to the 0 spent before" in ledger.sentence.text()
    ledger.export_to(tmp_path / "ledger.csv")
    at_rest(qtbot, opened)
    assert "R-0001" in (tmp_path / "ledger.csv").read_text(encoding="utf-8")
    ledger.entries.activated.emit(ledger.entries.table.index(0, 0))
    qtbot.waitUntil(lambda: session_of(opened).release_id == "R-0001", timeout=_LONG)
    assert not opened.navigation.whole_in_view


def test_that_a_policy_is_put_in_force_with_a_reason(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    page = sit_down(qtbot, opened, "Director", "R-0002")
    show_policy(opened, opened.controller.file, opened.controller.voices)
    dialog = opened.findChild(PolicyDialog)
    assert isinstance(dialog, PolicyDialog)
    assert "office, version 1" in dialog.choice.currentText()
    assert not dialog.put.isEnabled()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[policy]\nversion = 0\n", encoding="utf-8")
    dialog.read(wrong)
    assert "no name" in dialog.problem.text()
    (tmp_path / "one.toml").write_text(
        '[policy]\nname = "one"\nversion = 1\n[review]\nreviewers = 1\n', encoding="utf-8"
    )
    dialog.read(tmp_path / "one.toml")
    dialog.accept()
    assert "why" in dialog.problem.text()
    dialog.reason.setText("Board")
    dialog.accept()
    at_rest(qtbot, opened)
    qtbot.waitUntil(lambda: page.desk is not None and page.desk.policy == "one, version 1", timeout=_LONG)
    assert page.voice.title() == "Your decision"


def test_that_a_second_key_under_a_name_counts_once_two_reviewers_answer_for_it(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    """Whoever has signed nothing here yet is told to vote first, and can; one reviewer's word is not enough."""
    own, file = opened.controller.voices.keyring, opened.controller.file
    ben = own.make("Ben", Passphrase(_SECRET))
    other = KeyStore(tmp_path / "another machine", cost=2**8).make("Ben", Passphrase(_SECRET))
    project = file.workspace.project
    for key in (ben, other):
        project.enrol("Ben", key.public)
    file.person = "Cleo"
    project.enrol("Cleo", own.make("Cleo", Passphrase(_SECRET)).public)
    show_keys(opened, file, opened.controller.voices)
    dialog = opened.findChild(KeysDialog)
    assert isinstance(dialog, KeysDialog)
    qtbot.waitUntil(lambda: len(dialog.keys) == 3, timeout=_LONG)
    dialog.table.go_to(0)
    assert not dialog.vouch.isEnabled(), "the first key needs nobody's word"
    jobs = opened.controller.jobs
    _answer_for(qtbot, dialog, 1)
    qtbot.waitUntil(lambda: bool(jobs.problems), timeout=_LONG)
    assert "has signed nothing here yet" in jobs.problems[0].what
    assert "Vote or decide with it first" in jobs.problems[0].do
    for name, standing in (("Cleo", "1 of 2 people vouch for it"), ("Dora", "trusted")):
        file.person = name
        own.unlock(name, Passphrase(_SECRET))
        project.sign_as(own.signer_of(name))
        project.vote("R-0002", vote="approve", reviewer=name, comment="seen")
        _answer_for(qtbot, dialog, 1)
        qtbot.waitUntil(lambda standing=standing: dialog.keys[1].standing == standing, timeout=_LONG)
    assert dialog.keys[0].standing == "replaced"
    dialog.close()


def _answer_for(qtbot: QtBot, dialog: KeysDialog, row: int) -> None:
    dialog.table.go_to(row)
    qtbot.waitUntil(dialog.vouch.isEnabled, timeout=_LONG)
    qtbot.mouseClick(dialog.vouch, Qt.MouseButton.LeftButton)

"""What keeps a project safe, done in the window: passphrases, verification, bundles, merged votes, files elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from tests.cli.said import dwb
from tests.cli.small import PLAN, write_small
from tests.ui.journeys.test_whole_review import at_rest, page_of, session_of
from tests.ui.test_review_window import answer, dialog_of
from workbench.project.file import encryption
from workbench.project.file.encryption import is_encrypted
from workbench.review.decide.stages import Stage
from workbench.review.plan.offers import title_of
from workbench.review.plan.outside import ALLOWED
from workbench.review.publish.samples import SAMPLES
from workbench.ui.asking import ToldDialog
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.report_page import ReportPage
from workbench.ui.widgets.file_dialog import FileDialog

_LONG = 60_000
_SECRET = "four words are enough"


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One release by Ana, approved by Ben."""
    folder = tmp_path_factory.mktemp("files")
    write_small(folder)
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    ran = dwb("run", folder / "plan.toml", "--project", folder / "review.dwb", "--preparer", "Ana", "--json")
    assert ran.code == 0, ran.err
    return folder


@pytest.fixture
def folder(approved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(ALLOWED, str(tmp_path / "allowed.json"))
    monkeypatch.setattr(encryption, "ROUNDS", 2000)  # as many as are safe take their time
    home = tmp_path / "home"
    home.mkdir()
    for name in ("review.dwb", "jobs.csv"):
        shutil.copy(approved / name, home / name)
    return home


def open_in(qtbot: QtBot, window: MainWindow, project: Path) -> None:
    window.open_project(project)
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    at_rest(qtbot, window)


def told(qtbot: QtBot, window: MainWindow) -> str:
    """The words of the result that is shown, which is then closed."""
    at_rest(qtbot, window)
    qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(ToldDialog)), timeout=_LONG)
    dialog = next(each for each in window.findChildren(ToldDialog) if each.isVisible())
    words = " ".join((dialog.sentence.text(), *dialog.lines))
    dialog.close()
    return words


def test_that_a_project_is_encrypted_opened_again_and_decrypted(
    qtbot: QtBot, window: MainWindow, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    project = folder / "review.dwb"
    open_in(qtbot, window, project)
    assert not window.menus.decrypt.isEnabled()
    window.menus.encrypt.trigger()
    answer(qtbot, window, _SECRET, _SECRET)
    assert "is encrypted" in told(qtbot, window)
    assert is_encrypted(project)
    assert window.menus.encrypt.text().replace("&", "") == "Change passphrase…"
    window.controller.file.workspace.close()
    window.controller.file.view = window.controller.editor.session = None
    window.controller.file._passphrase = None
    window.open_project(project)
    answer(qtbot, window, "not the right one")
    qtbot.waitUntil(lambda: "Wrong passphrase" in dialog_of(qtbot, window).problem.text(), timeout=_LONG)
    assert window.controller.file.view is None
    answer(qtbot, window, _SECRET)
    qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
    at_rest(qtbot, window)
    window.controller.file.verify()
    assert "is as it was written" in told(qtbot, window), "the passphrase is asked once"
    window.menus.encrypt.trigger()
    answer(qtbot, window, _SECRET + " more", _SECRET + " more")
    assert "is encrypted" in told(qtbot, window)
    window.controller.file.decrypt()
    assert "no longer encrypted" in told(qtbot, window)
    assert not is_encrypted(project)
    window.controller.file.verify()
    assert "as it was written" in told(qtbot, window)
    said = capfd.readouterr()
    assert _SECRET not in said.out + said.err + repr([vars(part) for part in vars(window.controller).values()])


def test_that_a_cancelled_passphrase_leaves_the_window_as_it_was(
    qtbot: QtBot, window: MainWindow, folder: Path
) -> None:
    open_in(qtbot, window, folder / "review.dwb")
    window.menus.encrypt.trigger()
    dialog = dialog_of(qtbot, window)
    qtbot.keyClicks(dialog.first, _SECRET)
    dialog.reject()
    assert dialog.first.text() == ""
    at_rest(qtbot, window)
    assert not is_encrypted(folder / "review.dwb")


def test_that_only_an_approved_release_is_bundled_and_its_report_can_be_verified(
    qtbot: QtBot, window: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window.controller.publishing, "preview_report", lambda _audience: None)
    open_in(qtbot, window, folder / "review.dwb")
    report = page_of(window, Stage.REPORT, ReportPage)
    at_rest(qtbot, window)
    assert not report.bundle_button.isEnabled()
    window.controller.file.person = "Ben"
    window.controller.voices.decide("approve", comment="", public_comment="")
    qtbot.waitUntil(lambda: session_of(window).closed, timeout=_LONG)
    at_rest(qtbot, window)
    assert report.bundle_button.isEnabled()
    window.controller.publishing.export_bundle(folder / "bundle.zip")
    at_rest(qtbot, window)
    assert (folder / "bundle.zip").exists()
    window.controller.publishing.check_bundle(folder / "bundle.zip")
    assert "complete and unchanged" in told(qtbot, window)
    shutil.unpack_archive(folder / "bundle.zip", folder / "out")
    twin = folder / "out" / "R-0001-report.json"
    window.controller.publishing.verify_report(twin)
    assert "is what the project holds" in told(qtbot, window)
    twin.write_text(twin.read_text(encoding="utf-8").replace("Jobs by place", "Work by place"), encoding="utf-8")
    window.controller.publishing.verify_report(twin)
    words = told(qtbot, window)
    assert "not the report that the project holds" in words
    assert "title differs" in words


def test_that_votes_from_a_copy_come_over(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    copy = folder / "copy.dwb"
    shutil.copy(folder / "review.dwb", copy)
    assert dwb("vote", copy, "R-0001", "--vote", "approve", "--reviewer", "Ben", "--comment", "from afar").code == 0
    open_in(qtbot, window, folder / "review.dwb")
    window.controller.file.merge(copy)
    assert "1 vote of Ben merged" in told(qtbot, window)
    at_rest(qtbot, window)
    votes = window.controller.file.workspace.project.votes("R-0001", viewer="Cleo")
    assert [(vote.reviewer, vote.comment) for vote in votes] == [("Ben", "from afar")]
    window.controller.file.merge(copy)
    assert "nothing new" in told(qtbot, window)


def test_that_a_refused_merge_leaves_the_project_open(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    (folder / "other.dwb").write_bytes(b"no project")
    open_in(qtbot, window, folder / "review.dwb")
    window.controller.file.merge(folder / "other.dwb")
    qtbot.waitUntil(lambda: bool(window.controller.jobs.problems), timeout=_LONG)
    at_rest(qtbot, window)
    window.controller.file.verify()
    assert "as it was written" in told(qtbot, window)


def test_that_a_file_outside_the_project_is_read_only_after_a_person_said_so(
    qtbot: QtBot, window: MainWindow, folder: Path, tmp_path: Path
) -> None:
    shutil.copy(folder / "jobs.csv", tmp_path / "elsewhere.csv")
    text = PLAN.replace('path = "jobs.csv"', 'path = "../elsewhere.csv"')
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    words = ("run", folder / "plan.toml", "--project", folder / "review.dwb", "--allow-outside", "--json")
    assert dwb(*words).code == 0
    (tmp_path / "allowed.json").unlink()  # another person's machine
    open_in(qtbot, window, folder / "review.dwb")
    window.controller.releases.select("R-0002")
    qtbot.waitUntil(lambda: session_of(window).release_id == "R-0002", timeout=_LONG)
    at_rest(qtbot, window)

    def asked() -> QMessageBox:
        window.controller.run.load()
        at_rest(qtbot, window)
        box = next(each for each in window.findChildren(QMessageBox) if each.isVisible())
        assert "elsewhere.csv" in box.text()
        return box

    def press(box: QMessageBox, words: str) -> None:
        button = next(each for each in box.buttons() if each.text() == words)
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        at_rest(qtbot, window)

    press(asked(), "Leave them")
    assert session_of(window).loaded is None
    press(asked(), "Read them")
    qtbot.waitUntil(lambda: session_of(window).loaded is not None, timeout=_LONG)
    assert (tmp_path / "allowed.json").exists(), "asked once"


def test_that_the_sample_is_there_for_people_without_a_project(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    start = window.frame.start_page
    assert {name: button.text() for name, button in start.samples.buttons.items()} == {
        name: f"{title_of(name)}…" for name in SAMPLES
    }, "every sample is there, under the name of its product"
    assert all(button.isVisible() for button in start.samples.buttons.values())
    asked: list[tuple[str, Path]] = []
    start.sample_requested.connect(lambda name, folder: asked.append((name, folder)))
    start.samples.buttons["model_fits"].click()
    dialog = start.findChild(FileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path))
    dialog.close()
    assert asked == [("model_fits", tmp_path)]
    qtbot.waitUntil(lambda: window.controller.file.view is not None, timeout=_LONG)
    assert "holds no release" not in start.first.title(), "nor while its release is being opened"
    at_rest(qtbot, window)
    for number in ("", " 2"):
        window.frame.start_page.sample_requested.emit("employment_tables", tmp_path)
        home = tmp_path / f"employment tables sample{number}"
        arrived: Callable[[], bool] = lambda home=home: (  # noqa: E731
            window.controller.file.view is not None and window.controller.file.view.path.parent == home.resolve()
        )
        qtbot.waitUntil(arrived, timeout=_LONG)
        qtbot.waitUntil(lambda: window.controller.editor.session is not None, timeout=_LONG)
        at_rest(qtbot, window)
        assert (home / "plan.toml").exists()
    assert session_of(window).plan.data.roles
    window.controller.run.load()
    qtbot.waitUntil(lambda: session_of(window).prepared_fresh, timeout=_LONG)
    at_rest(qtbot, window)

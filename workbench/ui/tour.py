"""The samples reviewed through the real window without a display: every stage photographed, every report written."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from workbench.core.errors import Defect, UserProblem
from workbench.core.findings import Audience
from workbench.core.passphrase import Passphrase
from workbench.core.progress import QUIET
from workbench.core.states import ReleaseState
from workbench.review.decide.keyring import Keyring
from workbench.review.decide.stages import Stage
from workbench.review.publish.sample_project import PREPARER, REVIEWER, write_sample_project
from workbench.review.views import ReleaseRow
from workbench.ui import theme
from workbench.ui.app import make_app, tell_defects
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.decide_page import DecidePage
from workbench.ui.settings import Settings

_PATIENCE_SECONDS = 180


class Tour:
    """Drives the window as a person would and waits for it as a person would."""

    def __init__(self, out: Path, size: tuple[int, int] = (1500, 880)) -> None:
        self.out = self.folder = out
        self.app: QApplication = make_app()
        theme.apply(self.app, theme.Mode.LIGHT)
        settings = Settings(QSettings(str(out / "window.ini"), QSettings.Format.IniFormat))
        self.window = MainWindow(settings)
        self.window.controller.file.person = PREPARER
        self.window.controller.jobs.defect.connect(self._defect)
        tell_defects(self.window)
        self._details = ""
        self.window.resize(*size)
        self.window.show()

    def wait(self, reached: Callable[[], bool]) -> None:
        """Turn the event loop until something is reached; a problem on the way ends the tour with its words."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not reached():
            self.app.processEvents()
            if self._details:
                raise Defect(self._details)
            if self.window.controller.jobs.problems:
                raise UserProblem(problems=self.window.controller.jobs.problems)
            if time.monotonic() > deadline:
                raise Defect("the window did not get there in time")
            time.sleep(0.002)

    def settle(self) -> None:
        self.wait(lambda: not self.window.bridge.pending and self.window.settled)
        for _ in range(25):  # layouts, delayed indexing and the preview need some turns of the loop
            self.app.processEvents()
            time.sleep(0.01)

    def photograph(self, stage: Stage) -> Path:
        self.window.navigation.go_to(stage.value)
        self.settle()
        path = self.folder / f"{list(Stage).index(stage) + 1}-{stage.value}.png"
        self.window.grab().save(str(path))
        return path

    def end(self) -> None:
        sys.excepthook = sys.__excepthook__
        self.window.close()
        self.window.deleteLater()
        self.app.processEvents()

    def _defect(self, details: str) -> None:
        self._details = details


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """One sample after its tour: where it stands, and what was written into its folder."""

    release_id: str
    product: str
    title: str
    state: str
    folder: Path
    pictures: int
    reports: int


def tour(out: Path, size: tuple[int, int] = (1500, 880)) -> Iterator[Visited]:
    """Review every sample from data to report, one after the other, in one project and one window."""
    folder = out / "samples"
    shutil.rmtree(folder, ignore_errors=True)
    project = write_sample_project(folder, QUIET)
    trip = Tour(out, size)
    try:
        trip.window.open_project(project)
        trip.settle()
        view, keyring = trip.window.controller.file.view, _keyring(out / "keys")
        for row in sorted(view.releases if view is not None else (), key=lambda row: row.id):
            yield _visit(trip, row, keyring)
    finally:
        trip.end()


def _visit(trip: Tour, row: ReleaseRow, keyring: Keyring) -> Visited:
    """One release: loaded and drawn as its preparer, decided on and exported as its reviewer."""
    controller, editor = trip.window.controller, trip.window.controller.editor
    trip.folder = trip.out / row.product
    trip.folder.mkdir(parents=True, exist_ok=True)
    controller.file.person = PREPARER
    controller.releases.select(row.id)
    trip.wait(lambda: editor.session is not None and editor.session.release_id == row.id)
    controller.run.load()
    trip.wait(lambda: editor.session is not None and editor.session.prepared is not None)
    controller.run.draw()
    trip.wait(lambda: editor.session is not None and editor.session.evidence is not None)
    pictures = [trip.photograph(stage) for stage in list(Stage)[:5]]
    controller.file.person = REVIEWER
    controller.voices.keyring = keyring
    pictures += [_decide(trip), trip.photograph(Stage.REPORT)]
    reports = _export(trip)
    session = editor.need_session()
    return Visited(
        release_id=row.id,
        product=row.product,
        title=row.title,
        state=session.state,
        folder=trip.folder,
        pictures=len(pictures),
        reports=len(reports),
    )


def _keyring(folder: Path) -> Keyring:
    """The sample reviewer's key, beside the pictures: the user's own are left alone. Its passphrase is no secret."""
    shutil.rmtree(folder, ignore_errors=True)
    keyring = Keyring.at(folder)
    keyring.make(REVIEWER, Passphrase("a key for the samples only"))
    return keyring


def _decide(trip: Tour) -> Path:
    """Approved where nothing stands against it; otherwise the picture shows what does."""
    page = trip.window.navigation.page(Stage.DECIDE)
    editor = trip.window.controller.editor
    trip.window.navigation.go_to(Stage.DECIDE.value)
    editor.changed.emit()
    trip.settle()
    if not isinstance(page, DecidePage):
        raise Defect("the decide stage shows another page")
    page.approve.click()
    try:
        trip.wait(lambda: editor.session is not None and bool(editor.session.decisions))
    except UserProblem:
        trip.window.controller.jobs.show_problems(())
    return trip.photograph(Stage.DECIDE)


def _export(trip: Tour) -> list[Path]:
    """Reports for both audiences and the released values; without an approval, what stays in the house."""
    session = trip.window.controller.editor.need_session()
    approved = session.state is ReleaseState.APPROVED
    paths = {
        (audience, kind): trip.folder / f"{session.release_id}-{audience.value}-report.{kind}"
        for audience in (Audience if approved else (Audience.INTERNAL,))
        for kind in ("html", "pdf", "json")
    }
    tables = {"csv": trip.folder / f"{session.release_id}-table.csv"} if approved else {}
    trip.window.controller.publishing.export(paths, tables)
    trip.settle()
    return list(paths.values())

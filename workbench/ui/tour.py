"""The sample reviewed through the real window without a display: every stage photographed, every report written."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from workbench.core.errors import Defect, UserProblem
from workbench.core.findings import Audience
from workbench.core.passphrase import Passphrase
from workbench.core.progress import QUIET
from workbench.core.states import Verdict
from workbench.review.decide.keyring import Keyring
from workbench.review.decide.stages import Stage
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import write_sample
from workbench.ui import theme
from workbench.ui.app import make_app
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.decide_page import DecidePage
from workbench.ui.pages.report_page import ReportPage
from workbench.ui.settings import Settings

PREPARER, REVIEWER = "Sample preparer", "Sample reviewer"
_PATIENCE_SECONDS = 180


class Tour:
    """Drives the window as a person would and waits for it as a person would."""

    def __init__(self, out: Path, size: tuple[int, int] = (1500, 880)) -> None:
        self.out = out
        self.app: QApplication = make_app()
        theme.apply(self.app, theme.Mode.LIGHT)
        settings = Settings(QSettings(str(out / "window.ini"), QSettings.Format.IniFormat))
        self.window = MainWindow(settings)
        self.window.controller.file.person = PREPARER
        self.window.controller.jobs.defect.connect(self._defect)
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
        self.window.go_to(stage.value)
        self.settle()
        path = self.out / f"{list(Stage).index(stage) + 1}-{stage.value}.png"
        self.window.grab().save(str(path))
        return path

    def end(self) -> None:
        self.window.close()
        self.window.deleteLater()
        self.app.processEvents()

    def _defect(self, details: str) -> None:
        self._details = details


def tour(out: Path, size: tuple[int, int] = (1500, 880)) -> list[tuple[str, Path]]:
    """Review the sample from data to report. Returns what was written, with a word for each."""
    folder = out / "sample"
    shutil.rmtree(folder, ignore_errors=True)
    write_sample("employment_tables", folder, jobs=None, seed=1, context=QUIET)
    made = Tour(out, size)
    try:
        return _walk(made, folder)
    finally:
        made.end()


def _walk(trip: Tour, folder: Path) -> list[tuple[str, Path]]:
    window, controller = trip.window, trip.window.controller
    plan = read_plan(folder / "plan.toml")
    project = folder / "review.dwb"
    window.open_project(project, create=True)
    trip.wait(lambda: controller.file.view is not None)
    controller.releases.new(plan.product.id, plan.release.title)
    trip.wait(lambda: controller.editor.session is not None)
    controller.editor.edit(
        "take over the sample's plan", **{name: getattr(plan, name) for name in type(plan).__slots__}
    )
    controller.run.load()
    trip.wait(lambda: controller.editor.session is not None and controller.editor.session.prepared is not None)
    controller.run.draw()
    trip.wait(lambda: controller.editor.session is not None and controller.editor.session.evidence is not None)
    pictures = [(f"stage: {stage.value}", trip.photograph(stage)) for stage in list(Stage)[:5]]
    controller.file.person = REVIEWER
    controller.voices.keyring = _keyring(trip.out / "keys")
    pictures.append(("stage: decide", _decide(trip)))
    pictures.append(("stage: report", trip.photograph(Stage.REPORT)))
    return [("project file", project), *_export(trip), *pictures]


def _keyring(folder: Path) -> Keyring:
    """The sample reviewer's key, beside the pictures: the user's own are left alone. Its passphrase is no secret."""
    shutil.rmtree(folder, ignore_errors=True)
    keyring = Keyring.at(folder)
    keyring.make(REVIEWER, Passphrase("a key for the sample only"))
    return keyring


def _decide(trip: Tour) -> Path:
    page = trip.window.page(Stage.DECIDE)
    controller = trip.window.controller
    controller.editor.changed.emit()
    trip.settle()
    if not isinstance(page, DecidePage):
        raise Defect("the decide stage shows another page")
    page.comment.setPlainText("All checks pass. Employer sizes are not protected: acceptable, the register is public.")
    page.approve.click()
    trip.wait(lambda: controller.editor.session is not None and bool(controller.editor.session.decisions))
    if controller.editor.session is None or controller.editor.session.decisions[-1].decision is not Verdict.APPROVE:
        raise Defect("the sample was not approved")
    return trip.photograph(Stage.DECIDE)


def _export(trip: Tour) -> list[tuple[str, Path]]:
    page = trip.window.page(Stage.REPORT)
    if not isinstance(page, ReportPage) or trip.window.controller.editor.session is None:
        raise Defect("the report stage shows another page")
    release_id = trip.window.controller.editor.session.release_id
    paths = {
        (audience, kind): trip.out / f"{release_id}-{audience.value}-report.{kind}"
        for audience in Audience
        for kind in ("html", "pdf", "json")
    }
    table = trip.out / f"{release_id}-table.csv"
    trip.window.controller.publishing.export(paths, {"csv": table})
    trip.settle()
    named = [(f"{audience.value} report ({kind})", path) for (audience, kind), path in paths.items()]
    return [*named, ("released table", table)]

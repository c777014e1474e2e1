"""What leaves the agency: reports in view and on disk, bundles, and whether either is what the project holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from workbench.core.findings import Audience
from workbench.core.progress import Context
from workbench.core.quantities import counted
from workbench.review.told import Told
from workbench.ui.bridge import Kind
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.questions import Questions

if TYPE_CHECKING:
    from workbench.review.publish.verify_report import Verified

_PREVIEW_PIXELS = 1100


class Publishing(QObject):
    report_ready = Signal(object)  # the pages asked for by `preview_report`, as pictures
    written = Signal(str, object)  # what was written, in words, and the folder where it is

    def __init__(
        self, jobs: Jobs, questions: Questions, file: ProjectFile, editor: Editor, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs, self._questions, self._file, self._editor = jobs, questions, file, editor

    def preview_report(self, audience: Audience) -> None:
        session, workspace = self._editor.need_session(), self._file.workspace

        def work(context: Context) -> Any:
            return workspace.report_pages(session.release_id, audience, width=_PREVIEW_PIXELS, context=context)

        def ready(pages: Any) -> None:
            if session is self._editor.session:
                self.report_ready.emit(pages)

        self._jobs.do(work, ready, "Preparing the report", kind=Kind.VIEW)

    def export(self, paths: dict[tuple[Audience, str], Path], files: dict[str, Path]) -> None:
        """Write reports and, where asked for, the released files."""
        workspace, actor = self._file.workspace, self._file.person

        def work(release_id: str, context: Context) -> str:
            count = workspace.export(release_id, paths, files=files, actor=actor, context=context)
            folders = dict.fromkeys(str(path.parent.absolute()) for path in (*paths.values(), *files.values()))
            return f"{counted(count, 'file')} written to {', '.join(folders)}."

        self._write(work, next(iter((*paths.values(), *files.values()))).parent, "Writing the report")

    def export_bundle(self, path: Path) -> None:
        """Everything that may leave the agency for an approved release, with a hashed manifest."""
        workspace, actor = self._file.workspace, self._file.person

        def work(release_id: str, context: Context) -> str:
            from workbench.review.publish.bundle import write_bundle

            made = write_bundle(workspace, release_id, path, actor=actor, context=context)
            return f"{path.name} written: {counted(len(made.files), 'file')}."

        self._write(work, path.parent, "Writing the bundle")

    def _write(self, work: Callable[[str, Context], str], folder: Path, sentence: str) -> None:
        session = self._editor.need_session()
        if self._jobs.occupied:
            return

        def written(words: str) -> None:
            session.exported = True
            self._jobs.noted.emit(words)
            if session is self._editor.session:
                self.written.emit(words, folder)
            self._editor.changed.emit()

        self._jobs.do(lambda context: work(session.release_id, context), written, sentence)

    def verify_report(self, path: Path) -> None:
        """Is a report what the project holds? It is made again and compared."""
        if self._file.view is None or self._jobs.occupied:
            return
        workspace = self._file.workspace

        def work(context: Context) -> Told:
            from workbench.review.publish.verify_report import verify_report

            return _report_told(path, verify_report(path, workspace, context))

        self._jobs.do(work, lambda told: self._questions.told.emit("Verify report", told), "Checking the report")

    def check_bundle(self, path: Path) -> None:
        """Is a bundle complete and unchanged?"""

        def work(_context: Context) -> Told:
            from workbench.review.publish.bundle import check_bundle

            found = check_bundle(path)
            said = "complete and unchanged" if found.ok else "altered since it was written"
            files = counted(len(found.files), "file")
            sentence = f"{path.name}: bundle of {found.release_id}, {files}, {said}."
            return Told(sentence=sentence, ok=found.ok, lines=found.problems)

        self._jobs.do(work, lambda told: self._questions.told.emit("Check a bundle", told), "Checking the bundle")


def _report_told(path: Path, found: Verified) -> Told:
    said = "what the project holds" if found.ok else "not the report that the project holds"
    return Told(
        sentence=f"{path.name}, the {found.audience} report of {found.release_id}, is {said}.",
        ok=found.ok,
        lines=(*found.differences, *found.notes),
    )

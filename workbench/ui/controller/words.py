"""The data dictionary of the release in view: read for editing, written, taken into the plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.run import Run

if TYPE_CHECKING:
    from workbench.review.run.dictionary_view import Draft


class DictionaryWords(QObject):
    read = Signal(object)  # the draft of a dictionary, to be edited

    def __init__(self, jobs: Jobs, editor: Editor, run: Run, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._editor, self._run = jobs, editor, run

    def ask(self) -> None:
        """Read what the dictionary says and what the loaded data hold besides."""
        from workbench.review.run.dictionary_view import draft_of

        session = self._editor.need_session()
        self._editor.do(lambda _context: draft_of(session), self.read.emit, "Reading the data dictionary")

    def save(self, draft: Draft, path: Path) -> None:
        """Write it and take it into the plan. Lists decide which cells there are, so loaded data are read again."""
        from workbench.review.run.dictionary_view import save_draft

        session = self._editor.need_session()

        def saved(_nothing: None) -> None:
            had_data = session.loaded is not None
            self._editor.edit("save the data dictionary", data=replace(session.plan.data, dictionary=str(path)))
            session.loaded = session.prepared = None
            self._editor.changed.emit()
            if had_data:
                self._run.load()

        self._editor.do(lambda _context: save_draft(draft, path), saved, "Writing the data dictionary")

"""Files linked to the data: looked at, joined to the plan, their keys compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.core.progress import Context
from workbench.review.plan.outside import to_ask_about
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs

if TYPE_CHECKING:
    from workbench.core.errors import Problem
    from workbench.core.findings import Finding
    from workbench.review.run.data_view import ColumnRow, Look
    from workbench.review.run.linked_view import LinkedFile
    from workbench.review.session import ReviewSession


class Linking(QObject):
    """What is known of the linked files of the release in view. Counts of matches are for the window only."""

    known = Signal()  # columns or matches of a linked file

    def __init__(self, jobs: Jobs, editor: Editor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._editor = jobs, editor
        self._columns: dict[str, tuple[ColumnRow, ...]] = {}
        self._asked: object = None
        self._session: object = None
        self.matches: dict[str, Finding | Problem] = {}

    def link(self, path: Path, own: Sequence[str]) -> None:
        """Look at a file and join it to the plan by the key that it seems to share with the data."""
        session = self._editor.need_session()

        def work(context: Context) -> Look:
            from workbench.review.run.linked_view import look_at_linked

            return look_at_linked(path, session.plan, context)

        def looked(look: Look) -> None:
            from workbench.review.run.linked_view import with_link

            self._columns[str(path)] = look.columns
            self._editor.edit("link a file", data=with_link(session.plan.data, str(path), look, own))

        self._editor.do(work, looked, f"Looking at {path.name}")

    def files(self, session: ReviewSession) -> tuple[LinkedFile, ...]:
        """The linked files of the plan; what is not known of them yet is found out aside."""
        from workbench.review.run.linked_view import LinkedFile

        if session is not self._session:  # values of files that nobody reviews any more are not kept
            self._session = session
            self._columns = {
                path: tuple(replace(column, examples=()) for column in columns)
                for path, columns in self._columns.items()
            }
        data = session.plan.data
        found = tuple(
            LinkedFile(name=name, path=path, link=data.shaping.links[name], columns=self._columns.get(path, ()))
            for name, path in data.linked.items()
            if name in data.shaping.links
        )
        asked = (session, data.path, data.options, data.linked, data.linked_options, data.shaping.links, data.roles)
        if found and asked != self._asked:
            self._asked = asked
            self._find_out(session)
        elif not found:
            self._asked, self.matches = None, {}
        return found

    def _find_out(self, session: ReviewSession) -> None:
        plan, base, opened = session.plan, session.base, session.opened_data
        missing = {name: path for name, path in plan.data.linked.items() if path not in self._columns}
        self.matches = {}

        def work(context: Context) -> tuple[dict[str, tuple[ColumnRow, ...]], dict[str, Finding | Problem]]:
            from workbench.review.run.linked_view import key_findings, names_of_all

            if to_ask_about(plan.data, opened, base):
                return {}, {}  # loading asks first
            return names_of_all(plan.data, missing, base, context), key_findings(plan, base, context)

        def told(found: tuple[dict[str, tuple[ColumnRow, ...]], dict[str, Finding | Problem]]) -> None:
            if session is self._editor.session:
                self._columns |= found[0]
                self.matches = found[1]
                self.known.emit()

        self._jobs.study("keys", work, told)

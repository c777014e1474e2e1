"""From a file to a draw: look at the data, load, tabulate, draw with audit and comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.core.errors import Place, Problem
from workbench.core.people import same_person
from workbench.core.quantities import joined
from workbench.review.plan.outside import allow, files_in_settings, to_ask_about
from workbench.review.plan.plan import DataPlan
from workbench.review.run.opening import LoadedData, load_data
from workbench.review.run.paths import resolved
from workbench.review.run.prepare import PreparedTable, prepare, product_of
from workbench.review.run.protect import mechanism_of
from workbench.ui.controller.questions import OutsideQuestion, Question, Questions

if TYPE_CHECKING:
    from workbench.core.findings import Finding
    from workbench.core.progress import Context
    from workbench.core.published import Published
    from workbench.core.side_by_side import SideBySide
    from workbench.review.run.data_view import Look
    from workbench.review.run.draw import Drawn
    from workbench.review.session import ReviewSession
    from workbench.ui.controller.editor import Editor
    from workbench.ui.controller.jobs import Jobs
    from workbench.ui.controller.project_file import ProjectFile

_TABULATE_MILLISECONDS = 150
_SECOND_DRAW = (
    "Every draw is recorded for good, and from the second on “Drawn once” warns: choosing among several draws "
    "weakens the guarantee."
)


class Run(QObject):
    inspected = Signal(object)  # Look at the chosen file
    compared = Signal()  # the draw with tables published elsewhere
    drawn = Signal()  # the release in view has been drawn and audited

    def __init__(
        self, jobs: Jobs, questions: Questions, file: ProjectFile, editor: Editor, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs, self._questions, self._file, self._editor = jobs, questions, file, editor
        self._prepare_soon = QTimer(self)
        self._prepare_soon.setSingleShot(True)
        self._prepare_soon.setInterval(_TABULATE_MILLISECONDS)
        self._prepare_soon.timeout.connect(self.prepare)
        editor.edited.connect(self._edited)
        editor.changed.connect(self.foresee)

    # Data
    def inspect(self, path: Path) -> None:
        """Look at a data file and suggest roles; nothing is loaded yet. Another look cuts short an earlier one."""
        session = self._editor.need_session()
        self._jobs.cancel()

        def look(context: Context) -> Look | tuple[Path, ...]:
            from workbench.review.run.data_view import look_elsewhere, look_with_rows, stays_elsewhere

            asked = to_ask_about(DataPlan(path=str(path)), session.opened_data, session.base)
            if not asked and stays_elsewhere(session.plan, path):
                return look_elsewhere(session.plan, path, context)
            return asked or look_with_rows(path, session.plan.data.options, context, product=session.plan.product.id)

        def seen(look: Look | tuple[Path, ...]) -> None:
            if isinstance(look, tuple):
                self._ask_outside(look, session, lambda: self.inspect(path))
                return
            same = resolved(session.base, session.plan.data.path) == path
            data = session.plan.data if same else session.plan.data.of_file(str(path))
            data = replace(data, options=look.options) if look.options is not None else data
            told, session.unread = session.unread != bool(look.problems), bool(look.problems)
            self._editor.edit("choose the data file", data=data)
            if told:  # what to do next is another thing, also where the plan stays the same
                self._editor.changed.emit()
            self.inspected.emit(look)
            if look.problems:
                self._jobs.show_problems(look.problems)

        self._editor.do(look, seen, f"Looking at {path.name}")

    def inspect_server(self, path: str) -> None:
        """Look at data as a server sees them; the path means nothing on this machine."""
        session = self._editor.need_session()
        self._jobs.cancel()

        def look(context: Context) -> Look | tuple[Path, ...]:
            from workbench.review.run.data_view import look_elsewhere

            asked = to_ask_about(
                DataPlan(), session.opened_data, session.base, settings=files_in_settings(session.plan)
            )
            return asked or look_elsewhere(session.plan, path, context)

        def seen(look: Look | tuple[Path, ...]) -> None:
            if isinstance(look, tuple):
                self._ask_outside(look, session, lambda: self.inspect_server(path))
                return
            if session.plan.data.path != path:
                self._editor.edit("choose the data on the server", data=session.plan.data.of_file(path))
            self.inspected.emit(look)

        self._editor.do(look, seen, "Looking at the data on the server")

    def _ask_outside(self, paths: tuple[Path, ...], session: ReviewSession, again: Callable[[], None]) -> None:
        """A plan may come from anybody: what it names outside its own folder is read only after a person said so."""

        def allowed() -> None:
            self._jobs.quietly(lambda _context: allow(paths), lambda _nothing: again())

        self._questions.outside.emit(OutsideQuestion(paths=paths, base=session.base, go_on=allowed))

    def load(self) -> None:
        session = self._editor.need_session()
        if self._jobs.occupied:
            return
        plan, workspace = session.plan, self._file.workspace

        def work(context: Context) -> LoadedData | tuple[Path, ...]:
            asked = to_ask_about(plan.here, session.opened_data, session.base, settings=files_in_settings(plan))
            return asked or load_data(plan, base=session.base, context=context, released=workspace.released)

        def loaded(result: LoadedData | tuple[Path, ...]) -> None:
            if isinstance(result, tuple):
                self._ask_outside(result, session, self.load)
                return
            session.loaded, session.prepared = result, None
            self._editor.changed.emit()
            self._editor.look_ahead()
            if not session.release_problems():
                self._count_cells(session)
                self.prepare()

        self._editor.do(work, loaded, "Loading the data")

    # The table
    def _edited(self) -> None:
        """Another table, also by undo: tabulated at once where the data are at hand."""
        session = self._editor.need_session()
        if session.data_fresh and not session.prepared_fresh and not session.release_problems():
            self._count_cells(session)
            self._prepare_soon.start()

    def _count_cells(self, session: ReviewSession) -> None:
        """How many rows the table would have, aside: the first count may have to index the data."""
        loaded, plan = session.loaded, session.plan
        if loaded is None:
            return

        def counted(rows: int | None) -> None:
            session.rows = (plan.prepared_digest(), rows)
            self._editor.changed.emit()

        product, params = product_of(plan), plan.product.params
        self._jobs.quietly(lambda _context: product.size(loaded.inputs, params), counted)

    def prepare(self) -> None:
        session = self._editor.session
        if session is None or session.loaded is None or not session.data_fresh or session.prepared_fresh:
            return
        loaded, plan = session.loaded, session.plan
        self._jobs.cancel()

        def prepared(result: PreparedTable) -> None:
            session.prepared = result
            self._editor.changed.emit()
            self._lay_again(session)

        self._editor.do(lambda context: prepare(loaded, plan, context), prepared, "Tabulating")

    def _lay_again(self, session: ReviewSession) -> None:
        """Once the data are back, the tables of a stored draw can stand side by side again without another draw."""
        prepared, plan, evidence = session.prepared, session.plan, session.evidence
        if prepared is None or evidence is None or evidence.table is not None or not session.evidence_fresh:
            return
        workspace = self._file.workspace

        def work(context: Context) -> tuple[tuple[SideBySide, ...], Published | None]:
            from workbench.review.run.measure import lay_again  # late: the window shows sooner

            table = workspace.published_table(session.release_id)
            return lay_again(prepared, plan, table, context) if table is not None else (), table

        def laid(found: tuple[tuple[SideBySide, ...], Published | None]) -> None:
            rows, table = found
            session.evidence = replace(evidence, side_by_side=rows, table=table)
            self._editor.changed.emit()

        self._editor.do(work, laid, "Comparing the tables side by side")

    # The draw
    def foresee(self) -> None:
        """What the settings as they are would spend, worked out aside: it moves with them before anything is drawn."""
        session = self._editor.session
        if session is None:
            return
        choice, mechanism = session.plan.mechanism, mechanism_of(session.plan)
        if session.foreseen[0] == choice or session.mechanism_problems():
            return
        session.foreseen = (choice, None)

        def work(_context: Context) -> float | None:
            from workbench.review.budget.what_if import foreseen_loss  # late: the window shows sooner

            return foreseen_loss(mechanism, choice.params)

        def found(epsilon: float | None) -> None:
            if session.foreseen[0] == choice:
                session.foreseen = (choice, epsilon)
                self._editor.changed.emit()

        self._jobs.study("loss", work, found)

    def ask_to_draw(self) -> None:
        """Draw, after a question where a draw cannot be taken back: a second one, or one by a future reviewer."""
        session = self._editor.session
        if session is None:
            return
        again = session.evidence is not None and session.evidence_fresh
        stranger = not same_person(self._file.person, session.preparer)
        if self._jobs.occupied or not (again or stranger):
            self.draw()
            return
        follows = [_SECOND_DRAW] if again else []
        follows += [
            f"{session.preparer} prepared it. If you draw the values, you cannot decide on the release."
        ] * stranger
        self._questions.asked.emit(
            Question(
                title="Draw again" if again else "Draw the release",
                words="Draw this release again?" if again else "Draw the values of another person's release?",
                more=" ".join(follows),
                yes="Draw again" if again else "Draw",
                go_on=self.draw,
            )
        )

    def draw(self) -> None:
        """Draw the release, audit and compare it, and store the run. Never twice at once: every draw is recorded."""
        session = self._editor.session
        if session is None or self._jobs.occupied:
            return
        loaded, prepared, plan = session.loaded, session.prepared, session.plan
        wrong = self._editor.half_typed if self._editor.editable else (self._editor.why_not_editable(),)
        if wrong:
            self._jobs.show_problems(wrong)
            return
        if loaded is None or prepared is None or not session.prepared_fresh:
            untold = Problem(
                "The table is not tabulated yet", "Release", "Load the data and tabulate", Place("product")
            )
            self._jobs.show_problems((untold,))
            return
        actor, workspace = self._file.person, self._file.workspace

        def work(context: Context) -> Drawn:
            from workbench.review.run.draw import draw_and_store

            return draw_and_store(
                workspace,
                plan,
                loaded=loaded,
                prepared=prepared,
                base=session.base,
                release_id=session.release_id,
                actor=actor,
                context=context,
            )

        def drawn(result: Drawn) -> None:
            stored = result.stored
            session.accept_outcome(result.outcome, draws=stored.draws, drawn_at=stored.drawn_at)
            session.saved_plan, session.budget, session.exported = plan, stored.budget, False
            self._file.refresh()
            if session is self._editor.session:
                self._editor.changed.emit()
                self.drawn.emit()

        self._jobs.do(work, drawn, "Drawing the release")

    def compare_outside(self, paths: Sequence[Path]) -> None:
        """Published tables from elsewhere, laid beside the drawn one: what they give away together."""
        session, actor, workspace = self._editor.need_session(), self._file.person, self._file.workspace

        def work(context: Context) -> tuple[Finding, ...]:
            return workspace.compare_outside(session.release_id, paths, actor=actor, context=context)

        def compared(findings: tuple[Finding, ...]) -> None:
            if session.evidence is not None:
                session.evidence = replace(session.evidence, findings=findings)
            if session is self._editor.session:
                self.compared.emit()
            self._editor.changed.emit()
            others = joined([path.name for path in paths]) or "every table approved in this project"
            self._jobs.noted.emit(f"Compared with {others}. See the findings of the audit on differencing.")

        self._editor.do(work, compared, "Comparing with published tables")

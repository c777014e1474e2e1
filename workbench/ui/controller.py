"""Between widgets and verbs: a slot reads a form, the controller starts one verb of `review/`, the result comes back.

Everything that touches the disk runs on the worker thread, the project file included; the session is changed on the
main thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.core.errors import Problem, UserProblem
from workbench.core.progress import Context, Part
from workbench.core.side_by_side import SideBySide
from workbench.core.tables import PublicTable
from workbench.mechanisms.contract import Calibration
from workbench.project.tables.names import same_person
from workbench.review.plan.outside import allow
from workbench.review.plan.plan import DataPlan
from workbench.review.plan.settings import moved
from workbench.review.run.measure import lay_again
from workbench.review.run.opening import LoadedData, load_data, resolved
from workbench.review.run.prepare import PreparedTable, prepare, product_of
from workbench.review.run.protect import mechanism_of
from workbench.review.run.run import Outcome, draw_and_judge
from workbench.review.session import ReviewSession
from workbench.review.views import StoredDraw
from workbench.ui.bridge import JobBridge
from workbench.ui.picked import to_ask_about
from workbench.ui.questions import OutsideQuestion, Question
from workbench.ui.reviewing import Reviewing

_TABULATE_MILLISECONDS = 150
_SECOND_DRAW = (
    "Every draw is recorded for good, and from the second on “Drawn once” warns: publishing the draw one likes best "
    "weakens the guarantee."
)


class Controller(Reviewing):
    inspected = Signal(object)  # Inspection of the chosen file

    def __init__(self, bridge: JobBridge, *, identity: str, parent: QObject | None = None) -> None:
        super().__init__(bridge, identity=identity, parent=parent)
        self._prepare_soon = QTimer(self)
        self._prepare_soon.setSingleShot(True)
        self._prepare_soon.setInterval(_TABULATE_MILLISECONDS)
        self._prepare_soon.timeout.connect(self.prepare)
        self.changed.connect(self.foresee)

    # The stages
    def _edited(self) -> None:
        """Another table, also by undo: tabulated at once where the data are at hand."""
        super()._edited()
        session = self._need_session()
        if session.data_fresh and not session.prepared_fresh and not session.release_problems():
            self.count_cells()
            self._prepare_soon.start()

    def count_cells(self) -> None:
        """How many rows the table would have, aside: the first count may have to index the data."""
        session = self._need_session()
        loaded, plan = session.loaded, session.plan
        if loaded is None:
            return

        def counted(rows: int | None) -> None:
            session.rows = (plan.prepared_digest(), rows)
            self.changed.emit()

        product, params = product_of(plan), plan.product.params
        self._quietly(lambda _context: product.size(loaded.inputs, params), counted)

    def inspect(self, path: Path) -> None:
        """Look at a data file and suggest roles; nothing is loaded yet. Another look cuts short an earlier one."""
        session = self._need_session()
        self.bridge.cancel()
        stored = self.opened_data

        def look(context: Context) -> Any:
            from workbench.microdata.inspect import inspect

            asked = to_ask_about(DataPlan(path=str(path)), stored, session.base)
            return asked or inspect(path, session.plan.data.options, context)

        def seen(inspection: Any) -> None:
            if isinstance(inspection, tuple):
                self._ask_outside(inspection, session, lambda: self.inspect(path))
                return
            same = resolved(session.base, session.plan.data.path) == path
            data = session.plan.data if same else replace(session.plan.data, path=str(path), roles={})
            self.edit("choose the data file", data=data)
            self.inspected.emit(inspection)

        self._do_for(session, look, seen, f"Looking at {path.name}")

    def _ask_outside(self, paths: tuple[Path, ...], session: ReviewSession, again: Callable[[], None]) -> None:
        """A plan may come from anybody: what it names outside its own folder is read only after a person said so."""

        def allowed() -> None:
            self._quietly(lambda _context: allow(paths), lambda _nothing: again())

        self.outside_wanted.emit(OutsideQuestion(paths=paths, base=session.base, go_on=allowed))

    def load(self) -> None:
        session = self._need_session()
        if self.occupied:
            return
        plan, stored = session.plan, self.opened_data

        def work(context: Context) -> LoadedData | tuple[Path, ...]:
            asked = to_ask_about(plan.data, stored, session.base)
            return asked or load_data(plan, base=session.base, context=context)

        def loaded(result: LoadedData | tuple[Path, ...]) -> None:
            if isinstance(result, tuple):
                self._ask_outside(result, session, self.load)
                return
            session.loaded, session.prepared = result, None
            self.changed.emit()
            self.look_ahead()
            if not session.release_problems():
                self.count_cells()
                self.prepare()

        self._do_for(session, work, loaded, "Loading the data")

    def prepare(self) -> None:
        session = self.session
        if session is None or session.loaded is None or not session.data_fresh or session.prepared_fresh:
            return
        loaded, plan = session.loaded, session.plan
        self.bridge.cancel()

        def prepared(result: PreparedTable) -> None:
            session.prepared = result
            self.changed.emit()
            self._lay_again(session)

        self._do_for(session, lambda context: prepare(loaded, plan, context), prepared, "Tabulating")

    def _lay_again(self, session: ReviewSession) -> None:
        """Once the data are back, the tables of a stored draw can stand side by side again without another draw."""
        prepared, plan, evidence = session.prepared, session.plan, session.evidence
        if prepared is None or evidence is None or evidence.table is not None or not session.evidence_fresh:
            return

        def work(context: Context) -> tuple[tuple[SideBySide, ...], PublicTable | None]:
            table = self.workspace.published_table(session.release_id)
            return lay_again(prepared, plan, table, context) if table is not None else (), table

        def laid(found: tuple[tuple[SideBySide, ...], PublicTable | None]) -> None:
            rows, table = found
            session.evidence = replace(evidence, side_by_side=rows, table=table)
            self.changed.emit()

        self._do_for(session, work, laid, "Laying the tables side by side")

    # What if
    def move_setting(self, name: str, value: float) -> None:
        """A handle in a figure was dragged: the mechanism's setting follows, as one undoable step."""
        session = self.session
        if session is None:
            return
        params = moved(session.plan.mechanism.params, name, value)
        if params is not None and params != session.plan.mechanism.params:
            self.edit(f"move {name}", mechanism=replace(session.plan.mechanism, params=params))

    def foresee(self) -> None:
        """What the settings as they are would spend, worked out aside: it moves with them before anything is drawn."""
        session = self.session
        if session is None:
            return
        choice, mechanism = session.plan.mechanism, mechanism_of(session.plan)
        if session.foreseen[0] == choice or session.mechanism_problems():
            return
        session.foreseen = (choice, None)

        def work(_context: Context) -> Calibration | None:
            try:
                answer = mechanism.calibrate(choice.params, None, None)
            except UserProblem:
                return None
            return answer if answer.any_table else None

        def found(answer: Calibration | None) -> None:
            if session.foreseen[0] == choice:
                session.foreseen = (choice, answer)
                self.changed.emit()

        self.study("loss", work, found)

    def ask_to_draw(self) -> None:
        """Draw, after a question where a draw cannot be taken back: a second one, or one by a future reviewer."""
        session = self.session
        if session is None:
            return
        again = session.evidence is not None and session.evidence_fresh
        stranger = not same_person(self.identity, session.preparer)
        if self.occupied or not (again or stranger):
            self.draw()
            return
        follows = [_SECOND_DRAW] if again else []
        follows += [f"{session.preparer} prepared it. Whoever draws the values cannot decide on them."] * stranger
        self.question_wanted.emit(
            Question(
                title="Draw again" if again else "Draw the release",
                words="Draw this release again?" if again else "Draw the values of somebody else's release?",
                more=" ".join(follows),
                yes="Draw again" if again else "Draw",
                go_on=self.draw,
            )
        )

    def draw(self) -> None:
        """Draw the release, audit and compare it, and store the run. Never twice at once: every draw is recorded."""
        session = self.session
        if session is None or self.occupied:
            return
        loaded, prepared, plan = session.loaded, session.prepared, session.plan
        wrong = self.half_typed if self.editable else (self._why_not_editable(),)
        if wrong:
            self.show_problems(wrong)
            return
        if loaded is None or prepared is None or not session.prepared_fresh:
            self.show_problems((Problem("The table is not tabulated yet", "Release", "Load the data and tabulate"),))
            return
        actor = self.identity

        def work(context: Context) -> tuple[Outcome, StoredDraw]:
            from workbench.review.run.differencing import with_differencing

            outcome = with_differencing(
                draw_and_judge(prepared, plan, Part(context, 0.0, 0.95)),
                self.workspace.project,
                release_id=session.release_id,
                loaded=loaded,
                prepared=prepared,
                context=Part(context, 0.95, 1.0),
            )
            context.step(1.0, "Storing the run")
            stored = self.workspace.store_run(
                session.release_id, plan, loaded=loaded, prepared=prepared, outcome=outcome, actor=actor
            )
            return outcome, stored

        def drawn(result: tuple[Outcome, StoredDraw]) -> None:
            outcome, stored = result
            session.accept_outcome(outcome, draws=stored.draws, drawn_at=stored.drawn_at)
            session.saved_plan = plan
            session.exported = False
            self.refresh_releases()
            if session is self.session:
                self.budget = stored.budget
                self.changed.emit()
                self.stage_wanted.emit("audit")

        self._do(work, drawn, "Drawing the release")

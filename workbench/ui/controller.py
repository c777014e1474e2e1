"""Between widgets and verbs: a slot reads a form, the controller starts one verb of `review/`, the result comes back.

Everything that touches the disk runs on the worker thread, the project file included; the session is changed on the
main thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.core.errors import Problem, UserProblem
from workbench.core.findings import Audience
from workbench.core.progress import Context, Part
from workbench.core.specs import find
from workbench.core.tables import PublicTable
from workbench.mechanisms.contract import Calibration
from workbench.products.contract import SideBySide
from workbench.products.registry import PRODUCTS
from workbench.review.differencing import with_differencing
from workbench.review.measure import lay_again
from workbench.review.opening import LoadedData, load_data, resolved
from workbench.review.plan import blank
from workbench.review.prepare import PreparedTable, prepare, product_of
from workbench.review.protect import mechanism_of
from workbench.review.run import Outcome, draw_and_judge
from workbench.review.session import ReviewSession
from workbench.review.settings import moved
from workbench.review.views import Budget, OpenedReview, ProjectView, StoredDraw
from workbench.ui.bridge import JobBridge, Kind
from workbench.ui.editing import Editing

_TABULATE_MILLISECONDS = 150
_PREVIEW_PIXELS = 1100


class Controller(Editing):
    inspected = Signal(object)  # Inspection of the chosen file
    report_ready = Signal(object)  # the pages asked for by `preview_report`, as pictures
    stage_wanted = Signal(str)

    def __init__(self, bridge: JobBridge, *, identity: str, parent: QObject | None = None) -> None:
        super().__init__(bridge, identity=identity, parent=parent)
        self._opening = ""
        self._prepare_soon = QTimer(self)
        self._prepare_soon.setSingleShot(True)
        self._prepare_soon.setInterval(_TABULATE_MILLISECONDS)
        self._prepare_soon.timeout.connect(self.prepare)
        self.changed.connect(self.foresee)

    # Project and releases
    def open_project(self, path: Path, *, create: bool = False, then: Callable[[], None] | None = None) -> None:
        self._leave()

        def opened(view: ProjectView) -> None:
            self.project, self.session, self.budget, self._opening = view, None, None, ""
            self._half_typed.clear()
            self.show_problems(())
            self.project_changed.emit()
            self.changed.emit()
            if view.releases:
                self.select_release(view.releases[0].id)
            if then is not None:
                then()

        self._do(lambda _context: self.workspace.open(path, create=create), opened, "Opening the project")

    def select_release(self, release_id: str) -> None:
        """Show a release. Whoever changes their mind while one is being opened gets the last one chosen."""
        if self.session is not None and self.session.release_id == release_id:
            self._opening = ""
            return
        self._leave()
        self._opening = release_id

        def opened(review: OpenedReview) -> None:
            if self._opening == release_id:
                self._opened_review(review)

        self._do(lambda _context: self.workspace.open_release(release_id), opened, "Opening the release")

    def new_release(self, product_id: str, title: str) -> None:
        plan, preparer = blank(find(PRODUCTS, product_id, "product"), title=title), self.identity
        self._create(lambda _context: self.workspace.new_release(plan, preparer))

    def duplicate(self, release_id: str = "") -> None:
        """A new release with the plan of this one, or of the one in view: the way to change what was approved."""
        source = release_id or (self.session.release_id if self.session is not None else "")
        preparer = self.identity

        def work(_context: Context) -> OpenedReview:
            plan = self.workspace.open_release(source).plan
            titled = replace(plan.release, title=f"{plan.release.title} (copy)")
            return self.workspace.new_release(replace(plan, release=titled), preparer)

        if source:
            self._create(work)

    def withdraw(self, release_id: str) -> None:
        """Take a release that was never approved off the list; it stays in the file."""
        actor = self.identity

        def withdrawn(view: ProjectView) -> None:
            self.project = view
            self.session = None
            self.project_changed.emit()
            self.changed.emit()
            if view.releases:
                self.select_release(view.releases[0].id)

        def work(_context: Context) -> ProjectView:
            self.workspace.project.withdraw(release_id, actor=actor, reason="withdrawn in the window")
            return self.workspace.view()

        self._do(work, withdrawn, "Withdrawing the release")

    def _create(self, work: Callable[[Context], OpenedReview]) -> None:
        self._leave()
        self._opening = ""

        def created(review: OpenedReview) -> None:
            self._opened_review(review)
            self.refresh_releases()
            self.stage_wanted.emit("data")

        self._do(work, created, "Creating the release")

    def _opened_review(self, review: OpenedReview) -> None:
        self._opening = ""
        self._half_typed.clear()
        self.session = review.session()
        self.budget = review.budget
        self.show_problems(())
        self.changed.emit()

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

        def look(context: Context) -> Any:
            from workbench.microdata.inspect import inspect

            return inspect(path, session.plan.data.options, context)

        def seen(inspection: Any) -> None:
            same = resolved(session.base, session.plan.data.path) == path
            data = session.plan.data if same else replace(session.plan.data, path=str(path), roles={})
            self.edit("choose the data file", data=data)
            self.inspected.emit(inspection)

        self._do_for(session, look, seen, f"Looking at {path.name}")

    def load(self) -> None:
        session = self._need_session()
        if self.occupied:
            return
        plan = session.plan

        def work(context: Context) -> LoadedData:
            return load_data(plan.data, base=session.base, digest=plan.data_digest(), context=context)

        def loaded(result: LoadedData) -> None:
            session.loaded, session.prepared = result, None
            self.changed.emit()
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
        if prepared is None or evidence is None or evidence.side_by_side is not None or not session.evidence_fresh:
            return

        def work(context: Context) -> tuple[SideBySide | None, PublicTable | None]:
            table = self.workspace.published_table(session.release_id)
            return lay_again(prepared, plan, table, context) if table is not None else None, table

        def laid(found: tuple[SideBySide | None, PublicTable | None]) -> None:
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
                return mechanism.calibrate(choice.params, None, None)
            except UserProblem:
                return None

        def found(answer: Calibration | None) -> None:
            if session.foreseen[0] == choice:
                session.foreseen = (choice, answer)
                self.changed.emit()

        self.study("loss", work, found)

    def set_cap(self, cap: Decimal, reason: str) -> None:
        """Change the budget of the data set behind the release, with a reason for the journal."""
        session = self._need_session()
        actor = self.identity

        def changed(budget: Budget | None) -> None:
            self.budget = budget
            self.changed.emit()

        self._do_for(
            session,
            lambda _context: self.workspace.set_cap(session.release_id, cap, actor=actor, reason=reason),
            changed,
            "Changing the budget",
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

    def decide(self, decision: str, *, comment: str, public_comment: str) -> None:
        session = self._need_session()
        if self.occupied:
            return
        self.save()
        reviewer = self.identity

        def work(_context: Context) -> OpenedReview:
            self.workspace.decide(
                session.release_id,
                decision=decision,
                reviewer=reviewer,
                comment=comment,
                public_comment=public_comment,
            )
            return self.workspace.open_release(session.release_id)

        def decided(review: OpenedReview) -> None:
            session.decisions, session.state = review.decisions, review.state
            self.refresh_releases()
            if session is self.session:
                self.budget = review.budget
                self.changed.emit()

        self._do(work, decided, "Recording the decision")

    def preview_report(self, audience: Audience) -> None:
        session = self._need_session()

        def work(context: Context) -> Any:
            from workbench.report.preview import page_images

            context.step(0.1, "Setting the report")
            pdf = self.workspace.report_bytes(session.release_id, audience, "pdf")
            return page_images(pdf, width=_PREVIEW_PIXELS, context=Part(context, 0.8, 1.0))

        def ready(pages: Any) -> None:
            if session is self.session:
                self.report_ready.emit(pages)

        self._do(work, ready, "Setting the report", kind=Kind.VIEW)

    def export(self, paths: dict[tuple[Audience, str], Path], table: Path | None) -> None:
        """Write reports and, where asked for, the released table."""
        session = self._need_session()
        if self.occupied:
            return
        actor = self.identity

        def work(context: Context) -> int:
            return self.workspace.export(session.release_id, paths, table=table, actor=actor, context=context)

        def exported(count: int) -> None:
            session.exported = True
            self.noted.emit(f"{count} files written.")
            self.changed.emit()

        self._do(work, exported, "Writing the report")

"""What ε buys: the expected error over ε, worked out aside; the upright line sets whatever governs it."""

from __future__ import annotations

from PySide6.QtCore import Signal

from workbench.core.quantities import show
from workbench.review.budget.epsilon_curve import Curve, curve_of, moved_to
from workbench.review.budget.plan_dial import at_rest, position
from workbench.review.plan.plan import Plan
from workbench.review.run.prepare import product_of
from workbench.review.run.protect import mechanism_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.jobs import Jobs
from workbench.ui.later import PaintLater
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.figures.view import FigureView


class CurveCard(Card):
    """`show_session(session)` after every change; works the curve out again only where it is another one."""

    params_moved = Signal(object)  # the mechanism's params with its dial where the line was dragged to
    told = Signal(bool)  # an answer is there: True with a curve, False with the reason why there is none

    def __init__(self, jobs: Jobs) -> None:
        super().__init__("", grows=True)
        self._jobs = jobs
        self._asked: tuple[object, ...] | None = None
        self._plan: Plan | None = None
        self._curve: Curve | None = None
        self.figure = FigureView()
        self.figure.handle_moved.connect(self._dragged)
        self.note = wrapped("", "muted")
        self._paint_later = PaintLater(self)
        self.add(self.figure, stretch=1)
        self.add(self.note)
        self._say("")

    def show_session(self, session: ReviewSession) -> None:
        mechanism, params = mechanism_of(session.plan), session.plan.mechanism.params
        self._plan = session.plan
        if position(session.plan) is None:
            self._asked, self._curve = None, None
            self._jobs.drop_study("curve")
            self.told.emit(False)
            self._hide(f"{mechanism.title} has no setting for ε, so there is no curve.")
            return
        self._show_handle()
        product = product_of(session.plan)
        prepared = session.prepared.value if session.prepared is not None and session.prepared_fresh else None
        asked = (
            mechanism.id,
            mechanism.version,
            at_rest(session.plan),
            session.prepared if prepared is not None else None,
        )
        if asked != self._asked:
            self._asked = asked
            if self.figure.figure() is None or self.figure.isHidden():
                self._hide("Calculating error against ε…")
            self._jobs.study(
                "curve", lambda context: curve_of(mechanism, params, prepared, context, product=product), self._show
            )

    def _show(self, curve: Curve) -> None:
        self._curve = curve if curve.dial else None
        self.told.emit(curve.figure is not None)
        if curve.figure is None:
            self._hide(curve.words)
        else:
            with self._paint_later():  # drawing and painting would be one long turn
                self.figure.set_figure(curve.figure)
                self._show_handle()
                self.figure.show()
                self._say(curve.words)

    def _show_handle(self) -> None:
        """The line stands at the ε that is claimed, whatever setting governs it."""
        at = position(self._plan) if self._plan is not None else None
        if self._curve is not None and at is not None:
            epsilon = self._curve.epsilon_at(float(at))
            stands = epsilon > 0  # a plan may say anything; the axis begins above zero
            self.figure.set_handle(epsilon if stands else None, f"ε = {show(epsilon, 3)}")

    def _dragged(self, epsilon: float) -> None:
        if self._curve is not None and self._plan is not None:
            params = moved_to(self._plan, self._curve, epsilon)
            if params is not None and params != self._plan.mechanism.params:
                self.params_moved.emit(params)

    def _hide(self, why: str) -> None:
        self.figure.hide()
        self._say(why)

    def _say(self, words: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))

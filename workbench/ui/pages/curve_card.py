"""What ε buys: the expected error over ε, worked out aside; the upright line sets ε."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal

from workbench.core.quantities import Epsilon, show
from workbench.review.budget.epsilon_curve import Curve, curve_of
from workbench.review.budget.what_if import has_epsilon
from workbench.review.run.protect import mechanism_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.jobs import Jobs
from workbench.ui.later import PaintLater
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.figures.view import FigureView

_ANY = Epsilon("1")


class CurveCard(Card):
    """`show_session(session)` after every change; works the curve out again only where it is another one."""

    epsilon_moved = Signal(float)
    told = Signal(bool)  # an answer is there: True with a curve, False with the reason why there is none

    def __init__(self, jobs: Jobs) -> None:
        super().__init__("", grows=True)
        self._jobs = jobs
        self._asked: tuple[object, ...] | None = None
        self.figure = FigureView()
        self.figure.handle_moved.connect(self.epsilon_moved)
        self.note = wrapped("", "muted")
        self._paint_later = PaintLater(self)
        self.add(self.figure, stretch=1)
        self.add(self.note)
        self._say("")

    def show_session(self, session: ReviewSession) -> None:
        mechanism, params = mechanism_of(session.plan), session.plan.mechanism.params
        if not has_epsilon(mechanism):
            self._asked = None
            self._jobs.drop_study("curve")
            self.told.emit(False)
            self._hide(f"{mechanism.title} is not governed by ε, so there is no curve.")
            return
        self.figure.set_handle(float(params.epsilon), f"ε = {show(params.epsilon)}")
        prepared = session.prepared.value if session.prepared is not None and session.prepared_fresh else None
        asked = (
            mechanism.id,
            mechanism.version,
            replace(params, epsilon=_ANY),
            session.prepared if prepared is not None else None,
        )
        if asked != self._asked:
            self._asked = asked
            if self.figure.figure() is None or self.figure.isHidden():
                self._hide("Working out what ε buys…")
            self._jobs.study("curve", lambda context: curve_of(mechanism, params, prepared, context), self._show)

    def _show(self, curve: Curve) -> None:
        self.told.emit(curve.figure is not None)
        if curve.figure is None:
            self._hide(curve.words)
        else:
            with self._paint_later():  # drawing and painting would be one long turn
                self.figure.set_figure(curve.figure)
                self.figure.show()
                self._say(curve.words)

    def _hide(self, why: str) -> None:
        self.figure.hide()
        self._say(why)

    def _say(self, words: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))

"""What ε buys: the expected error over ε, worked out aside; the upright line sets ε."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from PySide6.QtCore import Signal

from workbench.core.errors import UserProblem
from workbench.core.figures import Figure, Mark
from workbench.core.params import problems_of
from workbench.core.progress import Context
from workbench.core.quantities import Epsilon, show
from workbench.mechanisms.contract import AnyMechanism
from workbench.review.protect import mechanism_of
from workbench.review.session import ReviewSession
from workbench.review.what_if import error_curve, has_epsilon
from workbench.ui.controller import Controller
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.figure_view import FigureView

_EXAMPLE_COUNT, _EXAMPLE_LARGEST = 100.0, 100.0
_ANY = Epsilon("1")


@dataclass(frozen=True, slots=True)
class Curve:
    """The figure, and the smallest ε that the other settings allow where they forbid some."""

    figure: Figure | None
    smallest: Decimal | None = None

    def sentence(self) -> str:
        if self.figure is None:
            return "With these settings no ε is possible."
        return f"ε below {show(self.smallest, 3)} is not possible with these settings." if self.smallest else ""


def curve_of(mechanism: AnyMechanism, params: Any, context: Context) -> Curve:
    """The curve, with a mark at the smallest possible ε where the settings leave a gap at the left."""
    context.step(0.0, "Working out what ε buys")
    figure = error_curve(mechanism, params, count=_EXAMPLE_COUNT, largest=_EXAMPLE_LARGEST, unit="jobs")
    series = figure.series[0]
    known = [i for i, error in enumerate(series.y) if error == error]
    if not known:
        return Curve(None)
    if known[0] == 0:
        return Curve(replace(figure, marks=()))
    edge = _edge(params, Decimal(str(series.x[known[0] - 1])), Decimal(str(series.x[known[0]])))
    return Curve(replace(figure, marks=(Mark(name="smallest possible", value=float(edge), vertical=True),)), edge)


def _edge(params: Any, low: Decimal, high: Decimal) -> Decimal:
    """Between an ε that is not possible and one that is: the smallest possible one, to three digits from above."""
    while high - low > high / 1000:
        middle = (low + high) / 2
        if problems_of(replace(params, epsilon=Epsilon(middle))):
            low = middle
        else:
            high = middle
    return high


class CurveCard(Card):
    """`show_session(session)` after every change; works the curve out again only where it is another one."""

    epsilon_moved = Signal(float)

    def __init__(self, controller: Controller) -> None:
        super().__init__("", grows=True)
        self._controller = controller
        self._asked: object = None
        self.figure = FigureView()
        self.figure.handle_moved.connect(self.epsilon_moved)
        self.figure.failed.connect(controller.show_problems)
        self.note = wrapped("", "muted")
        self.add(self.figure, stretch=1)
        self.add(self.note)
        self._say("")

    def show_session(self, session: ReviewSession) -> None:
        mechanism, params = mechanism_of(session.plan), session.plan.mechanism.params
        if not has_epsilon(mechanism):
            self._asked = None
            self._controller.drop_study("curve")
            self._hide(f"{mechanism.title} is not governed by ε, so there is no curve.")
            return
        self.figure.set_handle(float(params.epsilon), f"ε = {show(params.epsilon)}")
        asked = (mechanism.id, mechanism.version, replace(params, epsilon=_ANY))
        if asked != self._asked:
            self._asked = asked
            if self.figure.figure() is None or self.figure.isHidden():
                self._hide("Working out what ε buys…")
            self._controller.study("curve", lambda context: _careful(mechanism, params, context), self._show)

    def _show(self, curve: Curve | None) -> None:
        if curve is None:
            self._hide("This mechanism has no closed form for its error, so there is no curve.")
        elif curve.figure is None:
            self._hide(curve.sentence())
        else:
            self.figure.set_figure(curve.figure)
            self.figure.show()
            self._say(curve.sentence())

    def _hide(self, why: str) -> None:
        self.figure.hide()
        self._say(why)

    def _say(self, words: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))


def _careful(mechanism: AnyMechanism, params: Any, context: Context) -> Curve | None:
    try:
        return curve_of(mechanism, params, context)
    except UserProblem:
        return None

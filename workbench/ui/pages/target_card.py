"""The way back from accuracy to ε: the smallest ε whose mean error is small enough, worked out aside.

Where the error depends on the confidential table, a rounded ε is offered for use: see `what_if.rounded_up`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from PySide6.QtCore import QLocale, QTimer, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit

from workbench.core.errors import Problem, UserProblem
from workbench.core.progress import Context
from workbench.core.quantities import Epsilon, show
from workbench.mechanisms.contract import AnyMechanism
from workbench.review.budget.what_if import error_from_data, has_epsilon, mean_error, rounded_up, smallest_epsilon
from workbench.review.run.protect import mechanism_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.jobs import Jobs
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.icons import TextButton

_TYPING_MILLISECONDS = 200
_CONFIDENTIAL = (
    "It was found on the confidential table, and ε is published: choosing exactly it would tell something about the "
    "table. Round it up to {}."
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The smallest ε, the one to use, and the mean error at present; or what is wrong."""

    smallest: Epsilon | None = None
    offered: Epsilon | None = None
    now: float | None = None
    wrong: str = ""


class TargetCard(Card):
    """`show_session(session)` after every change; `epsilon_wanted` when the answer is to be used."""

    epsilon_wanted = Signal(object)

    def __init__(self, jobs: Jobs) -> None:
        super().__init__("Start from the accuracy you need")
        self._jobs = jobs
        self._session: ReviewSession | None = None
        self._asked: object = None
        self._epsilon: Epsilon | None = None
        self.target = QLineEdit("5")
        self.target.setAccessibleName("Largest mean error per cell, in jobs")
        self.target.setMaximumWidth(80)
        validator = QDoubleValidator(0.0, 1e9, 6, self)
        validator.setLocale(QLocale.c())
        self.target.setValidator(validator)
        self.result = wrapped("", "")
        self.use = TextButton("Use this ε")
        self.use.clicked.connect(lambda: self.epsilon_wanted.emit(self._epsilon))
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_TYPING_MILLISECONDS)
        self._soon.timeout.connect(self._ask)
        self.target.textChanged.connect(lambda _text: self._soon.start())
        row = QHBoxLayout()
        self.add(wrapped("Mean error of a cell at most"))
        row.addWidget(self.target)
        row.addWidget(QLabel("jobs"))
        row.addStretch(1)
        row.addWidget(self.use)
        self.add_layout(row)
        self.add(self.result)

    def show_session(self, session: ReviewSession) -> None:
        self._session = session
        self._ask()

    def _ask(self) -> None:
        session = self._session
        if session is None:
            return
        mechanism, params = mechanism_of(session.plan), session.plan.mechanism.params
        why = _why_not(session, mechanism)
        prepared = session.prepared.value if session.prepared is not None and not why else None
        asked = (mechanism.id, params, prepared is not None and session.plan.prepared_digest(), self.target.text(), why)
        if asked == self._asked:
            return
        self._asked = asked
        self._offer(None, why or "Working it out…")
        if why:
            self._jobs.drop_study("target")
            return
        target = self.target.text()
        self._jobs.study(
            "target", lambda context: _answer(mechanism, params, prepared, target, context), self._answered
        )

    def _answered(self, answer: Answer) -> None:
        smallest, offered, now = answer.smallest, answer.offered, answer.now
        if smallest is None or offered is None or now is None or self._session is None:
            self._offer(None, answer.wrong)
            return
        used = show(self._session.plan.mechanism.params.epsilon)
        said = [f"Smallest ε that meets it: {smallest}.", f"With ε = {used} the mean error is {show(now, 3)} jobs."]
        if now != now:
            said[1] = f"ε = {used} itself is not possible for this table."
        if offered != smallest:
            said.insert(1, _CONFIDENTIAL.format(offered))
        self._offer(offered, " ".join(said))

    def _offer(self, epsilon: Epsilon | None, words: str) -> None:
        self._epsilon = epsilon
        used = getattr(self._session.plan.mechanism.params, "epsilon", None) if self._session is not None else None
        self.use.setEnabled(epsilon is not None and used is not None and Decimal(used) != Decimal(epsilon))
        self.use.setText(f"Use ε = {epsilon}" if epsilon is not None else "Use this ε")
        self.result.setText(words)


def _why_not(session: ReviewSession, mechanism: AnyMechanism) -> str:
    if not has_epsilon(mechanism):
        return f"{mechanism.title} is not governed by ε."
    if session.prepared is None or not session.prepared_fresh:
        return "Load the data and choose the table first: the target is about its cells."
    return ""


def _answer(mechanism: AnyMechanism, params: Any, prepared: Any, target: str, context: Context) -> Answer:
    """Off the main thread: a dozen tables' worth of closed forms take a while where the table is large."""
    context.step(0.0, "Working out the smallest ε")
    try:
        smallest = smallest_epsilon(mechanism, params, prepared, target=float(target), context=context)
        offered = rounded_up(smallest) if error_from_data(mechanism, params) else smallest
        possible = not mechanism.problems(prepared, params)
        return Answer(smallest, offered, mean_error(mechanism, params, prepared) if possible else float("nan"))
    except UserProblem as wrong:
        return Answer(wrong=" ".join(Problem(problem.what, "", problem.do).sentence() for problem in wrong.problems))
    except ValueError:
        return Answer(wrong="Give a number above 0.")

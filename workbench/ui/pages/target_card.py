"""The way back from accuracy to ε: the smallest ε whose mean error is small enough, worked out aside."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QTimer, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit

from workbench.core.quantities import show
from workbench.review.budget.accuracy_target import Answer, answer
from workbench.review.budget.plan_dial import position
from workbench.review.run.prepare import product_of
from workbench.review.run.protect import mechanism_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.jobs import Jobs
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.icons import TextButton

_TYPING_MILLISECONDS = 200
_CONFIDENTIAL = (
    "This ε was computed from the confidential table, and ε is published: the exact value would reveal something. "
    "Use {} instead."
)


class TargetCard(Card):
    """`show_session(session)` after every change; `params_wanted` when the answer is to be used."""

    params_wanted = Signal(object)

    def __init__(self, jobs: Jobs) -> None:
        super().__init__("Start from the accuracy you need")
        self._jobs = jobs
        self._session: ReviewSession | None = None
        self._asked: object = None
        self._found: Answer | None = None
        self.target = QLineEdit("5")
        self.target.setMaximumWidth(80)
        validator = QDoubleValidator(0.0, 1e9, 6, self)
        validator.setLocale(QLocale.c())
        self.target.setValidator(validator)
        self.result = wrapped("", "")
        self.use = TextButton("Use this ε")
        self.use.clicked.connect(self._use)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_TYPING_MILLISECONDS)
        self._soon.timeout.connect(self._ask)
        self.target.textChanged.connect(lambda _text: self._soon.start())
        row = QHBoxLayout()
        self.asks, self.unit = wrapped(""), QLabel()
        self.add(self.asks)
        row.addWidget(self.target)
        row.addWidget(self.unit)
        row.addStretch(1)
        row.addWidget(self.use)
        self.add_layout(row)
        self.add(self.result)

    def show_session(self, session: ReviewSession) -> None:
        self._session = session
        words = product_of(session.plan).words
        self.asks.setText(f"Mean error per {words.row[0]} at most")
        self.unit.setText(words.unit)
        self.target.setAccessibleName(f"Largest mean error per {words.row[0]}, in {words.unit}")
        self._ask()

    def _use(self) -> None:
        if self._found is not None:
            self.params_wanted.emit(self._found.params)

    def _ask(self) -> None:
        session = self._session
        if session is None:
            return
        mechanism, params = mechanism_of(session.plan), session.plan.mechanism.params
        why = _why_not(session)
        prepared = session.prepared.value if session.prepared is not None and not why else None
        asked = (mechanism.id, params, prepared is not None and session.plan.prepared_digest(), self.target.text(), why)
        if asked == self._asked:
            return
        self._asked = asked
        self._offer(None, why or "Calculating…")
        if why:
            self._jobs.drop_study("target")
            return
        target = self.target.text()
        self._jobs.study("target", lambda context: answer(mechanism, params, prepared, target, context), self._answered)

    def _answered(self, found: Answer | str) -> None:
        if isinstance(found, str) or self._session is None:
            self._offer(None, str(found))
            return
        unit = product_of(self._session.plan).words.unit
        said = [f"Smallest ε that meets it: {show(found.smallest)}."]
        if found.offered != found.smallest:
            said.append(_CONFIDENTIAL.format(show(found.offered)))
        if found.now is None:
            said.append(f"ε = {show(found.used)} itself is not possible for this table.")
        else:
            said.append(f"With ε = {show(found.used)} the mean error is {show(found.now, 3)} {unit}.")
        self._offer(found, " ".join(said))

    def _offer(self, found: Answer | None, words: str) -> None:
        self._found = found
        self.use.setEnabled(found is not None and found.offered != found.used)
        self.use.setText(f"Use ε = {show(found.offered)}" if found is not None else "Use this ε")
        self.result.setText(words)


def _why_not(session: ReviewSession) -> str:
    if session.prepared is None or not session.prepared_fresh:
        row = product_of(session.plan).words.row[1]
        return f"Load the data and choose the table first: the target is about its {row}."
    if position(session.plan) is None:
        return f"{mechanism_of(session.plan).title} has no setting for ε."
    return ""
